#include "core/volume/patch.h"

#include <algorithm>

#include "core/volume/uniform.h"
#include "core/volume/visit.h"

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

namespace {

constexpr std::int64_t kBlock = 4096;  ///< voxels

/// Calls `take` for each stored voxel in [begin, end), in order, with whether it is above the threshold;
/// stops when `take` returns true.
template <class Take>
void look(const Volume& volume, double threshold, std::int64_t begin, std::int64_t end, Take take) {
    const double slope = volume.header().slope, intercept = volume.header().intercept;
    visitType(volume.header().type, [&](auto type) {
        for (std::int64_t i = begin; i < end; ++i) {
            const auto stored = static_cast<double>(loadVoxel<decltype(type)>(volume.data(), i));
            if (take(i, stored * slope + intercept > threshold)) {
                return;
            }
        }
    });
}

/// Returns the n-th foreground voxel, from 0.
Index3 foregroundVoxel(const Volume& volume, double threshold, const std::vector<std::int64_t>& counts,
                       std::int64_t n) {
    const auto block = std::upper_bound(counts.begin(), counts.end(), n) - counts.begin();
    n -= block > 0 ? counts[static_cast<std::size_t>(block - 1)] : 0;
    std::int64_t at = 0;
    look(volume, threshold, block * kBlock, volume.geometry().voxels(), [&](std::int64_t i, bool over) {
        at = i;
        return over && n-- == 0;
    });
    const Index3& size = volume.geometry().size;
    return {at % size[0], at / size[0] % size[1], at / size[0] / size[1]};
}

}  // namespace

std::vector<std::int64_t> countForeground(const Volume& volume, double threshold) {
    const std::int64_t voxels = volume.geometry().voxels();
    std::vector<std::int64_t> counts;
    counts.reserve(static_cast<std::size_t>((voxels + kBlock - 1) / kBlock));
    std::int64_t count = 0;
    for (std::int64_t begin = 0; begin < voxels; begin += kBlock) {
        look(volume, threshold, begin, std::min(begin + kBlock, voxels), [&](std::int64_t, bool over) {
            count += over ? 1 : 0;
            return false;
        });
        counts.push_back(count);
    }
    return counts;
}

PatchBox randomForegroundPatch(const Volume& volume, const Index3& extent, double threshold,
                               const std::vector<std::int64_t>& counts, std::mt19937_64& random) {
    const Index3& size = volume.geometry().size;
    const auto around = [&](const Index3& voxel) {
        PatchBox box{{}, extent};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.start[axis] = voxel[axis] - extent[axis] / 2;
        }
        return clampPatch(box, size);
    };
    for (int attempt = 0; attempt < 1000; ++attempt) {
        Index3 voxel{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            voxel[axis] = below(random, size[axis]);
        }
        if (volume.at(voxel[0], voxel[1], voxel[2]) > threshold) {
            return around(voxel);
        }
    }
    const std::int64_t all = counts.empty() ? 0 : counts.back();
    if (all == 0) {
        return randomPatch(size, extent, random);
    }
    return around(foregroundVoxel(volume, threshold, counts, below(random, all)));
}

}  // namespace highwater::volume
