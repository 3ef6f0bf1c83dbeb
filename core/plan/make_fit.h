#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/device_fit.h"

/// Reduces the memory of an experiment at the cost of time, on this machine's CPU or on a GPU, without
/// changing its task: by recomputing activations in the backward pass or offloading them to host memory, by
/// in-place operators, and by splitting a batch into micro-batches.
namespace highwater::plan {

/// The changes that a plan may make besides recomputation.
struct PlanChoices {
    bool inplace = true;  ///< activations overwrite their input
    /// Only if no layer uses batch statistics, and if as much is known about the convolutions of a smaller
    /// batch as about those of the whole one (measured, or asked of cuDNN).
    bool microBatches = true;
    /// GPUs: tensors in the channels_last memory format, if as much is known about it.
    bool channelsLast = true;
    bool expandable = true;  ///< GPUs, from LibTorch 2.1 on: the allocator's expandable segments
    /// Fuses batch norms and leaky activations into one layer that saves one tensor instead of two. The
    /// computation differs: a weight counts as |weight| + eps, and gradients are rounded differently.
    bool inplaceAbn = false;
    /// GPUs: convolutions and matrix products in 16 bits, bf16 from compute capability 8.0 on, otherwise
    /// fp16. Results are rounded differently.
    bool autocast = false;
    /// GPUs: activations of parts of the network wait in host memory if that takes less time than recomputing
    /// them. It needs the same amount of page-locked host memory (DeviceFit::onHost), and the speed of the
    /// host's link has not been measured.
    bool offload = false;
};

struct Plan {
    stack::Experiment experiment;  ///< the experiment with the plan applied
    DeviceFit fit;                 ///< the prediction for it, without `largestBatch`
    double slower = 0;             ///< its step's expected time relative to that of the unchanged experiment,
                                   ///< minus 1
    std::vector<std::string> changes;  ///< relative to the unchanged experiment, one line each
    /// The changes that apply to the whole step, by the names of settings: "bf16", "4 micro-batches".
    std::vector<std::string> settings;
};

struct PlanCurve {
    Plan asItIs;              ///< the given experiment, unchanged
    std::vector<Plan> plans;  ///< from the least memory to the fastest; no plan beats another in both
    /// A plan that may need less than all of `plans`, from a variant that is left out because more of its
    /// convolutions are guesses. std::nullopt: there is none.
    std::optional<Plan> guessed = {};
};

/// Whether a layer computes statistics over the samples of a batch.
bool usesBatchStatistics(const std::vector<stack::Layer>& layers);

/// The figure that is compared with a budget: on a GPU the expected reserved memory; on the CPU the upper
/// bound of the allocated memory. Bytes.
base::Bytes counted(const DeviceFit& fit, const predict::Target& target);

/// Called with the progress, 0 to 1.
using PlanProgress = std::function<void(double)>;

/// Finds plans by dynamic programming over the units of the network (chain.h), with costs from a simulated
/// training step, and predicts every returned plan: its figures are the predictor's, not the dynamic
/// program's. Errors: the experiment is not valid, not possible on the target, or does not train;
/// "cancelled".
base::Result<PlanCurve> planCurve(const stack::Experiment& experiment, const predict::Target& target,
                                  const PlanChoices& choices = {}, const Trying& trying = {},
                                  const PlanProgress& progress = {});

/// The limit for a plan: bytes for its counted() peak, or std::nullopt: the memory available on the target,
/// so that it fits (Fits::Yes).
using Budget = std::optional<base::Bytes>;

/// Replaces a budget of at least a GPU's memory by the memory available on it: std::nullopt. Other budgets
/// are returned unchanged.
Budget budgetOn(const predict::Target& target, Budget budget);

/// Whether a plan is within the budget; on a GPU it must also fit (Fits::Yes), regardless of the budget.
bool isWithin(const Plan& plan, const predict::Target& target, Budget budget);
bool isWithin(const DeviceFit& fit, const predict::Target& target, Budget budget);

/// The fastest plan found within the budget; std::nullopt if none is. Starts with the best plan of the
/// dynamic program, and improves it step by step as long as a change is faster and within the budget.
base::Result<std::optional<Plan>> planUnder(const stack::Experiment& experiment,
                                            const predict::Target& target, Budget budget,
                                            const PlanChoices& choices = {}, const Trying& trying = {},
                                            const PlanProgress& progress = {});

/// The name of a different form of the experiment ("Pool first"), and the experiment in that form.
using OtherTask = std::pair<std::string, stack::Experiment>;

/// Plans within the budget that change the task: a smaller batch with the same patch, and a smaller patch
/// with the same batch; each as large as possible, with the fastest plan found for it. Then each of `others`
/// that fits, with its fastest plan. Empty if none fits.
base::Result<std::vector<Plan>> planTaskChanges(const stack::Experiment& experiment,
                                                const predict::Target& target, Budget budget,
                                                const PlanChoices& choices = {}, const Trying& trying = {},
                                                const std::vector<OtherTask>& others = {});

/// How often the forward of each layer runs in a step, in StackInfo's order; a block has the maximum of its
/// layers. 1: its activations are kept. Also 1 for a convolution whose backward needs no second forward
/// (stack::resumable).
std::vector<int> forwardsOf(const stack::Experiment& experiment, const stack::StackInfo& info);

/// Whether each layer's activations are offloaded to host memory, in StackInfo's order; false for blocks.
std::vector<bool> offloadedOf(const stack::Experiment& experiment, const stack::StackInfo& info);

/// The memory that each layer's forward leaves on the device until the backward pass begins, in StackInfo's
/// order; 0 for blocks. Expected bytes for one micro-batch. Empty if it cannot be predicted for the target.
std::vector<base::Bytes> keptOf(const stack::Experiment& experiment, const stack::StackInfo& info,
                                const predict::Target& target);

/// Whether a plan's results differ from the experiment's by rounding, beyond the order in which gradients are
/// summed.
bool roundsDifferently(const stack::Experiment& before, const stack::Experiment& after);

/// "bf16, recompute 34 of 77 layers, +18 % time", "unchanged": a short summary of a plan.
std::string headline(const Plan& plan);

}  // namespace highwater::plan
