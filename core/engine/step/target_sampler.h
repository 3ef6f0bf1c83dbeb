#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace highwater::engine {

/// Writes a target at the size of a deep supervision's head: nearest neighbour over the last `dims` axes, the
/// ones before being equal. float or int64, on the CPU contiguous. Private to core/engine.
class TargetSampler {
public:
    /// Keeps both; the last axes must lie as in a contiguous or channels_last tensor. On a GPU, sizes that do
    /// not divide each other need a table there, 8 bytes for each place of a sample (category input).
    TargetSampler(at::Tensor from, at::Tensor to, std::int64_t dims);
    /// Writes all of `to` anew; allocates nothing.
    void sample() const;

private:
    void makeViews();
    void makePlaces(std::int64_t first);

    at::Tensor from_, to_;
    std::int64_t dims_;
    at::Tensor strided_;  ///< of from_, where every n-th value is taken
    at::Tensor places_;   ///< where the values lie in from_'s axes as one; neither is defined: walked by hand
};

}  // namespace highwater::engine
