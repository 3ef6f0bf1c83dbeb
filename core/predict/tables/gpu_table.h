#pragma once

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

/// A GPU table: the workspaces and times of convolutions measured with cuDNN on a GPU. It is the GPU's
/// counterpart of Calibration. Workspaces depend on the software and the architecture; times also on the
/// device.
namespace highwater::predict {

/// Selects a table.
struct GpuKey {
    std::string libtorch;  ///< "2.11": without the patch number
    std::string cudnn;     ///< "9.19.0"
    int architecture = 0;  ///< compute capability x 10
    std::string device;    ///< a profile's id; the times are those of this device
    auto operator<=>(const GpuKey&) const = default;
};

/// The switches that, together with the convolution, decide which kernel cuDNN uses.
struct GpuSwitches {
    bool tf32 = false;  ///< only for fp32 convolutions
    bool benchmark = false, deterministic = false;
    bool operator==(const GpuSwitches&) const = default;
    /// "-", or the switches that are on, in this order: "tf32,benchmark,deterministic".
    std::string text() const;
};
/// Returns std::nullopt if the text is not in the form that text() writes.
std::optional<GpuSwitches> parseGpuSwitches(std::string_view text);

/// A convolution to be measured: one pass with these switches.
struct GpuConvolution {
    ConvKey op;
    GpuSwitches switches;
    bool operator==(const GpuConvolution&) const = default;
};

/// The parts of a pass. They run one after another, each with its own workspace.
enum class ConvPart { Forward, InputGradient, WeightGradient };
inline constexpr ConvPart kConvParts[] = {ConvPart::Forward, ConvPart::InputGradient,
                                          ConvPart::WeightGradient};
/// Whether the pass has that part.
bool hasPart(const ConvKey& pass, ConvPart part);
/// "forward", "input_gradient", "weight_gradient".
std::string_view convPartKey(ConvPart part);
/// The pass with only this part. It is the same for all passes that share the part: a bias, the other
/// gradient, and whether the incoming gradient is contiguous do not matter.
GpuConvolution partOf(const GpuConvolution& op, ConvPart part);
/// The name of partOf(), "KEY SWITCHES".
std::string partName(const GpuConvolution& op, ConvPart part);

/// One row: the workspace of each part of the pass, in bytes requested from the allocator once the plan is
/// chosen (without the preceding search under `benchmark`).
struct GpuOpRow {
    std::optional<base::Bytes> forward = {};         ///< for a forward pass
    std::optional<base::Bytes> inputGradient = {};   ///< for a backward pass that computes it
    std::optional<base::Bytes> weightGradient = {};  ///< for a backward pass that computes it
    double microseconds = 0;                         ///< time of the pass on the device; 0 if not timed
    bool operator==(const GpuOpRow&) const = default;
};

/// A GPU table as a value.
class GpuTable {
public:
    explicit GpuTable(GpuKey key = {}) : key_(std::move(key)) {}

    const GpuKey& key() const { return key_; }
    std::string machine;  ///< the device's name as reported by its driver

    /// Replaces the row of the same pass and switches.
    void add(const GpuConvolution& op, const GpuOpRow& row);
    const GpuOpRow* find(const GpuConvolution& op) const;  ///< the row of exactly this pass, or nullptr
    /// Returns the workspace of one part. It does not depend on a bias, on the other gradient, or on whether
    /// the incoming gradient is contiguous, so the row of any such pass is used. Returns std::nullopt if
    /// there is no such row.
    std::optional<base::Bytes> workspace(const GpuConvolution& op, ConvPart part) const;
    std::size_t size() const { return rows_.size(); }
    /// Copies from the other table the rows that this one lacks; times only if the device is the same.
    void join(const GpuTable& other);
    /// The rows by "PASS SWITCHES", as in the text.
    const std::unordered_map<std::string, GpuOpRow>& rows() const { return rows_; }

private:
    GpuKey key_;
    std::unordered_map<std::string, GpuOpRow> rows_;
    std::unordered_map<std::string, base::Bytes> parts_;  // the index for workspace()
};

/// Text format highwater.gpu-table/1 (docs/calibration.md): a JSON header line, then one row per line. Errors
/// name the line.
base::Result<GpuTable> parseGpuTable(std::string_view text, std::string_view name);
/// Rows are sorted, so equal tables give equal text.
std::string writeGpuTable(const GpuTable& table);
/// Adds the rows to the table of the same key in `folder`, which is created if needed; existing rows are
/// replaced. Error if the existing file cannot be read or the new one cannot be written.
base::Status keepMeasured(const GpuTable& rows, const std::filesystem::path& folder);

/// "libtorch-2.11_cudnn-9.19.0_sm90_h200.txt".
std::string gpuTableFileName(const GpuKey& key);
/// Returns std::nullopt if it is not the name of a table.
std::optional<GpuKey> keyOfGpuTableName(std::string_view name);

/// The folders that contain GPU tables: "gpu" in each of calibrationFolders().
std::vector<std::filesystem::path> gpuTableFolders();
/// Loads all rows that apply to `key`: those of its device, then those of other devices of its architecture
/// with the same software, without their times. Empty if nothing was measured. Error if a file cannot be
/// read; it names the file and the line.
base::Result<GpuTable> loadGpuTable(const GpuKey& key, std::span<const std::filesystem::path> folders);

}  // namespace highwater::predict
