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

/// What cuDNN said about convolutions on a GPU that is not there (core/cudnn asks it). Its heuristics are a
/// part of the library, so an answer holds for one version and one device; it was asked, not measured.
namespace highwater::predict {

/// The plans that LibTorch considers for one part of a convolution pass (Conv_v8.cpp): their workspaces in
/// bytes.
struct AskedPlans {
    base::Bytes first = 0;  ///< of the plan that runs without `benchmark`: the first that cuDNN can build
    base::Bytes least = 0;  ///< the smallest of all plans: what is left if memory is short
    /// The smallest and the largest of those that `benchmark` times: the first 10 (benchmark_limit).
    base::Bytes timedLeast = 0, timedMost = 0;
    base::Bytes most =
        0;  ///< the largest of all plans: `benchmark` holds a block of this size while it times
    bool operator==(const AskedPlans&) const = default;
};
/// From the workspaces of all plans, in LibTorch's order. std::nullopt if there are none.
std::optional<AskedPlans> askedPlans(std::span<const base::Bytes> workspaces);

/// Selects a table.
struct AskedKey {
    std::string cudnn;      ///< "9.19.0"
    std::string device;     ///< a profile's id
    std::string described;  ///< the device as cuDNN was told: deviceForCudnn()
    bool operator==(const AskedKey&) const = default;
};
AskedKey askedKey(const DeviceProfile& profile, const CudnnVersion& cudnn);

/// Returns the device as cuDNN wants it described (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION), as JSON. What
/// all GPUs since Volta have alike (64 Ki registers, warps of 32, 1024 threads a block, 48 KiB of shared
/// memory) is filled in. Empty if the profile has no attributes.
std::string deviceForCudnn(const DeviceProfile& profile);

/// The name of a question: the convolution with this part alone, and the switches that matter, "KEY
/// SWITCHES". All passes that share the part have the same name; `benchmark` does not change what cuDNN
/// answers.
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
/// The folders with such tables: "cudnn" in each of calibrationFolders(). The first is the user's own.
std::vector<std::filesystem::path> askedFolders();
/// Loads all answers for `key`. A file that cannot be read, or whose device was described otherwise, counts
/// as empty: cuDNN can be asked again.
AskedTable loadAskedTable(const AskedKey& key, std::span<const std::filesystem::path> folders);
/// Adds the answers to the table in `folder`, which is made if need be.
base::Status keepAnswers(const AskedTable& answers, const std::filesystem::path& folder);

}  // namespace highwater::predict
