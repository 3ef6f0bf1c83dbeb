#pragma once

#include <onnx/onnx_pb.h>

#include "core/stack/onnx/file.h"

/// Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// The shortest decimal that rounds to this float, so that 0.1 is read as 0.1; 0 if it is not finite.
double plainReal(float value);

/// The numbers of a tensor with this many elements, in the form of Tensor::numbers, from any representation
/// in the file. Empty if they are in another file, their count differs from the sizes, or the type is
/// unsupported.
Numbers numbersOf(const ::onnx::TensorProto& tensor, std::int64_t count);

}  // namespace highwater::stack::onnx
