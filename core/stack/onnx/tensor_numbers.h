#pragma once

#include <onnx/onnx_pb.h>

#include "core/stack/onnx/file.h"

/// Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// A float as the shortest decimal that stands for it, so that 0.1 is what was written as 0.1; 0 for what is
/// not finite.
double plainReal(float value);

/// The numbers of a tensor of so many, as Tensor::numbers has them, however the file holds them. None for
/// those that lie in another file, that are not as many as the sizes say, or of another type.
Numbers numbersOf(const ::onnx::TensorProto& tensor, std::int64_t count);

}  // namespace highwater::stack::onnx
