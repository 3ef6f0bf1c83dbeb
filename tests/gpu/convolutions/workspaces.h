#pragma once

#include <array>
#include <span>

#include "core/base/result.h"
#include "core/engine/books/allocation_log.h"
#include "core/predict/tables/gpu_table.h"

namespace highwater::engine {

/// Finds the workspaces among a convolution's allocations. `log` is that of one pass, in order; `results` are
/// the addresses of its results: forward the output; backward the gradients of input, weight and bias; null
/// if there is none.
///
/// LibTorch allocates the result of a part (the output or one gradient), then allocates and frees the part's
/// workspace. A gradient that is not contiguous is copied again for each part
/// (aten/src/ATen/native/cudnn/ConvShared.cpp; observed in 2.11). So an allocation that is freed within the
/// pass counts to the part whose result was allocated last before it. A part's workspace is the most memory
/// that it holds at a time, without the copies. An allocation freed before the first result is a copy, too;
/// after the bias's gradient it belongs to the sum over the gradient.
///
/// Error (one line) if a result is not in the log, or if another allocation outlives the pass.
base::Result<predict::GpuOpRow> workspacesOf(const predict::ConvKey& op,
                                             std::span<const LoggedAllocation> log,
                                             const std::array<const void*, 3>& results);

}  // namespace highwater::engine
