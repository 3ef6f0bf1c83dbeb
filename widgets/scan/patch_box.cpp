#include "widgets/scan/patch_box.h"

#include <algorithm>

namespace highwater::widgets {

PatchBox clampedPatch(PatchBox box, const Index3& size) {
    for (std::size_t a = 0; a < 3; ++a) {
        box.extent[a] = std::max<std::int64_t>(1, box.extent[a]);
        const std::int64_t room = size[a] - box.extent[a];
        box.start[a] = room >= 0 ? std::clamp<std::int64_t>(box.start[a], 0, room) : room / 2;
    }
    return box;
}

std::array<std::array<double, 3>, 8> patchCorners(const PatchBox& box, const volume::Geometry& geometry) {
    std::array<std::array<double, 3>, 8> corners{};
    for (unsigned n = 0; n < 8; ++n) {
        std::array<double, 3> index{};
        for (unsigned a = 0; a < 3; ++a)
            index[a] = static_cast<double>(box.start[a]) - 0.5 +
                       ((n >> a & 1U) != 0 ? static_cast<double>(box.extent[a]) : 0.0);
        corners[n] = geometry.toMillimetres(index);
    }
    return corners;
}

}  // namespace highwater::widgets
