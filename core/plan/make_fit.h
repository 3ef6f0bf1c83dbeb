#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/device_fit.h"

/// How an experiment takes less memory for more time, on this machine's CPU or on a GPU, without changing its
/// task: what is recomputed in the backward pass, or waits in the host's memory until then; what works in
/// place; in how many parts a batch is computed.
namespace highwater::plan {

/// What a plan may use besides recomputation.
struct PlanChoices {
    bool inplace = true;  ///< activations overwrite their input
    /// Only where no layer uses statistics of the batch, and as much is known of the convolutions of a
    /// smaller batch as of the whole one's (measured, or asked of cuDNN).
    bool microBatches = true;
    /// GPUs: tensors in the channels_last memory format, where as much is known of that.
    bool channelsLast = true;
    bool expandable = true;  ///< GPUs, from LibTorch 2.1 on: the allocator's expandable segments
    /// Batch norms and leaky activations in one layer that keeps one tensor instead of two. It is computed
    /// otherwise: a weight counts as |weight| + eps, gradients are rounded differently.
    bool inplaceAbn = false;
    /// GPUs: convolutions and matrix products in 16 bits, bf16 from compute capability 8.0 on, else fp16. It
    /// rounds differently.
    bool autocast = false;
    /// GPUs: what parts of the network keep waits in the host's memory instead, where that takes less time
    /// than computing it again. It needs as much page-locked memory there (DeviceFit::onHost), and how fast
    /// the host's link is nobody has measured.
    bool offload = false;
};

struct Plan {
    stack::Experiment experiment;  ///< the experiment as the plan has it
    DeviceFit fit;                 ///< what is predicted for it; `largestBatch` is not
    double slower = 0;             ///< its step's expected time over that of the unchanged experiment, less 1
    std::vector<std::string> changes;  ///< against the unchanged experiment, one line each
    /// Those of the changes that hold for the whole step, by the names of settings: "bf16", "4
    /// micro-batches".
    std::vector<std::string> settings;
};

struct PlanCurve {
    Plan asItIs;              ///< the experiment without a change
    std::vector<Plan> plans;  ///< from the least memory to the fastest; none is better than another in both
    /// A plan that may need less than all of `plans`, of a variant that is left out of them because more of
    /// its convolutions are guesses. std::nullopt: there is none.
    std::optional<Plan> guessed = {};
};

/// What of a prediction is held against a budget: on a GPU what is expected to be reserved; on the CPU the
/// most that may be allocated. Bytes.
base::Bytes counted(const DeviceFit& fit, const predict::Target& target);

/// How the work goes on: called with the share that is done, 0 to 1.
using PlanProgress = std::function<void(double)>;

/// Finds plans by dynamic programming over the units of the network (chain.h), with what a walk of the
/// training step says of each, and predicts every one that is returned: the figures are those of the
/// predictor, not of the program. Errors: the experiment is not valid, not possible there, or does not train;
/// "cancelled".
base::Result<PlanCurve> planCurve(const stack::Experiment& experiment, const predict::Target& target,
                                  const PlanChoices& choices = {}, const Trying& trying = {},
                                  const PlanProgress& progress = {});

/// The most that a plan may need: bytes for its counted() peak, or std::nullopt: what the target's memory
/// leaves, so that it fits (Fits::Yes).
using Budget = std::optional<base::Bytes>;

/// A budget of as much as a GPU has, or more, asks for what its memory leaves: std::nullopt. Others stay.
Budget budgetOn(const predict::Target& target, Budget budget);

/// Whether a plan is within the budget; on a GPU it also has to fit (Fits::Yes), whatever the budget.
bool isWithin(const Plan& plan, const predict::Target& target, Budget budget);
bool isWithin(const DeviceFit& fit, const predict::Target& target, Budget budget);

/// The fastest plan found within the budget; std::nullopt if none is. Begins with the best of the dynamic
/// program, and changes it step by step as long as a change is faster and within the budget.
base::Result<std::optional<Plan>> planUnder(const stack::Experiment& experiment,
                                            const predict::Target& target, Budget budget,
                                            const PlanChoices& choices = {}, const Trying& trying = {},
                                            const PlanProgress& progress = {});

/// What another form of the experiment changes ("Pool first"), and the experiment in that form.
using OtherTask = std::pair<std::string, stack::Experiment>;

/// What would be within the budget if the task may change: a smaller batch with the patch as it is, and a
/// smaller patch with the batch as it is; each the largest that is, with the fastest plan found for it. Then
/// each of `others` that is, with its fastest plan. Empty where none is.
base::Result<std::vector<Plan>> planTaskChanges(const stack::Experiment& experiment,
                                                const predict::Target& target, Budget budget,
                                                const PlanChoices& choices = {}, const Trying& trying = {},
                                                const std::vector<OtherTask>& others = {});

/// How often the forward of each layer runs in a step, in StackInfo's order; a block has the largest of its
/// layers. 1: it is kept. A convolution whose backward needs no second forward (stack::resumable) has 1 too.
std::vector<int> forwardsOf(const stack::Experiment& experiment, const stack::StackInfo& info);

/// Whether what each layer keeps waits in the host's memory, in StackInfo's order; false of blocks.
std::vector<bool> offloadedOf(const stack::Experiment& experiment, const stack::StackInfo& info);

/// What each layer's forward leaves on the device until the backward pass begins, in StackInfo's order; 0 of
/// blocks. Bytes, expected, of one micro-batch. Empty if it cannot be predicted there.
std::vector<base::Bytes> keptOf(const stack::Experiment& experiment, const stack::StackInfo& info,
                                const predict::Target& target);

/// Whether a plan's numbers differ from the experiment's by rounding, and not only where a gradient is added
/// up in another order.
bool roundsDifferently(const stack::Experiment& before, const stack::Experiment& after);

/// "bf16, recompute 34 of 77 layers, +18 % time", "unchanged": what a plan does, in a few words.
std::string headline(const Plan& plan);

}  // namespace highwater::plan
