#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// Sliding windows over a batch of data: which there are. Sizes and places are elements along D, H, W (or the
/// last one or two of them).
namespace highwater::stack {

/// The size of one window, an axis each: Windows::size, at most the data's. Error: the number of sizes does
/// not fit the data's axes, or a size is below 1.
base::Result<Sizes> windowSize(const Windows& windows, const Shape& data);

/// Where windows of `size` begin along an axis of `length` (>= size): the least number of them whose step is
/// at most size * (1 - overlap), spread evenly, the first at 0, the last at length - size (as nnU-Net's
/// sliding_window_inference computes its steps).
std::vector<std::int64_t> windowStarts(std::int64_t length, std::int64_t size, double overlap);

struct WindowGrid {
    Sizes size;                  ///< of each window
    std::vector<Sizes> starts;   ///< for each axis, where windows begin
    std::int64_t count() const;  ///< of all combinations
    /// The first corner of a window, 0 <= window < count(); the last axis turns fastest.
    Sizes corner(std::int64_t window) const;
};
constexpr std::int64_t kMostWindows = 1'000'000;
/// `data`: N, C, spatial. Errors: as windowSize; an overlap outside 0 to 0.9; more than kMostWindows.
base::Result<WindowGrid> windowGrid(const Windows& windows, const Shape& data);

/// What a window's output counts at each of its places along one axis. Gaussian: sigma = size / 8 around the
/// middle, scaled to a maximum of 1, and at least 1e-3 so that no place goes without (the weights of an axis
/// are multiplied with the others'; nnU-Net's compute_gaussian). Constant: 1.
std::vector<float> windowWeights(Windows::Blend blend, std::int64_t size);

}  // namespace highwater::stack
