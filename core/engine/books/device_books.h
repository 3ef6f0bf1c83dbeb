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

/// The books of a device whose allocator reports its events: plain C++, no LibTorch. All functions are called
/// under that allocator's lock or from the engine, on any thread.
namespace highwater::engine {

/// The possible sizes in bytes, at every precision, of the results of a layer's convolutions in forward and
/// backward. Any other allocation of a convolution is a library's workspace.
using ResultSizes = std::vector<Bytes>;

class DeviceBooks {
public:
    Accounting& books() { return books_; }

    /// Begins a run: peaks, refusals and workspaces are reset.
    void start(const memory::AllocatorConfig& config);
    /// Sets the result sizes by layer; call before the first convolution.
    void expect(std::vector<ResultSizes> results);

    // For the allocator. Nothing is thrown: an event that cannot be stored counts as an inconsistency.
    /// `op`: the operator that allocates ("aten::cudnn_convolution"), null for none; `gemmWorkspace`: the
    /// size that cuBLAS's workspace would have now.
    void took(const memory::DeviceEvent& event, const char* op, Bytes gemmWorkspace) noexcept;

    // For the engine.
    /// False if no block begins at this address.
    bool retag(std::uintptr_t address, Category category, bool onlyTemporaries);
    std::optional<Category> categoryOf(std::uintptr_t address) const;
    /// The totals at the highest total of requested bytes since start().
    memory::SegmentTotals atPeak() const;
    memory::SegmentTotals now() const;
    /// The totals when the latest request was refused; std::nullopt if none was since start().
    std::optional<memory::SegmentTotals> atRefusal() const;
    std::vector<wire::LayerWorkspace> workspaces() const;  ///< largest since start(), by layer and phase
    std::int64_t workspacesRefused() const;                ///< of convolutions, since start()
    std::int64_t inconsistencies() const;                  ///< inconsistent events; 0 unless there is a bug

    /// Logs every allocation and free from now on; frees of earlier blocks are not logged.
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

/// True for cuDNN's convolution operators: the memory that they allocate directly is a result or a workspace.
bool isConvolution(std::string_view op);

}  // namespace highwater::engine
