#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "core/engine/ranks/rank_link.h"

/// What PyTorch's DistributedDataParallel does around a network, with LibTorch's own c10d::Reducer: gradients
/// lie in buckets too, and each bucket is averaged over the ranks as soon as backward has filled it. Private
/// to core/engine.
namespace highwater::engine {

class DataParallel {
public:
    /// Takes over rank 0's parameters and buffers, and makes the first bucket. The parameters' hooks (e.g.
    /// afterAccumulate) run before the reduction of their gradients. `link` must outlive this object. With
    /// `gradientAsBucketView`, gradients lie in the buckets alone.
    DataParallel(RankLink& link, const std::vector<at::Tensor>& parameters, std::vector<at::Tensor> buffers,
                 bool gradientAsBucketView);
    ~DataParallel();
    DataParallel(const DataParallel&) = delete;
    DataParallel& operator=(const DataParallel&) = delete;

    /// Before a step's first forward. Takes over rank 0's buffers. In the second step it first makes the
    /// buckets anew, in the order in which backward has filled them.
    void beforeForward();
    /// Before a step's last backward: that one reduces the gradients, all earlier ones only add to them.
    void beforeBackward();

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Whether this LibTorch has what DataParallel needs; empty, or one line that says what is missing.
std::string dataParallelMissing();

/// A number in hexadecimal that differs if any bit of the tensors does (almost certainly).
std::string fingerprint(const std::vector<at::Tensor>& tensors);

}  // namespace highwater::engine
