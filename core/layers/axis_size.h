#pragma once

#include <cstddef>
#include <cstdint>

#include "core/layers/tensors.h"

/// The size of a window's output along one axis. The formulas are those under "Shape" on torch.nn's pages of
/// Conv3d and ConvTranspose3d; this is the only place that has them.
///
/// Sizes, kernels, strides and paddings are counted in elements (voxels). `axis` counts the existing spatial
/// axes from 0: depth, height, width. Values must be within limits.h, so that nothing can overflow. A result
/// of 0 means that the layer does not fit; inferShapes (shapes.h) says why.
namespace highwater::stack {

/// Returns the value for an axis: `sizes` has one for all axes, or one per axis. Returns 1 if it has none (an
/// invalid layer).
std::int64_t along(const Sizes& sizes, std::size_t axis);

/// The kernel and the padding along one axis.
struct AxisWindow {
    std::int64_t kernel = 1, stride = 1, dilation = 1;  ///< 1 or more
    std::int64_t before = 0, after = 0;                 ///< padding at the start and at the end
    std::int64_t reach() const { return dilation * (kernel - 1); }
};

/// Returns the window of a convolution that is not transposed. Padding "same" adds reach() in total; if that
/// is odd, the additional element is at the end.
AxisWindow windowAlong(const Sizes& kernel, const Sizes& stride, const Sizes& dilation,
                       const Padding& padding, std::size_t axis);

/// Returns floor((size + before + after - reach - 1) / stride) + 1; 0 if the kernel does not fit even once.
std::int64_t slidSize(std::int64_t size, const AxisWindow& window);

/// Returns (size - 1) stride - before - after + reach + outputPadding + 1; 0 if the padding leaves nothing.
std::int64_t transposedSize(std::int64_t size, const AxisWindow& window, std::int64_t outputPadding);

/// Returns floor(size * scale), for a scale above 0.
std::int64_t scaledSize(std::int64_t size, double scale);

/// Whether `size` elements are enough for a border of `padding`: reflect needs more than `padding` elements,
/// circular at least as many (torch.nn.functional.pad).
bool canPad(PaddingMode mode, std::int64_t padding, std::int64_t size);

}  // namespace highwater::stack
