#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

/// Finds the requests of a training step in a recording of many steps. Private to core/predict.
namespace highwater::predict {

/// A request that a step makes again and again.
struct ExpectedRequest {
    base::Bytes bytes = 0;   ///< of a workspace: a guess, which decides nothing
    bool workspace = false;  ///< of cuDNN: any size, or none
    bool brief = false;      ///< as RecordedRequest::brief
};

struct RecordedRequest {
    base::Bytes bytes = 0;
    bool brief = false;      ///< it is freed before anything else is requested, or nearly so
    bool workspace = false;  ///< its stack says that it is one
};

/// Aligns the step, repeated without end, with the recording at the least cost: equal sizes match (best if
/// both are brief, or neither is), what has no partner costs the more the larger it is. Returns for each
/// recorded request the index of its partner in `step`, or -1. A recording of steps between which the program
/// does other things is aligned as well, and it may begin and end anywhere in a step.
///
/// Needs step.size() * recorded.size() bytes, at most kMostCells. Errors: it were more; "cancelled".
inline constexpr std::size_t kMostCells = 100'000'000;
base::Result<std::vector<std::int32_t>> align(std::span<const ExpectedRequest> step,
                                              std::span<const RecordedRequest> recorded,
                                              const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::predict
