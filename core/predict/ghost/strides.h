#pragma once

#include <optional>
#include <span>

#include "core/predict/ghost/ghost.h"

/// The strides of tensors (ATen's TensorGeometry.cpp, TensorUtils.cpp and TensorIterator.cpp), which
/// determine whether an operator returns a view or a copy. Private to core/predict.
namespace highwater::predict::ghost {

/// The strides of a contiguous tensor.
Strides contiguousStrides(const Dims& dims);
/// A tensor's strides, in elements.
Strides stridesOf(const Tensor& tensor);
/// Whether the strides are contiguous; axes with one element do not matter.
bool isContiguous(const Dims& dims, const Strides& strides);
/// Whether the strides are those of a channels_last tensor; axes with one element do not matter.
bool isChannelsLast(const Dims& dims, const Strides& strides);
/// The strides of the same elements in another shape; std::nullopt if that needs a copy.
std::optional<Strides> viewStrides(const Dims& from, const Strides& strides, const Dims& to);
/// The strides of the result of an elementwise operator on a tensor with these strides: the same order of
/// axes, without gaps.
Strides denseStrides(const Dims& dims, const Strides& strides);
/// The same for several operands, of which the first decides where it can. A stride of 0, as of an axis that
/// is repeated, leaves the decision to the next.
Strides denseStrides(const Dims& dims, std::span<const Strides> operands);
/// Whether its elements are adjacent in memory, in any order of axes (is_non_overlapping_and_dense).
bool isDense(const Tensor& tensor);
/// Whether an operator may overwrite it: nothing else references it or its storage (the engine's
/// ownsItsStorage()).
bool ownsItsStorage(const Tensor& tensor);
/// The strides of a tensor with one spatial axis after an axis of one element is inserted before it, which
/// turns 1d operators into 2d ones.
Strides unsqueezedStrides(const Tensor& tensor);
/// Whether a convolution treats a tensor as channels_last, for any number of axes.
bool seemsChannelsLast(const Tensor& tensor);
/// Sets a tensor's strides.
void lay(TensorImpl& tensor, const Strides& strides);

/// A view of `of` outside the graph.
Tensor stridedView(const Tensor& of, const Dims& dims, const Strides& strides);
/// Machine::gradientView with strides.
Tensor stridedGradient(const Tensor& of, const Dims& dims, const Strides& strides);
/// x's shape, type and layout, without its memory and graph.
Tensor outlineOf(const Tensor& x);
/// A new tensor as an elementwise operator allocates it for `like`, with the given type.
Tensor emptyLike(Machine& machine, const Tensor& like, DType dtype);
/// As an elementwise operator allocates its result, with these sizes, for operands that broadcast to them.
Tensor emptyPairwise(Machine& machine, const Tensor& x, const Tensor& with, const Dims& output, DType dtype);
/// emptyLike with other sizes: its axes are in the order of like's.
Tensor emptyOrdered(Machine& machine, const Dims& dims, const Tensor& like, DType dtype);

}  // namespace highwater::predict::ghost
