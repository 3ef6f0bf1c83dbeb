#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/predict/tables/conv_key.h"

/// What was measured of cuDNN on a GPU: workspaces of convolutions, and their times. What Calibration is for
/// the CPU. Workspaces depend on the software and the architecture; times on the device as well.
namespace highwater::predict {

/// Which table.
struct GpuKey {
    std::string libtorch;  ///< "2.11": a release's patches count for nothing
    std::string cudnn;     ///< "9.19.0"
    int architecture = 0;  ///< compute capability x 10
    std::string device;    ///< a profile's id: the times are this device's
    auto operator<=>(const GpuKey&) const = default;
};

/// What decides, beside the convolution, which of its kernels cuDNN takes.
struct GpuSwitches {
    bool tf32 = false;  ///< of fp32 convolutions; others do not ask
    bool benchmark = false, deterministic = false;
    bool operator==(const GpuSwitches&) const = default;
    /// "-", or those that are on, in this order: "tf32,benchmark,deterministic".
    std::string text() const;
};
/// Nothing where the text is not as text() writes it.
std::optional<GpuSwitches> parseGpuSwitches(std::string_view text);

/// A convolution to be measured: one pass under these switches.
struct GpuConvolution {
    ConvKey op;
    GpuSwitches switches;
    bool operator==(const GpuConvolution&) const = default;
};

/// The parts of a pass, each with a workspace of its own, one after the other.
enum class ConvPart { Forward, InputGradient, WeightGradient };

/// One row: the workspace of each part that the pass has, in bytes asked of the allocator once the plan is
/// chosen (what the search under `benchmark` takes before is not in it).
struct GpuOpRow {
    std::optional<base::Bytes> forward = {};         ///< of a forward pass
    std::optional<base::Bytes> inputGradient = {};   ///< of a backward pass that wants it
    std::optional<base::Bytes> weightGradient = {};  ///< of a backward pass that wants it
    double microseconds = 0;                         ///< of the pass on the device; 0: not timed
    bool operator==(const GpuOpRow&) const = default;
};

/// A table, as a value.
class GpuTable {
public:
    explicit GpuTable(GpuKey key = {}) : key_(std::move(key)) {}

    const GpuKey& key() const { return key_; }
    std::string machine;  ///< the device's name as its driver gives it

    /// Replaces the row of the same pass and switches.
    void add(const GpuConvolution& op, const GpuOpRow& row);
    const GpuOpRow* find(const GpuConvolution& op) const;  ///< of exactly this pass; nullptr: no row
    /// The workspace of one part. A bias, the other gradient, and whether the incoming gradient is contiguous
    /// make no difference to it, so a row of any such pass answers. Nothing: no row does.
    std::optional<base::Bytes> workspace(const GpuConvolution& op, ConvPart part) const;
    std::size_t size() const { return rows_.size(); }
    /// Takes over what is not here; times only from a table of the same device.
    void join(const GpuTable& other);
    /// By "PASS SWITCHES", as in the text.
    const std::unordered_map<std::string, GpuOpRow>& rows() const { return rows_; }

private:
    GpuKey key_;
    std::unordered_map<std::string, GpuOpRow> rows_;
    std::unordered_map<std::string, base::Bytes> parts_;  // what workspace() looks up
};

/// Text format highwater.gpu-table/1 (docs/calibration.md): a JSON header line, then one row a line. Errors
/// name the line.
base::Result<GpuTable> parseGpuTable(std::string_view text, std::string_view name);
std::string writeGpuTable(const GpuTable& table);  ///< rows sorted: the same table, the same text

/// "libtorch-2.11_cudnn-9.19.0_sm90_h200.txt".
std::string gpuTableFileName(const GpuKey& key);
std::optional<GpuKey> keyOfGpuTableName(std::string_view name);  ///< nothing where it is no such name

/// Where tables lie: the folder "gpu" in each of calibrationFolders().
std::vector<std::filesystem::path> gpuTableFolders();
/// All rows that hold for `key`: those of its device, then those of other devices of its architecture with
/// the same software, without their times. Empty where nothing was measured. Errors: a file that cannot be
/// read, naming it and the line.
base::Result<GpuTable> loadGpuTable(const GpuKey& key, std::span<const std::filesystem::path> folders);

}  // namespace highwater::predict
