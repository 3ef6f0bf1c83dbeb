#pragma once

#include <cstdint>

#include "core/base/units.h"

/// The largest values that an experiment may contain. They are far beyond any machine, and ensure that no sum
/// or product of a valid stack overflows 64 bits: one tensor or one layer's parameters take at most 1 PiB,
/// and kMostLayers of them still sum to less than 2^63 bytes.
namespace highwater::stack {

inline constexpr std::int64_t kMostSize = (std::int64_t{1} << 31) - 1;  ///< channels, batch, a spatial size
inline constexpr std::int64_t kMostExtent = std::int64_t{1} << 20;      ///< kernel, stride, dilation, padding
inline constexpr double kMostScale = 1024;                              ///< upsample's scale_factor
inline constexpr base::Bytes kMostTensorBytes = base::Bytes{1} << 50;
inline constexpr std::size_t kMostLayers = 4000;  ///< including blocks
inline constexpr int kDeepestBlock = 32;
inline constexpr std::size_t kLongestText = 4096;
inline constexpr int kMostAxes = 8;              ///< axes of a tensor, including the batch
inline constexpr std::size_t kMostNumbers = 10;  ///< numbers of a pad: two for each axis of N, C, D, H, W
inline constexpr std::size_t kMostJoined = 256;  ///< outputs that one concat reads

}  // namespace highwater::stack
