#pragma once

#include <optional>

#include "core/layers/about.h"

/// The windows of a volume in which attention works.
namespace highwater::stack {

/// Of numbers from 1 to kMostTensorBytes; at most kMostTensorBytes.
std::int64_t cappedProduct(std::int64_t a, std::int64_t b);
/// The places of a window, or the rows of a RelativePositionBias' table for one: products of sizes.
std::int64_t placesOf(const Sizes& window);
std::int64_t distancesOf(const Sizes& window);

/// Returns an error unless there are as many sizes as `axes`, all from `low` on.
std::optional<base::Error> checkWindow(std::string_view key, const Sizes& sizes, std::int64_t low,
                                       std::size_t axes);
/// The axes of a window: 1 to 3, or 3 if it has none of these numbers.
std::size_t axesOfWindow(const Sizes& window);

inline constexpr SizesRange kWindowRange{.low = 1, .high = kMostSize, .shown = true};

}  // namespace highwater::stack
