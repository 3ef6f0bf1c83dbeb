#pragma once

#include "core/predict/ghost/ghost.h"

/// The operators of a stack over ghosts, one function each and device. What they allocate, in which order,
/// and what they save follows ATen's sources (1.13) and was compared with every allocation of real runs.
/// Private to core/predict.
namespace highwater::predict::ghost {

using Sizes3 = std::array<std::int64_t, 3>;

struct ConvArgs {
    Sizes3 stride{1, 1, 1}, padding{0, 0, 0}, dilation{1, 1, 1}, outputPadding{0, 0, 0};
    std::int64_t groups = 1;
    bool transposed = false;
};

/// Elements added before and after each axis.
struct Borders {
    Sizes3 before{0, 0, 0}, after{0, 0, 0};
};

struct ComposedKernel;

/// A layer's parameters in the order of the engine: weight, bias (a separable_conv: depthwise, pointwise).
struct LayerState {
    std::vector<std::unique_ptr<Parameter>> parameters;
    Tensor runningMean, runningVar;
    Tensor kernel;                             ///< custom_conv's fixed kernel
    std::shared_ptr<ComposedKernel> composed;  ///< of a custom_conv that is `cached`

    const Tensor& value(std::size_t i) const;  ///< a null tensor where there is none
};

/// An optimizer's state of one parameter.
struct OptimizerState {
    Tensor first, second, largest;
    bool started = false;
};

/// How a device runs operators: its own functions, or those of the CPU where nothing differs but what
/// `Machine::cuda` says.
struct DeviceOps {
    Tensor (*conv)(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArgs&);
    Tensor (*pad)(Machine&, const Tensor& x, stack::PaddingMode, const Borders&);
    Tensor (*norm)(Machine&, const stack::Norm&, const LayerState&, const Tensor& x, ForwardMode);
    /// In place where the layer says so: then it returns x.
    Tensor (*activation)(Machine&, const stack::Activation&, const Tensor& x);
    Tensor (*pool)(Machine&, const stack::Pool&, const Tensor& x);
    Tensor (*upsample)(Machine&, const stack::Upsample&, const Tensor& x, const Dims& output);
    Tensor (*dropout)(Machine&, const stack::Dropout&, const Tensor& x, ForwardMode);
    Tensor (*merge)(Machine&, stack::Merge::Kind, const Tensor& x, const Tensor& with);
    Tensor (*clone)(Machine&, const Tensor& x);
    /// A scalar. `target` may be null (mean).
    Tensor (*loss)(Machine&, stack::Loss, const Tensor& output, const Tensor& target);
    /// weight * value (+ sum, where there is one): how heads join the loss.
    Tensor (*weigh)(Machine&, const Tensor& value);
    Tensor (*join)(Machine&, const Tensor& sum, const Tensor& value);
    /// Adds a gradient that arrives to what has arrived before (null: nothing).
    void (*accumulate)(Machine&, Tensor& buffer, Tensor&& gradient);
    /// A gradient that arrives at a segment's border (TorchBackend::add in core/engine).
    void (*arrive)(Machine&, Tensor& held, Tensor&& gradient);
    /// One update of all parameters that have a gradient; `states` has an entry for each.
    void (*optimize)(Machine&, const stack::Optimizer&, const std::vector<Parameter*>& parameters,
                     std::vector<OptimizerState>& states);
    /// The state of the generators that a checkpointed segment keeps; null where it has no bytes here.
    Tensor (*generatorState)(Machine&);
    /// A convolution pass met for the first time: its row, or a guess.
    void (*lookUp)(Machine&, const ConvKey&, Machine::Met&);
    /// Before the first step's data; null: nothing.
    void (*starts)(Machine&);
    /// What backward starts from, where that is not the loss itself; null: it is.
    Tensor (*scaled)(Machine&, const Tensor& loss);
    /// What autocast makes of the log-probabilities before nll_loss, and of what softmax reads; null:
    /// nothing.
    Tensor (*widen)(Machine&, const Tensor& x) = nullptr;
    Tensor (*widenForSoftmax)(Machine&, const Tensor& x) = nullptr;
};

const DeviceOps& cpuOps();
const DeviceOps& cudaOps();

// --- the CPU's; a device takes over what it shares
Tensor convCpu(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArgs&);
void lookUpCpu(Machine&, const ConvKey&, Machine::Met&);
Tensor pad(Machine&, const Tensor& x, stack::PaddingMode, const Borders&);
Tensor norm(Machine&, const stack::Norm&, const LayerState&, const Tensor& x, ForwardMode);
Tensor activation(Machine&, const stack::Activation&, const Tensor& x);
Tensor pool(Machine&, const stack::Pool&, const Tensor& x);
Tensor upsample(Machine&, const stack::Upsample&, const Tensor& x, const Dims& output);
Tensor dropout(Machine&, const stack::Dropout&, const Tensor& x, ForwardMode);
Tensor merge(Machine&, stack::Merge::Kind, const Tensor& x, const Tensor& with);
Tensor clone(Machine&, const Tensor& x);
Tensor loss(Machine&, stack::Loss, const Tensor& output, const Tensor& target);
Tensor weigh(Machine&, const Tensor& value);
Tensor join(Machine&, const Tensor& sum, const Tensor& value);
void accumulate(Machine&, Tensor& buffer, Tensor&& gradient);
void arrive(Machine&, Tensor& held, Tensor&& gradient);
void optimize(Machine&, const stack::Optimizer&, const std::vector<Parameter*>& parameters,
              std::vector<OptimizerState>& states);
Tensor generatorStateCpu(Machine&);

// --- for operators
/// An operator begins that reads and writes as many bytes as `tensors` tensors like x have.
inline void beginElementwise(Machine& machine, std::string_view label, const Tensor& x, double tensors) {
    machine.op(label, "elementwise", tensors * static_cast<double>(x->bytes()));
}
/// The node of a sum: both get its gradient.
NodePtr sumNode(Machine&, const Tensor& a, const Tensor& b);
/// The key of one pass over these tensors.
ConvKey convKey(ConvKey::Pass pass, const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Dims& output, const ConvArgs& args);
/// The output of a convolution of x with a weight.
Dims convOutput(const Tensor& x, const Tensor& weight, const ConvArgs& args);
/// The output of a pool.
Dims poolOutput(const stack::Pool& pool, const Dims& input);
/// "conv_1x1", "depthwise", "conv_transpose" or "conv".
std::string_view convFamily(const ConvKey& key);
/// Plays a row's allocations; results[i] are tensors that get storage where the row says so.
void play(Machine&, const OpRow& row, const std::array<Tensor*, 3>& results,
          const std::array<Dims, 3>& shapes, Bytes outputBytes = 0);
/// A node that hands its gradient on as a view of these dims (contiguous where the gradient is; with
/// `copies`, a gradient that is not is copied first).
NodePtr viewNode(Machine&, const Tensor& x, const Dims& dims, bool copies);
/// A view, such as instance_norm's output, that an operator in place has written over (autograd's
/// CopySlices): the base's gradient is copied, the part of the view cloned and taken through the operator,
/// whose other gradients pass on; and the view's gradient is spread out over the base's size.
void rewriteView(Machine&, const Tensor& view, const NodePtr& node);
/// The temporaries of a sum to one number that several threads work on.
StoragePtr threadsSum(Machine&, std::int64_t elements);

}  // namespace highwater::predict::ghost
