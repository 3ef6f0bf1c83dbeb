#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Makes the engine create samples as the network gets them, without a run.
namespace highwater::wire {

constexpr int kMostPatches = 256;  ///< per request

struct PatchRequest {
    stack::Experiment experiment;
    std::vector<int> volumeFds;     ///< see EngineRequest::volumeFds
    std::int64_t first = 0;         ///< number of the first sample: 0 is the first of a run
    int count = 16;                 ///< 1 to 256
    std::filesystem::path folder;   ///< where the patches are written; must exist
    std::filesystem::path program;  ///< the engine; empty: "highwater-engine" in this program's folder
    std::function<void(int done)> progress;  ///< called on the calling thread
    const std::atomic<bool>* cancel = nullptr;
    /// The maximum time without output from the engine, plus 10 s for each volume, because it reads all of
    /// them first.
    std::chrono::seconds timeout{120};
};

struct SentPatch {
    std::int64_t number = 0;
    std::int64_t theCase = 0;  ///< number of the cohort's case, from 0
    /// Handover volumes, one for each channel: the values that the network receives (normalized, augmented),
    /// in the geometry of the patch box.
    std::vector<std::filesystem::path> channels;
    std::filesystem::path target;                   ///< the target's label map; empty if there is none
    std::array<std::int64_t, 3> start{}, extent{};  ///< voxels i, j, k of the scan
    /// The augmentations that were applied, in order: "flipped along i", "turned by 7.1°", "gamma 0.83".
    std::vector<std::string> augmentations;
    bool operator==(const SentPatch&) const = default;
};

/// Starts the engine only to create patches, without a training step. Blocks. Errors are one line. After
/// "cancelled", or if the engine was killed because it made no progress for `timeout`, the folder may contain
/// some of the patches, the last of them incomplete.
base::Result<std::vector<SentPatch>> makePatches(const PatchRequest& request);

/// The engine's line about a patch, one JSON object (resources/schema/patch.json). Files are given without
/// their folder.
nlohmann::ordered_json toJson(const SentPatch& patch);
/// Parses such a line strictly; the files must be plain names, which are looked up in `folder`.
base::Result<SentPatch> parsePatch(std::string_view line, const std::filesystem::path& folder);

}  // namespace highwater::wire
