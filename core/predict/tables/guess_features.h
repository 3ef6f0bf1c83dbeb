#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/predict/tables/conv_key.h"

/// What tells convolutions apart whose temporaries follow different rules. Private to core/predict.
namespace highwater::predict {

/// The families that a convolution belongs to, from the narrowest to one that holds all.
inline constexpr std::size_t kFamilies = 6;
std::array<std::string, kFamilies> familiesOf(const ConvKey& op, int threads, bool onednn);

/// Sizes in bytes that temporaries are proportional to in one family or another: the tensors as they are and
/// with channels filled up to blocks of 16 (oneDNN), and the columns of one sample (LibTorch's own kernels).
inline constexpr std::size_t kMeasures = 23;
std::array<double, kMeasures> measuresOf(const ConvKey& op);

}  // namespace highwater::predict
