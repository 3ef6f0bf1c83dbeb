#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/predict/predict.h"
#include "core/predict/tables/gpu_table.h"

/// Compares the prediction of an experiment with PyTorch's recording of training the same network on a GPU (a
/// memory snapshot, read by core/capture). A recording has no layers, so the requests of the predicted step
/// are searched among the recorded ones, by their sizes and order; the matches identify the recorded blocks,
/// and the workspace that cuDNN used for each convolution.
namespace highwater::predict {

/// The workspace that cuDNN used for one part of a convolution pass.
struct RecordedWorkspace {
    GpuConvolution convolution;  ///< partOf()
    ConvPart part = ConvPart::Forward;
    int layer = -1;  ///< the first layer with this part
    Estimate predicted;
    Workspace::Source source = Workspace::Source::Guessed;
    base::Bytes recorded = 0;  ///< in the last step in which it was found
    int steps = 0;             ///< number of steps in which it was found; 0: none, and `recorded` is
                               ///< meaningless
    bool varies = false;       ///< it differed between steps
    bool operator==(const RecordedWorkspace&) const = default;
};

/// A kind of memory at the peak.
struct RecordedKind {
    memory::Category category = memory::Category::Temporaries;
    base::Bytes predicted = 0, recorded = 0;
    base::Bytes keptLonger = 0;  ///< part of `recorded`: predicted to be freed before this moment
};

/// Blocks at the recorded peak that the experiment does not explain, by the code location that requested
/// them.
struct UnexplainedBlocks {
    std::string label;  ///< "train.py:57 forward"; empty if it was not recorded
    std::int64_t blocks = 0;
    base::Bytes bytes = 0;
};

struct RecordedComparison {
    /// The number of requests in the predicted step, without workspaces, and how many of them the best step
    /// of the recording has.
    std::int64_t requests = 0, found = 0;
    int steps = 0;             ///< steps in which at least half of the requests were found
    bool told = false;         ///< stacks identify workspaces (C++ frames were recorded)
    bool beginsLater = false;  ///< only the end of the recording was used, because the whole is too long

    Estimate predictedPeak;        ///< allocated bytes, for a step other than the first
    base::Bytes recordedPeak = 0;  ///< the highest within the steps, except the first if there are several
    base::Bytes highest = 0;       ///< the highest of the whole recording
    memory::Phase predictedPhase = memory::Phase::Setup, recordedPhase = memory::Phase::Setup;
    int predictedLayer = -1, recordedLayer = -1;  ///< the layers at the peaks; -1: none
    std::vector<RecordedKind> kinds;              ///< in the order of memory::kCategories
    base::Bytes unexplained = 0;                  ///< part of recordedPeak
    std::vector<UnexplainedBlocks> others;        ///< the largest unexplained ones, in descending order, at
                                                  ///< most 8
    std::vector<RecordedWorkspace> workspaces;    ///< each distinct part once, in the order of the step
};

/// `info` is the result of inferShapes, `target` the GPU and the software on which `recording` was made.
/// Errors, one line: the target is not a GPU; the recording has no requests; no step matches the experiment;
/// "cancelled".
base::Result<RecordedComparison> compareWithRecording(const stack::Experiment& experiment,
                                                      const stack::StackInfo& info, const Target& target,
                                                      const memory::Trace& recording,
                                                      const std::atomic<bool>* cancel = nullptr);

/// The rows for the target's table, without times: the workspaces that were found and were the same in all
/// steps. If stacks do not identify workspaces, at least two steps are required, because the program may have
/// requested something else at that point.
GpuTable measuredRows(const RecordedComparison& comparison, const Target& target);

}  // namespace highwater::predict
