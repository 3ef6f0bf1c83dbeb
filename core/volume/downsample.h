#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "core/base/result.h"
#include "core/volume/volume.h"

namespace highwater::volume {

struct DownsampleOptions {
    std::function<void(double)> progress;  ///< 0 to 1, on the calling thread; may be empty
    const std::atomic<bool>* cancel = nullptr;
    /// Voxels read may leave this process's memory again (forgetVoxels): for volumes that nearly fill it.
    bool forget = false;
};

/// How many voxels become one along each axis so that none is longer than `most`: ceil(size / most).
std::array<std::int64_t, 3> blockSize(const Geometry& geometry, std::int64_t most);

/// The mean over blocks, as float real values (slope 1, intercept 0); voxels that are not finite do not
/// count, and a block of only such is 0. The last block of an axis may be thinner. Memory: the result alone,
/// at most 4 * most^3 bytes. The geometry keeps every voxel at its millimetres. Error: "cancelled".
base::Result<Volume> downsample(const Volume& volume, std::int64_t most,
                                const DownsampleOptions& options = {});

/// The same, slab after slab: `take` gets k and its size[0] * size[1] means, i fastest,
/// NaN for a block without a finite voxel. Memory: three slabs.
base::Status downsampleSlabs(const Volume& volume, std::int64_t most, const DownsampleOptions& options,
                             const std::function<void(std::int64_t k, std::span<const float> slab)>& take);

/// The geometry of what downsample gives.
Geometry downsampledGeometry(const Geometry& geometry, std::int64_t most);

}  // namespace highwater::volume
