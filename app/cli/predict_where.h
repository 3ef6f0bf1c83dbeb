#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/target_options.h"
#include "core/plan/device_fit.h"

/// predict --all and --largest: where an experiment fits, and how large it may be. Both print on stdout and
/// return the exit code.
namespace highwater::cli {

/// Every device in one table, this CPU first, the GPUs by their memory: what it needs there, the odds, the
/// time of a step, the largest batch. `options` gives the versions of the GPUs' software; its target is not
/// used. cuDNN is not asked: what it answered before counts.
int predictEverywhere(const stack::Experiment& experiment, const TargetOptions& options, bool json);

/// The largest batch_size or patch (`axis`) that fits the target, and the next larger one, with the answers
/// of the cuDNN in `library` (askCudnn()).
int predictLargest(const stack::Experiment& experiment, const predict::Target& target,
                   const std::string& axis, const std::string& library, bool json);

/// Of a prediction for a device: `peak_bytes`, `capacity_bytes`, `oom_probability`, `fits`, `step_ms`,
/// `largest_batch_size`, as far as they are known.
nlohmann::ordered_json fitJson(const plan::DeviceFit& fit);
/// "7.1 GiB to 8.3 GiB", "about 7.1 GiB"; nothing where the peak is exact.
std::string rangeText(const predict::Estimate& peak);
/// Nothing where the time is not known. A guess is shown with its range, so that it does not look like what
/// rests on measurements.
std::string timeText(const predict::TimeEstimate& time);
/// The experiment's name, or that it has none.
std::string titleOf(const stack::Experiment& experiment);

}  // namespace highwater::cli
