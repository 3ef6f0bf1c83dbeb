#pragma once

#include <array>
#include <span>

#include "core/base/result.h"
#include "core/engine/books/allocation_log.h"
#include "core/predict/tables/gpu_table.h"

namespace highwater::engine {

/// Which of a convolution's allocations were workspaces. `log` is of one pass, in order; `results` are the
/// addresses of what it gave: forward the output; backward the gradients of input, weight and bias; null
/// where there is none.
///
/// LibTorch makes a part's result, then takes and gives back its workspace; a gradient that is not contiguous
/// it copies for each part anew (aten/src/ATen/native/cudnn/ConvShared.cpp; seen so in 2.11). So what is
/// freed within the pass counts to the result that was made last before it: the output's or a gradient's
/// part. The most that a part holds at a time, copies aside, is its workspace. What is freed before the first
/// result is a copy, too; after the bias's gradient, a part of its sum.
///
/// Errors, one line: a result that the log does not show, something that outlives the pass.
base::Result<predict::GpuOpRow> workspacesOf(const predict::ConvKey& op,
                                             std::span<const LoggedAllocation> log,
                                             const std::array<const void*, 3>& results);

}  // namespace highwater::engine
