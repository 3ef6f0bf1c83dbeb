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

/// Samples as the engine sends them to the network, without a run.
namespace highwater::wire {

constexpr int kMostPatches = 256;  ///< of one request

struct PatchRequest {
    stack::Experiment experiment;
    std::vector<int> volumeFds;              ///< as EngineRequest::volumeFds
    std::int64_t first = 0;                  ///< number of the first sample: 0 is the first of a run
    int count = 16;                          ///< 1 to 256
    std::filesystem::path folder;            ///< where the patches are written; exists
    std::filesystem::path program;           ///< the engine; empty: "highwater-engine" beside this program
    std::function<void(int done)> progress;  ///< on the calling thread
    const std::atomic<bool>* cancel = nullptr;
    /// Without a sign of the engine; 10 s more for each volume, all of which it looks through first.
    std::chrono::seconds timeout{120};
};

struct SentPatch {
    std::int64_t number = 0;
    std::int64_t theCase = 0;  ///< of a cohort
    /// Handover volumes, one a channel: the values that the network gets (normalized, augmented), in the
    /// place of the patch box.
    std::vector<std::filesystem::path> channels;
    std::filesystem::path target;  ///< the label map that goes with it; empty where none does
    std::array<std::int64_t, 3> start{}, extent{};  ///< voxels i, j, k of the scan
    /// What was done to it, in the order it was done: "flipped along i", "turned by 7.1°", "gamma 0.83".
    std::vector<std::string> augmentations;
    bool operator==(const SentPatch&) const = default;
};

/// Starts the engine for the patches alone: no LibTorch step is taken. Blocks. Errors are one line; after
/// "cancelled", or when the engine makes no progress for `timeout` and is ended, the folder may hold some of
/// the patches, and a part of one.
base::Result<std::vector<SentPatch>> makePatches(const PatchRequest& request);

/// What the engine says of each, one JSON object a line (resources/schema/patch.json); files without their
/// folder.
nlohmann::ordered_json toJson(const SentPatch& patch);
/// Strict; files must be names in `folder`.
base::Result<SentPatch> parsePatch(std::string_view line, const std::filesystem::path& folder);

}  // namespace highwater::wire
