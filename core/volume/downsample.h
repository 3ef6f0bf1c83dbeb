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
    std::function<void(double)> progress;  ///< called with 0 to 1, on the calling thread; may be empty
    const std::atomic<bool>* cancel = nullptr;
    /// After they are read, voxels may be released from this process's memory (forgetVoxels): for volumes
    /// that nearly fill it.
    bool forget = false;
};

/// Returns how many voxels are averaged to one along each axis, so that no axis of the result is longer than
/// `most`: ceil(size / most).
std::array<std::int64_t, 3> blockSize(const Geometry& geometry, std::int64_t most);

/// Returns the mean over blocks, as float real values (slope 1, intercept 0). Voxels that are not finite are
/// ignored; a block without finite voxels is 0. The last block of an axis may be thinner. Memory: only the
/// result, at most 4 * most^3 bytes. The geometry keeps every voxel at its position in millimeters. Error:
/// "cancelled".
base::Result<Volume> downsample(const Volume& volume, std::int64_t most,
                                const DownsampleOptions& options = {});

/// The same, slab by slab: `take` is called with k and its size[0] * size[1] means, i fastest, NaN for a
/// block without a finite voxel. Memory: three slabs.
base::Status downsampleSlabs(const Volume& volume, std::int64_t most, const DownsampleOptions& options,
                             const std::function<void(std::int64_t k, std::span<const float> slab)>& take);

/// Returns the geometry of downsample's result.
Geometry downsampledGeometry(const Geometry& geometry, std::int64_t most);

}  // namespace highwater::volume
