#pragma once

#include <atomic>
#include <filesystem>
#include <functional>

#include "core/base/result.h"
#include "core/engine/run_request.h"
#include "core/wire/patches.h"

/// Writes samples of a run to files without training: no step is run and no device is used. Plain C++.
namespace highwater::engine {

struct PatchOrder {
    std::int64_t first = 0;  ///< number of the first sample, from 0
    int count = 1;
    std::filesystem::path folder;  ///< must exist
};

/// Writes `order.count` samples to `order.folder`: each channel in float32, as the network receives it, and
/// the target if it is made from the sample. Calls `say` for each sample. A file's geometry is that of the
/// sample's box in the scan, also for an augmented sample. Error if the request cannot be run, its input is
/// synthetic, a file cannot be written, memory runs out, or `cancel` was set ("cancelled").
base::Status writePatches(const RunRequest& request, const PatchOrder& order,
                          const std::function<void(const wire::SentPatch&)>& say,
                          const std::atomic<bool>& cancel);

}  // namespace highwater::engine
