#pragma once

#include <cstddef>
#include <cstdint>

#include "core/stack/experiment.h"

/// What a layer makes of the size along one axis. The formulas are those under "Shape" on torch.nn's pages of
/// Conv3d, ConvTranspose3d, MaxPool3d, AvgPool3d (ceil_mode off) and Upsample; nothing else writes them down.
///
/// Sizes, kernels, strides and paddings are counted in elements (voxels); `axis` counts the spatial axes from
/// 0 (depth, height, width as far as there are). Values lie within limits.h, and nothing can overflow then. A
/// size of 0 as a result says that the layer does not fit; inferShapes (shapes.h) has the line that says why.
namespace highwater::stack {

/// The number for an axis: `sizes` has one for all, or one an axis. 1 where it has none (an invalid layer).
std::int64_t along(const Sizes& sizes, std::size_t axis);

/// How a kernel lies along one axis.
struct AxisWindow {
    std::int64_t kernel = 1, stride = 1, dilation = 1;  ///< 1 or more
    std::int64_t before = 0, after = 0;                 ///< what is padded at the two ends
    std::int64_t reach() const { return dilation * (kernel - 1); }
};

/// What convolutions without transposition share. Padding "same" adds reach() in all, the odd one at the end.
AxisWindow windowAlong(const Sizes& kernel, const Sizes& stride, const Sizes& dilation,
                       const Padding& padding, std::size_t axis);

/// floor((size + before + after - reach - 1) / stride) + 1; 0 where the kernel does not fit in once.
std::int64_t slidSize(std::int64_t size, const AxisWindow& window);

/// (size - 1) stride - before - after + reach + outputPadding + 1; 0 where the padding leaves nothing.
std::int64_t transposedSize(std::int64_t size, const AxisWindow& window, std::int64_t outputPadding);

/// As slidSize, but avg_pool3d has to fit in without its padding. `dims`: the spatial axes, 1 to 3.
std::int64_t pooledSize(std::int64_t size, const Pool& pool, int dims, std::size_t axis);

/// floor(size * scale), for a scale above 0.
std::int64_t scaledSize(std::int64_t size, double scale);

/// Whether a border of `padding` can be made of `size` elements: reflect needs more than that many, circular
/// as many (torch.nn.functional.pad).
bool canPad(PaddingMode mode, std::int64_t padding, std::int64_t size);

/// The output's size along an axis, of a valid layer but Merge and Block. Heads pass their input on.
std::int64_t outputSize(std::int64_t size, const Op& op, int dims, std::size_t axis);

/// By how much a layer changes sizes apart from what is lost or padded at the ends: to about size * up /
/// down.
struct AxisScale {
    std::int64_t down = 1, up = 1;  ///< from 1 to kMostExtent
};
/// {1, 1} for what keeps sizes, for Merge, Block and an upsample to a fixed size or by no whole number (or
/// one part of a whole). The layer may be invalid: what is out of range counts as the nearest that is not.
AxisScale scaleAlong(const Op& op, std::size_t axis);

}  // namespace highwater::stack
