#include "core/volume/patch.h"

#include <algorithm>

#include "core/volume/uniform.h"

namespace highwater::volume {

PatchBox clampPatch(const PatchBox& box, const Index3& size) {
    PatchBox out = box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        out.extent[axis] = std::max<std::int64_t>(1, box.extent[axis]);
        const std::int64_t room = size[axis] - out.extent[axis];
        out.start[axis] = room >= 0 ? std::clamp<std::int64_t>(box.start[axis], 0, room) : -(-room / 2);
    }
    return out;
}

PatchBox randomPatch(const Index3& size, const Index3& extent, std::mt19937_64& random) {
    PatchBox box{{}, extent};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.start[axis] = below(random, std::max<std::int64_t>(size[axis] - extent[axis], 0) + 1);
    }
    return clampPatch(box, size);
}

PatchBox randomForegroundPatch(const Volume& volume, const Index3& extent, double threshold,
                               std::mt19937_64& random) {
    const Index3& size = volume.geometry().size;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        Index3 voxel{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            voxel[axis] = below(random, size[axis]);
        }
        if (volume.at(voxel[0], voxel[1], voxel[2]) > threshold) {
            PatchBox box{{}, extent};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                box.start[axis] = voxel[axis] - extent[axis] / 2;
            }
            return clampPatch(box, size);
        }
    }
    return randomPatch(size, extent, random);
}

}  // namespace highwater::volume
