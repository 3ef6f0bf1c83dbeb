#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/engine/books/accounting.h"
#include "core/engine/books/allocation_log.h"
#include "core/memory/device_segments.h"

/// The books of a device whose allocator says what it did: plain C++, no LibTorch. Everything is called from
/// within that allocator's lock or from the engine, on any thread.
namespace highwater::engine {

/// The sizes that the results of a layer's convolutions have, forward and backward, in bytes at every
/// precision: what else a convolution takes for itself is a library's workspace.
using ResultSizes = std::vector<Bytes>;

class DeviceBooks {
public:
    Accounting& books() { return books_; }

    /// Begins a run: what is said of peaks and workspaces starts anew.
    void start(const memory::AllocatorConfig& config);
    /// By layer; before the first convolution.
    void expect(std::vector<ResultSizes> results);

    // The allocator's side; what cannot be kept is counted, nothing is thrown.
    /// `op`: the operator that asks ("aten::cudnn_convolution"), null for none; `gemmWorkspace`: the size
    /// that cuBLAS's workspace would have now.
    void took(const memory::DeviceEvent& event, const char* op, Bytes gemmWorkspace) noexcept;

    // The engine's side.
    /// False: no block begins at this address.
    bool retag(std::uintptr_t address, Category category, bool onlyTemporaries);
    std::optional<Category> categoryOf(std::uintptr_t address) const;
    /// At the highest total of the tensors since start().
    memory::SegmentTotals atPeak() const;
    memory::SegmentTotals now() const;
    /// When the latest request was refused; nothing: none was since start().
    std::optional<memory::SegmentTotals> atRefusal() const;
    std::vector<wire::LayerWorkspace> workspaces() const;  ///< since start(), by layer and phase
    std::int64_t workspacesRefused() const;                ///< of convolutions, since start()
    std::int64_t inconsistencies() const;  ///< events that made no sense; 0 unless there is a bug

    /// Writes down every allocation and free from here on; what was alive before is freed without a word.
    void startLog();
    std::vector<LoggedAllocation> stopLog();

private:
    void allocated(const memory::DeviceEvent& event, Bytes reserved, const char* op, Bytes gemmWorkspace);
    void freed(std::uintptr_t address);
    void refused(Bytes block, const char* op);
    const ResultSizes* resultsOf(const char* op, int layer) const;
    bool isWorkspace(Bytes bytes, const char* op, Bytes gemmWorkspace, int layer) const;

    struct Logged {
        bool open = false;
        std::vector<LoggedAllocation> entries;
        std::unordered_set<std::uintptr_t> alive;
    };
    mutable std::mutex mutex_;
    Accounting books_;
    memory::DeviceSegments segments_;
    std::unordered_map<std::uintptr_t, BlockId> blocks_;
    std::vector<ResultSizes> results_;
    std::map<std::pair<int, Phase>, Bytes> workspaces_;
    memory::SegmentTotals atPeak_;
    std::optional<memory::SegmentTotals> atRefusal_;
    memory::AllocatorConfig config_;
    Bytes peak_ = -1;
    std::int64_t refused_ = 0, lost_ = 0;
    Logged log_;
};

/// True for the operators whose own allocations are results or workspaces: cuDNN's convolutions.
bool isConvolution(std::string_view op);

}  // namespace highwater::engine
