#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/target_options.h"
#include "core/plan/device_fit.h"

/// predict --all and --largest: where an experiment fits, and how large it may be. Both print on stdout and
/// return the exit code.
namespace highwater::cli {

/// Prints every device in one table, this CPU first, then the GPUs by their memory: what the experiment needs
/// there, the probability of running out, the time of a step, the largest batch. `options` gives the versions
/// of the GPUs' software; its target is not used. cuDNN is not asked, but its earlier answers are used.
int predictEverywhere(const stack::Experiment& experiment, const TargetOptions& options, bool json);

/// Prints the largest batch_size or patch (`axis`) that fits the target, and the next larger one, using the
/// answers of the cuDNN in `library` (askCudnn()).
int predictLargest(const stack::Experiment& experiment, const predict::Target& target,
                   const std::string& axis, const std::string& library, bool json);

/// A prediction for a device: `peak_bytes`, `capacity_bytes`, `oom_probability`, `fits`, `step_ms`,
/// `largest_batch_size`, as far as they are known.
nlohmann::ordered_json fitJson(const plan::DeviceFit& fit);
/// "7.1 GiB to 8.3 GiB", "about 7.1 GiB"; empty if the peak is exact.
std::string rangeText(const predict::Estimate& peak);
/// Empty if the time is unknown. A guess is shown with its range, so that it does not look like a time based
/// on measurements.
std::string timeText(const predict::TimeEstimate& time);
/// The experiment's name, or a text that says it has none.
std::string titleOf(const stack::Experiment& experiment);

}  // namespace highwater::cli
