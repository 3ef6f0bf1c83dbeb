#pragma once

#include <ATen/core/Tensor.h>

namespace highwater::engine {

/// Resamples a target to the size of a deep supervision head by nearest neighbor over the last `dims` axes.
/// The axes before them are equal in both. float or int64; contiguous on the CPU. Private to core/engine.
class TargetSampler {
public:
    /// Stores both tensors. Their last `dims` axes must be laid out as in a contiguous or channels_last
    /// tensor. On a GPU, sizes that do not divide each other need an index table: 8 bytes per output voxel of
    /// one sample (category input).
    TargetSampler(at::Tensor from, at::Tensor to, std::int64_t dims);
    /// Writes all of `to`; allocates nothing.
    void sample() const;

private:
    void makeViews();
    void makePlaces(std::int64_t first);

    at::Tensor from_, to_;
    std::int64_t dims_;
    at::Tensor strided_;  ///< strided view of from_, if the sizes divide each other
    at::Tensor places_;   ///< indices into from_'s flattened last axes; if neither is defined, a loop on the
                          ///< host samples
};

}  // namespace highwater::engine
