#pragma once

#include <optional>

#include "core/stack/experiment.h"
#include "core/wire/events.h"

namespace highwater::engine_app {

/// What `predict` says of a CPU run of this experiment, here and now; takes a few milliseconds. Nothing where
/// it cannot say anything: the run goes on without.
std::optional<wire::Predicted> predictedFor(const stack::Experiment& experiment);

}  // namespace highwater::engine_app
