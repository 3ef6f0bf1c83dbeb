#pragma once

#include "core/stack/onnx/op.h"
#include "core/stack/onnx/shapes.h"

/// Translates each operator of ONNX to calls of PyTorch. Private to core/stack/onnx.
namespace highwater::stack::onnx {

void conv(Op& op);
void convTranspose(Op& op);
void gemm(Op& op);
void matmul(Op& op);

void batchNorm(Op& op);
void instanceNorm(Op& op);
void layerNorm(Op& op);
void groupNorm(Op& op);
void localResponseNorm(Op& op);

void activation(Op& op);
void clip(Op& op);
void prelu(Op& op);
void softmax(Op& op);
void dropout(Op& op);

void maxPool(Op& op);
void averagePool(Op& op);
void globalPool(Op& op);
void reduceMean(Op& op);
void resize(Op& op);
void pad(Op& op);

void arithmetic(Op& op);
void sum(Op& op);
void concat(Op& op);
void tile(Op& op);
void random(Op& op);
void less(Op& op);

void identity(Op& op);
void cast(Op& op);
void view(Op& op);
void expand(Op& op);
void transpose(Op& op);
void slice(Op& op);

/// "conv3d", "max_pool2d": PyTorch's name for tensors with this many axes.
std::string named(std::string_view stem, const Shape& shape, std::string_view tail = "d");

}  // namespace highwater::stack::onnx
