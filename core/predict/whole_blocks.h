#pragma once

#include "core/predict/walk.h"

/// What torch.cuda.max_memory_allocated() shows. Private to core/predict.
namespace highwater::predict {

/// The most that PyTorch's caching allocator has given out at once in both steps, as it counts: whole blocks,
/// with the bytes that a request was rounded up by and the ends of blocks that are not split. On a device
/// that has room for all.
Estimate wholeBlocks(const Walk& walk, const memory::AllocatorConfig& config);

}  // namespace highwater::predict
