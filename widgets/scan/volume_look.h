#pragma once

#include <array>
#include <vector>

#include "core/volume/windowing.h"

namespace highwater::widgets {

struct RenderVolume;

/// Opacity (of one millimetre) and colour of a real value; linear between points, which ascend.
struct LookPoint {
    double value = 0;
    double opacity = 0;  ///< 0 to 1
    std::array<double, 3> colour{};
    bool operator==(const LookPoint&) const = default;
};
using Look = std::vector<LookPoint>;

/// How a volume looks in 3D under a window: what the window shows black, and air, is clear; then a skin, with
/// the colour of bone towards high values.
Look lookFor(const RenderVolume& volume, const volume::Window& window);

}  // namespace highwater::widgets
