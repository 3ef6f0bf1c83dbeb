#pragma once

#include <array>
#include <vector>

#include "core/volume/windowing.h"

namespace highwater::widgets {

struct RenderScale;

/// Opacity (of RenderScale::opacityUnit mm) and colour of a real value; linear between points, which ascend.
struct LookPoint {
    double value = 0;
    double opacity = 0;  ///< 0 to 1
    std::array<double, 3> colour{};
    bool operator==(const LookPoint&) const = default;
};
using Look = std::vector<LookPoint>;

struct LookStyle {
    bool inverted = false;  ///< the colours run the other way; what is clear stays clear
    /// Beside the usual, > 0. Above 1, opacities times it (soft edges harden); below 1, times its square: at
    /// 0.05 one sees through all of a volume.
    double opacity = 1;
};

/// How a volume looks in 3D under a window: what the window shows black, and air, is clear; then a skin, with
/// the colour of bone towards high values. Of Hounsfield units, a window on lungs shows lung tissue and the
/// airways' walls as a haze, with all that is denser clear.
Look lookFor(const RenderScale& scale, const volume::Window& window, const LookStyle& style = {});

/// Of a value: linear between the points, the end points' beyond them.
double opacityOf(const Look& look, double value);

}  // namespace highwater::widgets
