#pragma once

#include <array>
#include <string>

#include "core/predict/tables/conv_key.h"

/// Features of convolutions whose temporaries follow different rules. Private to core/predict.
namespace highwater::predict {

/// Returns the families that a convolution belongs to, from the narrowest to one that contains all.
inline constexpr std::size_t kFamilies = 6;
std::array<std::string, kFamilies> familiesOf(const ConvKey& op, int threads, bool onednn);

/// Returns sizes in bytes; in each family, the temporaries are proportional to one of them. They are the
/// tensors, without and with channels rounded up to blocks of 16 (oneDNN), and the columns of one sample
/// (LibTorch's own kernels).
inline constexpr std::size_t kMeasures = 23;
std::array<double, kMeasures> measuresOf(const ConvKey& op);

}  // namespace highwater::predict
