#include "core/engine/device/step_times.h"

namespace highwater::engine {

void StepTimes::clear(std::size_t layers) {
    phases = {};
    host.reset();
    layered = true;
    forward.assign(layers, 0.0F);
    backward.assign(layers, 0.0F);
}

void StepTimes::add(wire::Phase phase, int layer, double ms) {
    switch (phase) {
        case wire::Phase::Forward:
            phases.forward += ms;
            if (layer >= 0) {
                forward[static_cast<std::size_t>(layer)] += static_cast<float>(ms);
            }
            break;
        case wire::Phase::Backward:
            phases.backward += ms;
            if (layer >= 0) {
                backward[static_cast<std::size_t>(layer)] += static_cast<float>(ms);
            }
            break;
        case wire::Phase::Recompute:
            phases.recompute += ms;
            break;
        case wire::Phase::Optimizer:
            phases.optimizer += ms;
            break;
        case wire::Phase::Data:
        case wire::Phase::Setup:
            phases.data += ms;
            break;
    }
}

}  // namespace highwater::engine
