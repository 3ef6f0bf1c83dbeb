#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// The sliding windows over a batch of data. Sizes and positions are in elements along D, H, W (or the last
/// one or two of them).
namespace highwater::stack {

/// Returns the size of one window, one value per axis: Windows::size, but at most the data's size. Error if
/// the number of sizes does not match the data's axes, or a size is below 1.
base::Result<Sizes> windowSize(const Windows& windows, const Shape& data);

/// Returns where windows of `size` begin along an axis of `length` (>= size): the smallest number of windows
/// whose step is at most size * (1 - overlap), spread evenly, the first at 0, the last at length - size (as
/// nnU-Net's sliding_window_inference computes its steps).
std::vector<std::int64_t> windowStarts(std::int64_t length, std::int64_t size, double overlap);

struct WindowGrid {
    Sizes size;                  ///< size of each window
    std::vector<Sizes> starts;   ///< start positions, per axis
    std::int64_t count() const;  ///< number of windows: all combinations
    /// Returns the first corner of a window, 0 <= window < count(). The last axis varies fastest.
    Sizes corner(std::int64_t window) const;
};
constexpr std::int64_t kMostWindows = 1'000'000;
/// `data`: N, C, spatial. Errors: as windowSize; an overlap outside 0 to 0.9; more than kMostWindows.
base::Result<WindowGrid> windowGrid(const Windows& windows, const Shape& data);

/// Returns the weight of a window's output at each position along one axis. Gaussian: sigma = size / 8 around
/// the middle, scaled to a maximum of 1, and at least 1e-3 so that every position has some weight (the
/// weights of all axes are multiplied; nnU-Net's compute_gaussian). Constant: 1.
std::vector<float> windowWeights(Windows::Blend blend, std::int64_t size);

}  // namespace highwater::stack
