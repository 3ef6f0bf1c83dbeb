#pragma once

#include <atomic>
#include <filesystem>
#include <functional>

#include "core/base/result.h"
#include "core/engine/run/runner.h"
#include "core/wire/patches.h"

/// Samples of a run as files, without a run: no step is taken, and no device is touched. Plain C++.
namespace highwater::engine {

struct PatchOrder {
    std::int64_t first = 0;  ///< number of the first sample
    int count = 1;
    std::filesystem::path folder;  ///< exists
};

/// Writes each sample's channels (float32, as the network gets them) and its target, where one follows from
/// it, and says so; a sample lies in the patient where its box does, however it was turned. Errors: the
/// request cannot be run, its input is synthetic, a file cannot be written, no memory, "cancelled".
base::Status writePatches(const RunRequest& request, const PatchOrder& order,
                          const std::function<void(const wire::SentPatch&)>& say,
                          const std::atomic<bool>& cancel);

}  // namespace highwater::engine
