#pragma once

#include "core/predict/ghost/walk.h"
#include "core/predict/recorded/recorded.h"

/// Fills in the peaks of a comparison and explains the recorded one. Private to core/predict.
namespace highwater::predict {

/// The step that represents all but the first, in which the optimizer creates its state and `benchmark`
/// searches.
inline constexpr std::size_t kSecondStep = Walk::kSteps - 1;

/// The correspondence between the recording and the walk.
struct Aligned {
    static constexpr std::int32_t kNone = -1;
    static constexpr std::int32_t kWorkspace = -2;  ///< a workspace of cuDNN where none was expected

    std::vector<std::int32_t> partner;  ///< by recorded block: index into Walk::blocks, or one of these two
    std::vector<std::int32_t> step;  ///< by recorded block: the number of the step that requested it, or -1
    /// By recorded event: index into Walk::events of the last one that had been reached; -1 before the first.
    std::vector<std::int64_t> reached;
    /// Index of the recorded event with which the second step begins, if several steps were found: in the
    /// first one the optimizer creates its state, and `benchmark` searches.
    std::size_t steady = 0;
};

void comparePeaks(const Walk& walk, const memory::Trace& recording, const Aligned& aligned,
                  RecordedComparison& comparison);

}  // namespace highwater::predict
