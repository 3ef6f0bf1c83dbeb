#include "widgets/scan/volume_look.h"

#include <algorithm>
#include <cmath>

#include "widgets/scan/render_volume.h"

namespace highwater::widgets {
namespace {

constexpr std::array<double, 3> kSkin{0.80, 0.62, 0.50};
constexpr std::array<double, 3> kFlesh{0.84, 0.67, 0.55};
constexpr std::array<double, 3> kBone{0.93, 0.88, 0.78};

std::array<double, 3> mix(const std::array<double, 3>& a, const std::array<double, 3>& b, double share) {
    return {std::lerp(a[0], b[0], share), std::lerp(a[1], b[1], share), std::lerp(a[2], b[2], share)};
}

/// CT: skin as long as the window looks at soft tissue; a window on bone (level 300 and more) shows bone.
Look hounsfieldLook(const volume::Window& window) {
    const double bone = std::clamp((window.level() - 100) / 200, 0.0, 1.0);
    const double from = std::lerp(-300, 200, bone);
    return {{from, 0, mix(kSkin, kBone, bone)},
            {from + 150, 1, mix(kFlesh, kBone, bone)},
            {from + 900, 1, kBone}};
}

/// MR: the outermost surface; raising the window's lower end peels it off.
Look plainLook(const RenderVolume& v, const volume::Window& window) {
    const double peel = std::max(0.0, window.low - v.usual.low);
    const double range = v.high - v.low;
    const double from = std::min(v.surface + peel, v.high - 0.05 * range);
    const double soft = std::max(0.6 * (v.surface - v.low), 0.01 * range);
    return {{from, 0, kSkin}, {from + soft, 1, kFlesh}, {from + soft + 0.5 * range, 1, kBone}};
}

}  // namespace

Look lookFor(const RenderVolume& volume, const volume::Window& window) {
    return volume.hounsfield ? hounsfieldLook(window) : plainLook(volume, window);
}

}  // namespace highwater::widgets
