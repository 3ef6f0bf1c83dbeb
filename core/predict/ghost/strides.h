#pragma once

#include <optional>

#include "core/predict/ghost/ghost.h"

/// How tensors lie in memory (ATen's TensorGeometry.cpp, TensorUtils.cpp and TensorIterator.cpp): what
/// decides whether an operator returns a view or a copy. Private to core/predict.
namespace highwater::predict::ghost {

/// Those of a tensor that lies in the order of its axes.
Strides contiguousStrides(const Dims& dims);
/// Those of a tensor, in elements.
Strides stridesOf(const Tensor& tensor);
/// Whether these are a contiguous tensor's; axes with one element do not matter.
bool isContiguous(const Dims& dims, const Strides& strides);
/// Whether they are those of a channels_last tensor; axes with one element do not matter.
bool isChannelsLast(const Dims& dims, const Strides& strides);
/// Those of the same elements in another shape; std::nullopt where only a copy can have it.
std::optional<Strides> viewStrides(const Dims& from, const Strides& strides, const Dims& to);
/// Those of a new tensor that an elementwise operator makes of one that lies like this: the same order of the
/// axes, without gaps.
Strides denseStrides(const Dims& dims, const Strides& strides);
/// Whether its elements lie side by side, in whatever order of the axes (is_non_overlapping_and_dense).
bool isDense(const Tensor& tensor);
/// Whether an operator may write into it: nothing else holds it or its storage (the engine's
/// ownsItsStorage()).
bool ownsItsStorage(const Tensor& tensor);
/// Those of a tensor of one spatial axis that gets another, of one element, before it: so 1d operators become
/// 2d ones.
Strides unsqueezedStrides(const Tensor& tensor);
/// Whether a convolution takes a tensor for channels_last, in whatever number of axes.
bool seemsChannelsLast(const Tensor& tensor);
/// Says of a tensor how it lies.
void lay(TensorImpl& tensor, const Strides& strides);

/// A view of `of`, which is not part of a graph.
Tensor stridedView(const Tensor& of, const Dims& dims, const Strides& strides);
/// Machine::gradientView with strides.
Tensor stridedGradient(const Tensor& of, const Dims& dims, const Strides& strides);
/// x's shape, type and layout, without its memory and graph.
Tensor outlineOf(const Tensor& x);
/// A new tensor as an elementwise operator makes it of `like`, of its type or another.
Tensor emptyLike(Machine& machine, const Tensor& like, DType dtype);
/// The same of other sizes: its axes are in the order of like's.
Tensor emptyOrdered(Machine& machine, const Dims& dims, const Tensor& like, DType dtype);

}  // namespace highwater::predict::ghost
