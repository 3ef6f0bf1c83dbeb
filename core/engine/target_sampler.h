#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace highwater::engine {

/// Writes a target at the size of a deep supervision's head: nearest neighbour over the last `dims` axes, the
/// ones before being equal. float or int64, on the CPU contiguous. Private to core/engine.
class TargetSampler {
public:
    /// Keeps both. Where they do not lie on the CPU, contiguous, `dims` small tensors are made (category
    /// input).
    TargetSampler(at::Tensor from, at::Tensor to, std::int64_t dims);
    /// Writes all of `to` anew; allocates nothing.
    void sample() const;

private:
    void makePlaces();
    void sampleByIndex() const;

    at::Tensor from_, to_;
    std::int64_t dims_;
    std::vector<at::Tensor> places_;  ///< for each axis where the values lie; empty: walked by hand
};

}  // namespace highwater::engine
