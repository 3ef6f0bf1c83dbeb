#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "core/engine/ranks/rank_link.h"

/// Does what PyTorch's DistributedDataParallel does around a network, with LibTorch's own c10d::Reducer:
/// gradients are also in buckets, and each bucket is averaged over the ranks as soon as backward has filled
/// it. Private to core/engine.
namespace highwater::engine {

class DataParallel {
public:
    /// Copies rank 0's parameters and buffers, and creates the first bucket. The parameters' hooks (e.g.
    /// afterAccumulate) run before the reduction of their gradients. `link` must outlive this object. With
    /// `gradientAsBucketView`, gradients are views of the buckets.
    DataParallel(RankLink& link, const std::vector<at::Tensor>& parameters, std::vector<at::Tensor> buffers,
                 bool gradientAsBucketView);
    ~DataParallel();
    DataParallel(const DataParallel&) = delete;
    DataParallel& operator=(const DataParallel&) = delete;

    /// Call before a step's first forward. Copies rank 0's buffers. In the second step it first rebuilds the
    /// buckets in the order in which backward filled them.
    void beforeForward();
    /// Call before a step's last backward, which reduces the gradients; all earlier ones only accumulate.
    void beforeBackward();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Whether this LibTorch has what DataParallel needs; empty, or one line that says what is missing.
std::string dataParallelMissing();

/// A hexadecimal number that differs if any bit of the tensors differs (almost certainly).
std::string fingerprint(const std::vector<at::Tensor>& tensors);

}  // namespace highwater::engine
