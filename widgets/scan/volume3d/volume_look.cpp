#include "widgets/scan/volume3d/volume_look.h"

#include <algorithm>
#include <cmath>

#include "widgets/scan/volume3d/render_volume.h"

namespace highwater::widgets {
namespace {

using Color = std::array<double, 3>;

constexpr Color kSkin{0.80, 0.62, 0.50};
constexpr Color kFlesh{0.84, 0.67, 0.55};
constexpr Color kBone{0.93, 0.88, 0.78};
constexpr Color kAirway{0.55, 0.68, 0.80};
constexpr Color kLung{0.85, 0.60, 0.56};
constexpr double kLungLevel = -400;  // HU; windows with a level below it show lungs

Color mix(const Color& a, const Color& b, double share) {
    return {std::lerp(a[0], b[0], share), std::lerp(a[1], b[1], share), std::lerp(a[2], b[2], share)};
}

Look lungLook() {
    return {{-960, 0, kAirway},  {-900, 0.05, kAirway}, {-700, 0.10, kLung},
            {-450, 0.16, kLung}, {-250, 0.03, kLung},   {-200, 0, kFlesh}};
}

/// CT: skin while the window shows soft tissue; a bone window (level 300 and more) shows bone.
Look hounsfieldLook(const volume::Window& window) {
    if (window.level() < kLungLevel) {
        return lungLook();
    }
    const double bone = std::clamp((window.level() - 100) / 200, 0.0, 1.0);
    const double from = std::lerp(-300, 200, bone);
    return {{from, 0, mix(kSkin, kBone, bone)},
            {from + 150, 1, mix(kFlesh, kBone, bone)},
            {from + 900, 1, kBone}};
}

/// MR: the outermost surface; raising the window's lower end peels it off.
Look plainLook(const RenderScale& v, const volume::Window& window) {
    const double peel = std::max(0.0, window.low - v.usual.low);
    const double range = v.high - v.low;
    const double from = std::min(v.surface + peel, v.high - 0.05 * range);
    const double soft = std::max(0.6 * (v.surface - v.low), 0.01 * range);
    return {{from, 0, kSkin}, {from + soft, 1, kFlesh}, {from + soft + 0.5 * range, 1, kBone}};
}

/// Multiplies the opacities by a factor, up to 1; adds a point where a segment reaches 1.
Look faded(const Look& look, double factor) {
    Look out;
    for (std::size_t n = 0; n < look.size(); ++n) {
        if (n > 0) {
            const LookPoint &a = look[n - 1], &b = look[n];
            const double share = (1 / factor - a.opacity) / (b.opacity - a.opacity);
            if (share > 1e-6 && share < 1 - 1e-6) {
                out.push_back({std::lerp(a.value, b.value, share), 1, mix(a.color, b.color, share)});
            }
        }
        out.push_back({look[n].value, std::min(1.0, look[n].opacity * factor), look[n].color});
    }
    return out;
}

}  // namespace

Look lookFor(const RenderScale& scale, const volume::Window& window, const LookStyle& style) {
    Look look = scale.hounsfield ? hounsfieldLook(window) : plainLook(scale, window);
    if (style.inverted) {
        for (std::size_t n = 0; n < look.size() / 2; ++n) {
            std::swap(look[n].color, look[look.size() - 1 - n].color);
        }
    }
    if (style.opacity == 1) {
        return look;
    }
    return faded(look, style.opacity < 1 ? style.opacity * style.opacity : style.opacity);
}

double opacityOf(const Look& look, double value) {
    const auto after = std::ranges::find_if(look, [=](const LookPoint& p) { return p.value >= value; });
    if (after == look.end()) {
        return look.empty() ? 0 : look.back().opacity;
    }
    if (after == look.begin()) {
        return after->opacity;
    }
    const LookPoint &a = *(after - 1), &b = *after;
    return std::lerp(a.opacity, b.opacity, (value - a.value) / (b.value - a.value));
}

}  // namespace highwater::widgets
