#pragma once

#include <array>
#include <vector>

#include "core/volume/windowing.h"

namespace highwater::widgets {

struct RenderScale;

/// The opacity (per RenderScale::opacityUnit mm) and the color of a real value. Looks are linear between
/// points, which must ascend by value.
struct LookPoint {
    double value = 0;
    double opacity = 0;  ///< 0 to 1
    std::array<double, 3> color{};
    bool operator==(const LookPoint&) const = default;
};
using Look = std::vector<LookPoint>;

struct LookStyle {
    bool inverted = false;  ///< the order of the colors is reversed; transparent values stay transparent
    /// Opacity factor > 0, where 1 is the usual opacity. Above 1, opacities are multiplied by it (soft edges
    /// get harder). Below 1, they are multiplied by its square: at 0.05 one sees through the whole volume.
    double opacity = 1;
};

/// How a volume looks in 3D under a window. Air, and whatever the window shows black, is transparent; then
/// follow skin colors, and the color of bone toward high values. For Hounsfield units, a lung window shows
/// lung tissue and the walls of the airways as a haze, and everything denser is transparent.
Look lookFor(const RenderScale& scale, const volume::Window& window, const LookStyle& style = {});

/// The opacity of a value: linear between the points, and constant beyond the first and the last one.
double opacityOf(const Look& look, double value);

}  // namespace highwater::widgets
