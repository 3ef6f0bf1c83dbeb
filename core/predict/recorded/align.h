#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

/// Finds the requests of a training step in a recording of many steps. Private to core/predict.
namespace highwater::predict {

/// A request that is repeated in every step.
struct ExpectedRequest {
    base::Bytes bytes = 0;   ///< for a workspace: a guess, which is not used
    bool workspace = false;  ///< cuDNN's workspace: any size, or none
    bool brief = false;      ///< as RecordedRequest::brief
};

struct RecordedRequest {
    base::Bytes bytes = 0;
    bool brief = false;      ///< freed before any other request, or almost
    bool workspace = false;  ///< its stack identifies it as a workspace
};

/// Aligns the step, repeated without end, with the recording at the least cost: equal sizes match (best if
/// both are brief, or neither is); the cost of an unmatched request grows with its size. Returns for each
/// recorded request the index of its match in `step`, or -1. The recording may contain other work between the
/// steps, and may begin and end anywhere in a step.
///
/// Needs step.size() * recorded.size() bytes, at most kMostCells. Errors: it would need more; "cancelled".
inline constexpr std::size_t kMostCells = 100'000'000;
base::Result<std::vector<std::int32_t>> align(std::span<const ExpectedRequest> step,
                                              std::span<const RecordedRequest> recorded,
                                              const std::atomic<bool>* cancel = nullptr);

}  // namespace highwater::predict
