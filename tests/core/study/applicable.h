#pragma once

#include "core/study/toggles.h"

namespace highwater::study::testing {

/// The toggles that apply to a valid experiment, alone, on that device.
inline std::vector<const Toggle*> applicableToggles(const stack::Experiment& experiment, bool cuda) {
    std::vector<const Toggle*> found;
    for (const Toggle& each : toggles()) {
        if (checkToggle(each, experiment, cuda)) {
            found.push_back(&each);
        }
    }
    return found;
}

}  // namespace highwater::study::testing
