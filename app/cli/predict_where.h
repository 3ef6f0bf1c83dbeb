#pragma once

#include <string>
#include <vector>

#include "app/cli/target_options.h"
#include "core/plan/prediction_json.h"
#include "core/plan/prediction_words.h"

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

/// What an experiment needs on one device, or why that is unknown.
struct Place {
    std::string id, name;
    std::string libtorch, cudnn;  ///< of a GPU
    base::Result<plan::DeviceFit> fit = base::Error{};
};
/// All devices, this CPU first, then the GPUs by their memory; fewer after an interrupt. `options` gives the
/// versions of the GPUs' software; its target is not used.
std::vector<Place> placesOf(const stack::Experiment& experiment, const TargetOptions& options);

using plan::fitJson;
using plan::rangeText;
using plan::stepText;
/// The experiment's name, or a text that says it has none.
std::string titleOf(const stack::Experiment& experiment);

}  // namespace highwater::cli
