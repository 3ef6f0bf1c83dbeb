#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/predict/predict.h"
#include "core/predict/tables/gpu_table.h"

/// Holds the prediction of an experiment against what PyTorch recorded while it trained the same network on a
/// GPU (a memory snapshot, read by core/capture). A recording knows no layers. So the requests of the
/// predicted step are looked for among the recorded ones, by their sizes and their order; what was found
/// tells what a block is, and which workspace cuDNN took for which convolution.
namespace highwater::predict {

/// What cuDNN took for one part of a convolution pass.
struct RecordedWorkspace {
    GpuConvolution convolution;  ///< partOf()
    ConvPart part = ConvPart::Forward;
    int layer = -1;  ///< the first layer with this part
    Estimate predicted;
    Workspace::Source source = Workspace::Source::Guessed;
    base::Bytes recorded = 0;  ///< in the last step in which it was found
    int steps = 0;             ///< in how many steps it was found; 0: in none, and `recorded` says nothing
    bool varies = false;       ///< it was not the same in all steps
    bool operator==(const RecordedWorkspace&) const = default;
};

/// A kind of memory at the peak.
struct RecordedKind {
    memory::Category category = memory::Category::Temporaries;
    base::Bytes predicted = 0, recorded = 0;
    base::Bytes keptLonger = 0;  ///< part of `recorded`: predicted to be freed before this moment
};

/// Blocks at the recorded peak that the experiment does not explain, by the place that requested them.
struct UnexplainedBlocks {
    std::string label;  ///< "train.py:57 forward"; empty if the recording does not say
    std::int64_t blocks = 0;
    base::Bytes bytes = 0;
};

struct RecordedComparison {
    /// How many requests the predicted step makes, workspaces not counted, and how many of them the best
    /// step of the recording has.
    std::int64_t requests = 0, found = 0;
    int steps = 0;             ///< steps in which at least half of the requests were found
    bool told = false;         ///< stacks say which blocks are workspaces (C++ frames were recorded)
    bool beginsLater = false;  ///< only the end of the recording was looked at: it is too long for the whole

    Estimate predictedPeak;        ///< of a step that is not the first, allocated bytes
    base::Bytes recordedPeak = 0;  ///< the highest within the steps, without the first if there are several
    base::Bytes highest = 0;       ///< the highest of the whole recording
    memory::Phase predictedPhase = memory::Phase::Setup, recordedPhase = memory::Phase::Setup;
    int predictedLayer = -1, recordedLayer = -1;  ///< where the peaks are; -1: in no layer
    std::vector<RecordedKind> kinds;              ///< in the order of memory::kCategories
    base::Bytes unexplained = 0;                  ///< part of recordedPeak
    std::vector<UnexplainedBlocks> others;        ///< the unexplained ones, the largest first, at most 8
    std::vector<RecordedWorkspace> workspaces;    ///< each distinct part once, in the order of the step
};

/// `info` is the result of inferShapes, `target` the GPU and the software on which `recording` was made.
/// Errors, one line: the target is no GPU; the recording has no requests; no step shows
/// the experiment; "cancelled".
base::Result<RecordedComparison> compareWithRecording(const stack::Experiment& experiment,
                                                      const stack::StackInfo& info, const Target& target,
                                                      const memory::Trace& recording,
                                                      const std::atomic<bool>* cancel = nullptr);

/// The rows for the target's table, without times: the workspaces that were found and were the same in all
/// steps. Unless stacks tell that they are workspaces, in two steps at least: the program may have requested
/// something else in that place.
GpuTable measuredRows(const RecordedComparison& comparison, const Target& target);

}  // namespace highwater::predict
