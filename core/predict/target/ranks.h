#pragma once

#include <cstddef>
#include <vector>

#include "core/base/units.h"
#include "core/predict/tables/estimate.h"

/// The rules of data-parallel training (PyTorch's DistributedDataParallel, c10d::Reducer).
namespace highwater::predict {

/// How many processes train together, each on its own device or on its share of the CPU.
struct Ranks {
    int count = 1;                      ///< 1: one process trains alone
    bool gradientAsBucketView = false;  ///< DistributedDataParallel's option of that name
    bool operator==(const Ranks&) const = default;
};

/// DistributedDataParallel's default sizes.
inline constexpr base::Bytes kBucketBytes = 25 * base::kMiB, kFirstBucketBytes = base::kMiB,
                             kBroadcastBytes = 250 * base::kMiB;

/// Divides tensors of one type into buckets (c10d::compute_bucket_assignment_by_size): a bucket is full when
/// it has at least its limit; buckets have the limits in order, and all further ones the last limit. Returns
/// the indices of each bucket's tensors, in order.
std::vector<std::vector<std::size_t>> bucketsOf(const std::vector<base::Bytes>& sizes,
                                                const std::vector<base::Bytes>& limits);

/// NCCL's memory on each GPU for one communicator, outside LibTorch's allocator: an estimate from published
/// figures (docs/several-gpus.md).
Estimate ncclBuffers(int ranks);

}  // namespace highwater::predict
