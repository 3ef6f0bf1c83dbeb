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
#include "core/predict/tables/gpu_table.h"
#include "core/predict/tables/profile.h"

/// cuDNN's answers about convolutions on a GPU that is not present (core/cudnn asks it). Its heuristics are
/// part of the library, so an answer applies to one version and one device; it is an answer, not a
/// measurement.
namespace highwater::predict {

/// The plans that LibTorch considers for one part of a convolution pass (Conv_v8.cpp): their workspaces in
/// bytes.
struct AskedPlans {
    base::Bytes first = 0;  ///< of the plan used without `benchmark`: the first that cuDNN can build
    base::Bytes least = 0;  ///< the smallest of all plans: used if memory is short
    /// The smallest and largest of the plans that `benchmark` times: the first 10 (benchmark_limit).
    base::Bytes timedLeast = 0, timedMost = 0;
    base::Bytes most = 0;  ///< the largest of all plans: `benchmark` holds a block of this size during timing
    bool operator==(const AskedPlans&) const = default;
};
/// Computes these from the workspaces of all plans, in LibTorch's order. std::nullopt if there are none.
std::optional<AskedPlans> askedPlans(std::span<const base::Bytes> workspaces);

/// Selects a table.
struct AskedKey {
    std::string cudnn;      ///< "9.19.0"
    std::string device;     ///< a profile's id
    std::string described;  ///< the device's description for cuDNN: deviceForCudnn()
    bool operator==(const AskedKey&) const = default;
};
AskedKey askedKey(const DeviceProfile& profile, const CudnnVersion& cudnn);

/// Returns cuDNN's description of the device (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION), as JSON. Properties
/// common to all GPUs since Volta (64 Ki registers, warps of 32, 1024 threads a block, 48 KiB of shared
/// memory) are filled in. Empty if the profile has no attributes.
std::string deviceForCudnn(const DeviceProfile& profile);

/// The name of a question: the convolution with only this part, and the relevant switches, "KEY SWITCHES".
/// All passes that share the part have the same name; `benchmark` does not change cuDNN's answer.
std::string questionName(const GpuConvolution& op, ConvPart part);

class AskedTable {
public:
    explicit AskedTable(AskedKey key = {}) : key_(std::move(key)) {}
    const AskedKey& key() const { return key_; }

    /// std::nullopt: cuDNN has no plan for it. Replaces an earlier answer.
    void add(std::string question, std::optional<AskedPlans> answer);
    /// Copies the answers that this table lacks.
    void join(const AskedTable& other);
    /// The answer, or nullptr if cuDNN was not asked.
    const std::optional<AskedPlans>* find(const std::string& question) const;
    std::size_t size() const { return rows_.size(); }
    const std::unordered_map<std::string, std::optional<AskedPlans>>& rows() const { return rows_; }

private:
    AskedKey key_;
    std::unordered_map<std::string, std::optional<AskedPlans>> rows_;
};

/// Text format highwater.asked-table/1 (docs/calibration.md): a JSON header line, then one row per line.
/// Errors name the line.
base::Result<AskedTable> parseAskedTable(std::string_view text, std::string_view name);
/// Rows are sorted, so equal tables give equal text.
std::string writeAskedTable(const AskedTable& table);

/// "cudnn-9.19.0_a100-80.txt".
std::string askedFileName(const AskedKey& key);
/// The folders that contain such tables: "cudnn" in each of calibrationFolders(). The first is the user's
/// own.
std::vector<std::filesystem::path> askedFolders();
/// Loads all answers for `key`. A file that cannot be read, or that describes the device differently, counts
/// as empty: cuDNN can be asked again.
AskedTable loadAskedTable(const AskedKey& key, std::span<const std::filesystem::path> folders);
/// Adds the answers to the table in `folder`, which is created if needed.
base::Status keepAnswers(const AskedTable& answers, const std::filesystem::path& folder);

}  // namespace highwater::predict
