#pragma once

#include <vector>

#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/strides.h"
#include "core/predict/tables/profile.h"

/// The temporary memory of LibTorch's kernels that sum over axes (ATen's native/cuda/Reduce.cuh and
/// TensorIterator.cpp). Compared with LibTorch 2.11 on the pretended device. Private to core/predict.
namespace highwater::predict::ghost {

/// The blocks that they allocate, in bytes, besides the result.
struct SharedSums {
    /// The wider sums of a low-precision type if the kernel runs in parts; 0 if there are none. Freed at the
    /// end.
    Bytes wide = 0;
    /// If several thread blocks share a result: their sums, and a counter for each group of blocks. Both are
    /// freed before the next part runs.
    struct Part {
        Bytes sums = 0, counters = 0;
        bool operator==(const Part&) const = default;
    };
    std::vector<Part> parts;  ///< the parts that have any
    bool operator==(const SharedSums&) const = default;
};

/// For a tensor with these strides and more than 0 elements, over the axes `summed`.
SharedSums sharedSums(const DeviceAttributes& device, const Dims& dims, const Strides& strides,
                      const Axes& summed, DType type, const Accumulator& accumulator = {});

/// Allocates and frees them.
void shareSums(Machine&, const Tensor& x, const Axes& summed, const Accumulator& accumulator);

}  // namespace highwater::predict::ghost
