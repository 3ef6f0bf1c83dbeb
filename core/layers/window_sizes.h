#pragma once

#include <optional>

#include "core/layers/about.h"

/// The windows of a volume within which attention is computed.
namespace highwater::stack {

/// For numbers from 1 to kMostTensorBytes; the result is capped at kMostTensorBytes.
std::int64_t cappedProduct(std::int64_t a, std::int64_t b);
/// The number of positions in a window, or of rows in a RelativePositionBias' table: products of sizes.
std::int64_t placesOf(const Sizes& window);
std::int64_t distancesOf(const Sizes& window);

/// Returns an error unless the number of sizes is `axes` and all are at least `low`.
std::optional<base::Error> checkWindow(std::string_view key, const Sizes& sizes, std::int64_t low,
                                       std::size_t axes);
/// The number of axes of a window: 1 to 3; 3 if it has an invalid number.
std::size_t axesOfWindow(const Sizes& window);

inline constexpr SizesRange kWindowRange{.low = 1, .high = kMostSize, .shown = true};

}  // namespace highwater::stack
