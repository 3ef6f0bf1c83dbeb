#pragma once

#include <string>
#include <vector>

#include "core/plan/make_fit.h"

/// A plan's changes, in words. Private to core/plan.
namespace highwater::plan {

/// One line for each change of the experiment.
std::vector<std::string> changesOf(const stack::Experiment& before, const stack::Experiment& after);
/// The changes that apply to the whole step, by the names of settings: "bf16", "4 micro-batches".
std::vector<std::string> settingsOf(const stack::Experiment& before, const stack::Experiment& after);
/// Layers whose forward runs again in the backward pass.
std::size_t recomputedLayers(const stack::Experiment& experiment);

}  // namespace highwater::plan
