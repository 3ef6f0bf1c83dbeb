#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/memory/ledger.h"
#include "core/memory/phase.h"
#include "core/predict/axes/cliffs.h"
#include "core/predict/tables/estimate.h"
#include "core/predict/workspaces/workspace.h"

namespace highwater::predict {

struct LayerPrediction {
    base::Bytes parameterBytes = 0;   ///< weights and buffers
    base::Bytes activationBytes = 0;  ///< increase of the category Activations during its forward, as the
                                      ///< engine counts it
    Estimate forwardBytes;            ///< maximum increase during its forward, including its output
    Estimate backwardBytes;           ///< the same during its backward or recomputation
    base::Bytes atPeak = 0;  ///< expected bytes that it allocated and that are live at the step's peak
    TimeEstimate forwardMs, backwardMs;  ///< backward includes its recomputation
    bool asked = false;                  ///< includes a workspace that cuDNN answered, not measured
};

struct PredictedPoint {
    std::int64_t event = 0;         ///< event number within the step
    memory::Ledger ledger;          ///< expected
    base::Bytes low = 0, high = 0;  ///< range of the total
    memory::Phase phase = memory::Phase::Setup;
    int layer = -1;
    double ms = 0;  ///< expected time since the step's start
};

enum class Fits { Yes, No, Uncertain };

struct Prediction {
    Estimate peakAllocated;
    Estimate peakReserved;  ///< GPUs only
    /// GPUs only, with PredictOptions::inPython: the value of torch.cuda.max_memory_allocated() in the
    /// program that `export pytorch` writes. It counts whole blocks of the allocator; peakAllocated counts
    /// the requested sizes.
    Estimate maxMemoryAllocated;
    memory::Ledger peakByCategory;  ///< expected, at the expected peak
    memory::Ledger atEnd;           ///< after the last step
    memory::Phase peakPhase = memory::Phase::Setup;
    int peakLayer = -1;
    /// True if the first step's peak is higher than the second's, as it is when `benchmark` times cuDNN's
    /// plans.
    bool peakInFirstStep = false;
    /// In StackInfo's order. A block has the sums over its layers, except for forwardBytes and backwardBytes,
    /// which have the maximum.
    std::vector<LayerPrediction> layers;
    /// The second step, at most 400 points: every local maximum and minimum, or if there are more, the
    /// highest and lowest of each of equal spans. Always contains the peak.
    std::vector<PredictedPoint> timeline;
    TimeEstimate stepMs;
    base::Bytes capacity = 0;     ///< memory that this process may use on the device; 0 if unknown
    double oomProbability = 0;    ///< 0 to 1
    Fits fits = Fits::Uncertain;  ///< yes below 1 %, unless atLeast(); no above 99 %, unless atMost()
    std::string outOfMemory;  ///< where and why the expected run runs out of memory, in one line; empty if it
                              ///< does not
    base::Bytes onHost = 0;   ///< the maximum offloaded to host memory at once (PlanPart::offload)
    base::Bytes fragmentation = 0;  ///< reserved but not allocated, at the reserved peak (GPUs)
    std::vector<Cliff> cliffs;
    /// What is a guess and why, one line each ("workspaces of 14 convolutions have not been measured on the
    /// H100"). Empty if all figures are derived from rules and measured rows.
    std::vector<std::string> guesses;
    /// Convolution passes in the step; how many of them are guessed; how many use cuDNN's answer.
    std::size_t convolutions = 0, withoutRow = 0, asked = 0;
    /// GPUs: the number of each kind, one line: "of 36 convolution passes: 4 by rule or measured, 32 asked of
    /// cuDNN 9.19.0". Empty if there is no convolution.
    std::string basis;
    /// Operators that no layer implements, with their counts ("roll (3 times)"), and what an import left out
    /// ("1,000 parameters"). Their memory is not counted, so the low ends are lower bounds.
    std::vector<std::string> unknown;
    /// Activation checkpoints that an import left out (stack::LeftOut): the high ends are upper bounds.
    std::int64_t checkpointsLeftOut = 0;
    bool atLeast() const { return !unknown.empty(); }
    bool atMost() const { return checkpointsLeftOut > 0; }
    /// False if the rules were not compared with this LibTorch allocation by allocation (Target::compared).
    bool compared = true;
    /// False for a GPU on which no workspaces were measured, or if some are guessed: the rules may be wrong
    /// there, and what the allocator reserves depends on every workspace.
    bool verified = true;
    /// True if all of the peak is derived from compared rules and measured rows: nothing is guessed, asked of
    /// cuDNN or left out.
    bool exact() const {
        return peakAllocated.exact() && asked == 0 && compared && verified && !atLeast() && !atMost();
    }
    /// GPUs: cuDNN's workspaces, each distinct pass and part once, in the order in which they first occur.
    std::vector<Workspace> workspaces;
};

}  // namespace highwater::predict
