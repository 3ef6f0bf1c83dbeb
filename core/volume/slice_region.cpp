#include "core/volume/slice_region.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/volume/visit.h"

namespace highwater::volume {
namespace {

/// One direction of the traversal: the number of voxels, their stride in storage, how many are averaged to
/// one, and the stride in the result.
struct Walk {
    std::int64_t count = 0, stride = 0, block = 1, out = 0;
};

/// Calls `run` with the stride as a constant if it is 1 or -1, so that the loop can be vectorized.
template <class Run>
void withStride(std::int64_t stride, const Run& run) {
    if (stride == 1) {
        run(std::integral_constant<std::int64_t, 1>{});
    } else if (stride == -1) {
        run(std::integral_constant<std::int64_t, -1>{});
    } else {
        run(stride);
    }
}

template <class T>
void copy(const std::byte* data, std::int64_t first, const Walk& outer, const Walk& inner, double slope,
          double intercept, float* out) {
    for (std::int64_t o = 0; o < outer.count; ++o) {
        const std::byte* const line = data + (first + o * outer.stride) * std::int64_t{sizeof(T)};
        float* const to = out + o * outer.out;
        withStride(inner.stride, [&](auto stride) {
            for (std::int64_t i = 0; i < inner.count; ++i) {
                to[i * inner.out] = static_cast<float>(
                    static_cast<double>(loadVoxel<T>(line, i * stride)) * slope + intercept);
            }
        });
    }
}

/// Sums of the voxels that are not NaN, and their number.
template <class T>
struct Sums {
    using Total = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    std::vector<Total> total;
    std::vector<std::int32_t> numbers;  ///< only for floating point values; integers are never NaN

    explicit Sums(std::int64_t count)
        : total(static_cast<std::size_t>(count)),
          numbers(static_cast<std::size_t>(std::is_floating_point_v<T> ? count : 0)) {}

    void clear() {
        std::ranges::fill(total, Total{});
        std::ranges::fill(numbers, 0);
    }
    void add(const std::byte* line, std::int64_t strideOfVoxels) {
        withStride(strideOfVoxels, [&](auto stride) {
            for (std::size_t i = 0; i < total.size(); ++i) {
                const T value = loadVoxel<T>(line, static_cast<std::int64_t>(i) * stride);
                if constexpr (std::is_floating_point_v<T>) {
                    const bool number = !std::isnan(value);
                    total[i] += number ? static_cast<double>(value) : 0.0;
                    numbers[i] += number;
                } else {
                    total[i] += value;
                }
            }
        });
    }
    /// Returns the mean over `rows` lines and the positions [from, to); NaN if all values are NaN.
    double mean(std::int64_t from, std::int64_t to, std::int64_t rows) const {
        double sum = 0;
        std::int64_t count = std::is_floating_point_v<T> ? 0 : (to - from) * rows;
        for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
            sum += static_cast<double>(total[i]);
            if constexpr (std::is_floating_point_v<T>) {
                count += numbers[i];
            }
        }
        return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
    }
};

template <class T>
void average(const std::byte* data, std::int64_t first, const Walk& outer, const Walk& inner, double slope,
             double intercept, float* out) {
    Sums<T> sums(inner.count);
    for (std::int64_t o = 0, line = 0; o < outer.count; o += outer.block, ++line) {
        const std::int64_t end = std::min(o + outer.block, outer.count);
        sums.clear();
        for (std::int64_t x = o; x < end; ++x) {
            sums.add(data + (first + x * outer.stride) * std::int64_t{sizeof(T)}, inner.stride);
        }
        for (std::int64_t i = 0, n = 0; i < inner.count; i += inner.block, ++n) {
            out[line * outer.out + n * inner.out] = static_cast<float>(
                sums.mean(i, std::min(i + inner.block, inner.count), end - o) * slope + intercept);
        }
    }
}

}  // namespace

std::vector<float> regionValues(const Volume& volume, const SliceLayout& layout, std::int64_t index,
                                const SliceRegion& region) {
    std::vector<float> values(static_cast<std::size_t>(region.columns() * region.rows()));
    if (values.empty()) {
        return values;
    }
    const Header& header = volume.header();
    const auto& size = header.geometry.size;
    const std::array<std::int64_t, 3> strides{1, size[0], size[0] * size[1]};
    const auto stride = [&](int axis, bool flip) {
        const std::int64_t s = strides[static_cast<std::size_t>(axis)];
        return flip ? -s : s;
    };
    Walk outer{region.height, stride(layout.rowAxis, layout.flipRows), region.blockRows, region.columns()};
    Walk inner{region.width, stride(layout.columnAxis, layout.flipColumns), region.blockColumns, 1};
    if (std::abs(outer.stride) < std::abs(inner.stride)) {
        std::swap(outer, inner);  // along storage
    }
    const auto corner = layout.voxel(region.column, region.row, index);
    const std::int64_t first = corner[0] + corner[1] * strides[1] + corner[2] * strides[2];
    visitType(header.type, [&](auto type) {
        using T = decltype(type);
        const auto walk = outer.block == 1 && inner.block == 1 ? copy<T> : average<T>;
        walk(volume.data(), first, outer, inner, header.slope, header.intercept, values.data());
    });
    return values;
}

}  // namespace highwater::volume
