#include "core/cases/host_memory.h"

#include <algorithm>
#include <cstring>

namespace highwater::cases {
namespace {

using base::Bytes;

constexpr Bytes kFloat64 = 8, kFloat32 = 4, kFloat16 = 2, kInt64 = 8;

/// skimage.transform.resize of one channel in float64: the result; splines of a higher order than 1 also need
/// the padded input (12 voxels on each side: scipy.ndimage.zoom, mode "nearest") and its filtered copy.
Bytes resizeMemory(const Size& from, const Size& to, int order) {
    constexpr std::int64_t kPadding = 2 * 12;
    const Size padded{from[0] + kPadding, from[1] + kPadding, from[2] + kPadding};
    return kFloat64 * voxels(to) + (order > 1 ? 2 * kFloat64 * voxels(padded) : 0);
}

/// The same where slices are resampled one by one and joined by map_coordinates(). Its coordinates are three
/// float64 for each voxel, made from a grid of as many integers. From the second channel on, those of the one
/// before are still referenced while the grid is made.
Bytes separateMemory(std::int64_t channels, const Size& from, const Size& to, const Resampling& how) {
    const auto axis = static_cast<std::size_t>(how.coarseAxis);
    Size joined = to;
    joined[axis] = from[axis];
    if (from[axis] == to[axis]) {
        return kFloat64 * voxels(joined);
    }
    const Bytes coordinates = (channels > 1 ? 9 : 6) * kFloat64 * voxels(to);
    const Bytes filtered = how.orderZ > 1 ? 2 * kFloat64 * voxels(joined) : 0;
    return kFloat64 * voxels(joined) + coordinates + filtered + kFloat64 * voxels(to);
}

/// From an array of logits in float16 to labels, where `resampled` tells whether the array is one of its own.
Bytes labelsMemory(std::int64_t n, bool resampled, const HostOptions& options) {
    const Bytes logits = resampled ? kFloat16 * options.heads * n : 0;
    const Bytes probabilities = kFloat32 * options.heads * n;
    if (options.probabilities) {  // float(), softmax; argmax along the first axis copies the array
        return logits + 2 * probabilities + (options.regions ? 0 : kInt64 * n);
    }
    if (options.regions) {  // float(), sigmoid
        return logits + 2 * probabilities;
    }
    return logits + kFloat16 * options.heads * n + kInt64 * n;
}

}  // namespace

Bytes HostMemory::peak() const {
    return std::max({preprocessing, windows, exporting});
}

const char* HostMemory::phase() const {
    return exporting == peak() ? "export" : windows == peak() ? "windows" : "preprocessing";
}

Bytes resamplingMemory(std::int64_t channels, const Size& from, const Size& to, const Resampling& how,
                       Bytes item) {
    if (from == to) {
        return 0;
    }
    return item * channels * voxels(to) + kFloat64 * channels * voxels(from) +
           (how.coarseAxis >= 0 ? separateMemory(channels, from, to, how)
                                : resizeMemory(from, to, how.order));
}

HostMemory hostMemory(const CaseSize& size, const HostOptions& options) {
    const std::int64_t scan = voxels(size.original), resampled = voxels(size.resampled),
                       padded = voxels(size.padded);
    HostMemory made;
    // The array as read and the copy that is normalized, both float32; the mask of nonzero voxels; while it
    // is normalized, a temporary of one channel.
    made.preprocessing = 2 * kFloat32 * options.images * scan + scan +
                         std::max(kFloat32 * scan, resamplingMemory(options.images, size.original,
                                                                    size.resampled, size.data, kFloat32));

    const Bytes image = kFloat32 * options.channels * resampled;  // held to the end
    const Bytes padding = size.padded == size.resampled ? 0 : kFloat32 * options.channels * padded;
    const Bytes logits = kFloat16 * options.heads * resampled;
    made.windows = image + padding + (options.folds > 1 ? logits : 0);
    if (options.onDevice) {
        made.windows += logits;
    } else {
        // As on the device: logits, the sum of weights, isinf(): 5 bytes for each voxel and class. Four
        // windows of the image, the window's logits and those of the one before.
        made.windows += (2 * kFloat16 + 1) * options.heads * padded + kFloat16 * padded +
                        4 * kFloat32 * options.channels * options.patch +
                        2 * kFloat16 * options.heads * options.patch;
    }
    const Bytes held = image + (options.onDevice ? logits : kFloat16 * options.heads * padded);
    made.exporting = held + std::max(resamplingMemory(options.heads, size.resampled, size.original,
                                                      size.probabilities, kFloat16),
                                     labelsMemory(scan, size.original != size.resampled, options));
    return made;
}

}  // namespace highwater::cases
