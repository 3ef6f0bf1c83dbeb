#pragma once

#include <cmath>

namespace highwater::base {

/// Returns the distance between the ticks of an axis: the smallest number of the form 1, 2 or 5 times a power
/// of ten that is at least `least`. `least` must be finite and above 0.
inline double roundStep(double least) {
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= least * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

}  // namespace highwater::base
