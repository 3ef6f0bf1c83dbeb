#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

std::array<std::array<double, 3>, 8> patchCorners(const PatchBox& box, const volume::Geometry& geometry) {
    std::array<std::array<double, 3>, 8> corners{};
    for (unsigned n = 0; n < 8; ++n) {
        std::array<double, 3> index{};
        for (unsigned a = 0; a < 3; ++a) {
            index[a] = static_cast<double>(box.start[a]) - 0.5 +
                       ((n >> a & 1U) != 0 ? static_cast<double>(box.extent[a]) : 0.0);
        }
        corners[n] = geometry.toMillimeters(index);
    }
    return corners;
}

}  // namespace highwater::widgets
