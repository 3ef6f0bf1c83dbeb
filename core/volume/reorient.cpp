#include <algorithm>
#include <cstdlib>

#include "core/volume/resample.h"

namespace highwater::volume {

namespace {

/// Copies rows that stay rows, forwards or backwards.
void copyRows(const float* from, const Index3& extent, const Index3& step, float* out) {
    for (std::int64_t k = 0; k < extent[2]; ++k) {
        for (std::int64_t j = 0; j < extent[1]; ++j, out += extent[0]) {
            const float* const row = from + k * step[2] + j * step[1];
            if (step[0] > 0) {
                std::copy_n(row, extent[0], out);
            } else {
                std::reverse_copy(row - extent[0] + 1, row + 1, out);
            }
        }
    }
}

}  // namespace

void reorient(const float* from, const Index3& extent, const Matrix3& matrix, float* out) {
    const Index3 strides{1, extent[0], extent[0] * extent[1]};
    Index3 step{};  // step in the source for each axis of the output
    for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t source = 0; source < 3; ++source) {
            if (matrix[source][axis] != 0) {
                step[axis] = matrix[source][axis] > 0 ? strides[source] : -strides[source];
                if (matrix[source][axis] < 0) {
                    from += (extent[source] - 1) * strides[source];
                }
            }
        }
    }
    if (std::abs(step[0]) == 1) {
        return copyRows(from, extent, step, out);
    }
    // Uses tiles of the output's first axis and the axis that is contiguous in the source, so that both stay
    // in the cache.
    constexpr std::int64_t kTile = 16;
    const bool second = std::abs(step[1]) <= std::abs(step[2]);
    const std::size_t inner = second ? 1 : 2, outer = second ? 2 : 1;
    for (std::int64_t o = 0; o < extent[outer]; ++o) {
        for (std::int64_t n0 = 0; n0 < extent[inner]; n0 += kTile) {
            for (std::int64_t i0 = 0; i0 < extent[0]; i0 += kTile) {
                const std::int64_t i1 = std::min(i0 + kTile, extent[0]);
                for (std::int64_t n = n0; n < std::min(n0 + kTile, extent[inner]); ++n) {
                    float* const row = out + o * strides[outer] + n * strides[inner];
                    const float* const source = from + o * step[outer] + n * step[inner];
                    for (std::int64_t i = i0; i < i1; ++i) {
                        row[i] = source[i * step[0]];
                    }
                }
            }
        }
    }
}

}  // namespace highwater::volume
