#pragma once

#include <string_view>

#include "core/stack/pytorch/converter.h"

/// Converts each operator of PyTorch to a layer. Private to core/stack/pytorch.
namespace highwater::stack::pytorch {

using Convert = void (*)(Converter&);

/// Null for an operator that no layer implements.
Convert converterOf(std::string_view name);

void conv(Converter& c);
void convTranspose(Converter& c);
void linear(Converter& c);

void batchNorm(Converter& c);
void instanceNorm(Converter& c);
void groupNorm(Converter& c);
void layerNorm(Converter& c);
void activation(Converter& c);
void clamp(Converter& c);
void addcmul(Converter& c);
void prelu(Converter& c);
void softmax(Converter& c);
void dropout(Converter& c);

void pool(Converter& c);
void adaptivePool(Converter& c);
void mean(Converter& c);
void reduce(Converter& c);
void upsample(Converter& c);
void pad(Converter& c);

/// The sum or product of an activation and a parameter, or the product with random numbers; false if the call
/// is neither.
bool withConstant(Converter& c, const std::string& kind);
void arithmetic(Converter& c);
void divide(Converter& c);
void negative(Converter& c);
void concat(Converter& c);
void repeat(Converter& c);

void viewOf(Converter& c);
void sameAs(Converter& c);
void permute(Converter& c);
void select(Converter& c);
void matmul(Converter& c);
void einsum(Converter& c);
void attention(Converter& c);
void stack(Converter& c);
void clone(Converter& c);
void detach(Converter& c);
void slice(Converter& c);
void split(Converter& c);
void roll(Converter& c);

}  // namespace highwater::stack::pytorch
