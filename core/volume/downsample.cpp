#include "core/volume/downsample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/volume/forget.h"
#include "core/volume/statistics.h"
#include "core/volume/visit.h"

namespace highwater::volume {
namespace {

/// One slab of the result: sums and counts of the finite voxels in each block.
struct Slab {
    std::vector<double> sums;
    std::vector<std::int32_t> counts;
};

template <class T>
void addRow(const std::byte* row, std::int64_t size, std::int64_t factor, double* sums,
            std::int32_t* counts) {
    for (std::int64_t begin = 0, block = 0; begin < size; begin += factor, ++block) {
        double sum = 0;
        std::int32_t count = 0;
        for (std::int64_t i = begin; i < std::min(begin + factor, size); ++i) {
            const T value = loadVoxel<T>(row, i);
            if (isFiniteVoxel(value)) {
                sum += static_cast<double>(value);
                ++count;
            }
        }
        sums[block] += sum;
        counts[block] += count;
    }
}

void sumSlab(const Volume& volume, const std::array<std::int64_t, 3>& factor, std::int64_t width,
             std::int64_t slab, Slab& out) {
    std::fill(out.sums.begin(), out.sums.end(), 0.0);
    std::fill(out.counts.begin(), out.counts.end(), 0);
    const auto& size = volume.geometry().size;
    const base::Bytes rowBytes = size[0] * voxelBytes(volume.header().type);
    visitType(volume.header().type, [&](auto type) {
        for (std::int64_t k = slab * factor[2]; k < std::min((slab + 1) * factor[2], size[2]); ++k) {
            for (std::int64_t j = 0; j < size[1]; ++j) {
                const std::int64_t at = j / factor[1] * width;
                addRow<decltype(type)>(volume.data() + (k * size[1] + j) * rowBytes, size[0], factor[0],
                                       out.sums.data() + at, out.counts.data() + at);
            }
        }
    });
}

}  // namespace

std::array<std::int64_t, 3> blockSize(const Geometry& geometry, std::int64_t most) {
    std::array<std::int64_t, 3> factor{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        factor[axis] = std::max<std::int64_t>(1, (geometry.size[axis] + most - 1) / most);
    }
    return factor;
}

Geometry downsampledGeometry(const Geometry& geometry, std::int64_t most) {
    const auto factor = blockSize(geometry, std::max<std::int64_t>(most, 1));
    Geometry small = geometry;
    std::array<double, 3> firstCenter{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        small.size[axis] = (geometry.size[axis] + factor[axis] - 1) / factor[axis];
        small.spacing[axis] = geometry.spacing[axis] * static_cast<double>(factor[axis]);
        firstCenter[axis] = static_cast<double>(factor[axis] - 1) / 2;
    }
    small.origin = geometry.toMillimeters(firstCenter);
    return small;
}

base::Status downsampleSlabs(const Volume& volume, std::int64_t most, const DownsampleOptions& options,
                             const std::function<void(std::int64_t, std::span<const float>)>& take) {
    const auto factor = blockSize(volume.geometry(), std::max<std::int64_t>(most, 1));
    const auto size = downsampledGeometry(volume.geometry(), most).size;
    const auto& full = volume.geometry().size;
    const base::Bytes sliceBytes = full[0] * full[1] * voxelBytes(volume.header().type);
    const auto area = static_cast<std::size_t>(size[0] * size[1]);
    Slab slab{std::vector<double>(area), std::vector<std::int32_t>(area)};
    std::vector<float> means(area);
    const double slope = volume.header().slope;
    const double intercept = volume.header().intercept;
    for (std::int64_t k = 0; k < size[2]; ++k) {
        if (options.cancel && options.cancel->load(std::memory_order_relaxed)) {
            return base::Error{"cancelled"};
        }
        sumSlab(volume, factor, size[0], k, slab);
        if (options.forget) {
            forgetVoxels(volume, k * factor[2] * sliceBytes,
                         std::min((k + 1) * factor[2], full[2]) * sliceBytes);
        }
        for (std::size_t at = 0; at < area; ++at) {
            const double mean = slab.counts[at] ? slab.sums[at] / slab.counts[at] * slope + intercept
                                                : std::numeric_limits<double>::quiet_NaN();
            means[at] = static_cast<float>(mean);
        }
        take(k, means);
        if (options.progress) {
            options.progress(static_cast<double>(k + 1) / static_cast<double>(size[2]));
        }
    }
    return {};
}

base::Result<Volume> downsample(const Volume& volume, std::int64_t most, const DownsampleOptions& options) {
    Header header = volume.header();
    header.geometry = downsampledGeometry(volume.geometry(), most);
    header.type = VoxelType::F32;
    header.slope = 1;
    header.intercept = 0;
    auto voxels = std::make_shared<std::vector<float>>();
    voxels->reserve(static_cast<std::size_t>(header.geometry.voxels()));
    const auto done = downsampleSlabs(volume, most, options, [&](std::int64_t, std::span<const float> slab) {
        for (const float mean : slab) {
            voxels->push_back(std::isnan(mean) ? 0 : mean);
        }
    });
    if (!done) {
        return done.error();
    }
    StatisticsPass pass(VoxelType::F32);
    const auto* bytes = reinterpret_cast<const std::byte*>(voxels->data());
    pass.add(bytes, header.geometry.voxels());
    const Statistics statistics = pass.result(1, 0);
    header.min = statistics.min;
    header.max = statistics.max;
    header.mean = statistics.mean;
    return Volume(std::move(header), std::shared_ptr<const std::byte>(voxels, bytes));
}

}  // namespace highwater::volume
