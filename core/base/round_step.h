#pragma once

#include <cmath>

namespace highwater::base {

/// The smallest of 1, 2 and 5 times a power of ten that is at least `least`, which is finite and above 0: how
/// far the ticks of an axis lie apart.
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
