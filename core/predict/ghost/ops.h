#pragma once

#include "core/predict/ghost/ghost.h"

/// The operators of a stack on ghosts: one function per operator and device. Their allocations, in order, and
/// the tensors they save follow ATen's sources (1.13) and were compared with every allocation of real runs.
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
    std::int64_t channels = 0;  ///< how many channels are added at either end
};

struct ComposedKernel;

/// A layer's parameters in the engine's order: weight, bias (a separable_conv: depthwise, pointwise).
struct LayerState {
    std::vector<std::unique_ptr<Parameter>> parameters;
    Tensor runningMean, runningVar;
    Tensor batches;                            ///< torch.nn's num_batches_tracked; the engine has none
    Tensor kernel;                             ///< custom_conv's fixed kernel
    Tensor index;                              ///< relative_position_bias's index
    std::shared_ptr<ComposedKernel> composed;  ///< for a custom_conv with the `cached` implementation

    const Tensor& value(std::size_t i) const;  ///< a null tensor if there is none
};

/// An optimizer's state of one parameter.
struct OptimizerState {
    Tensor first, second, largest, count;
    bool started = false;
};

/// How a GPU's kernel combines values into one.
struct Accumulator {
    Bytes bytes = 4;         ///< of what it accumulates
    std::int64_t loads = 0;  ///< how many adjacent values a thread loads at a time; 0: as sums and means do
};

/// The functions that run the operators of a device: its own, or those of the CPU if nothing differs except
/// what `Machine::cuda` decides.
struct DeviceOps {
    Tensor (*conv)(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArgs&);
    Tensor (*pad)(Machine&, const Tensor& x, stack::PaddingMode, const Borders&);
    Tensor (*norm)(Machine&, const stack::Norm&, const LayerState&, const Tensor& x, ForwardMode);
    Tensor (*layerNorm)(Machine&, const stack::LayerNorm&, const LayerState&, const Tensor& x);
    /// If the layer works in place, returns x.
    Tensor (*activation)(Machine&, const stack::Activation&, const Tensor& x);
    Tensor (*prelu)(Machine&, const Tensor& x, const Tensor& weight);
    Tensor (*pool)(Machine&, const stack::Pool&, const Tensor& x);
    Tensor (*adaptivePool)(Machine&, const stack::AdaptivePool&, const Tensor& x, const Dims& output);
    Tensor (*linear)(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias);
    Tensor (*upsample)(Machine&, const stack::Upsample&, const Tensor& x, const Dims& output);
    Tensor (*dropout)(Machine&, const stack::Dropout&, const Tensor& x, ForwardMode);
    /// The result has the shape `output`.
    Tensor (*merge)(Machine&, stack::Merge::Kind, const Tensor& x, const std::vector<Tensor>& with,
                    const Dims& output);
    /// Queries, keys, values and the mask, or nullptr, in this order.
    Tensor (*attention)(Machine&, const stack::Merge&, const std::array<Tensor, 4>& of, ForwardMode);
    Tensor (*clone)(Machine&, const Tensor& x);
    /// Returns a scalar. `target` may be null (for the mean).
    Tensor (*loss)(Machine&, stack::Loss, const Tensor& output, const Tensor& target);
    /// weight * value, and sum + value: they combine the losses of several heads.
    Tensor (*weigh)(Machine&, const Tensor& value);
    Tensor (*join)(Machine&, const Tensor& sum, const Tensor& value);
    /// Adds an incoming gradient to `buffer`; a null buffer means that none has arrived yet.
    void (*accumulate)(Machine&, Tensor& buffer, Tensor&& gradient);
    /// The same for a gradient that arrives at a segment's border (TorchBackend::add in core/engine).
    void (*arrive)(Machine&, Tensor& held, Tensor&& gradient);
    /// One update of all parameters that have a gradient, which is clipped first if the step says so;
    /// `states` has an entry for each parameter.
    void (*optimize)(Machine&, const stack::Experiment&, const std::vector<Parameter*>& parameters,
                     std::vector<OptimizerState>& states);
    /// Returns the state of the random generators that a checkpointed segment saves; null if it has no bytes
    /// on this device.
    Tensor (*generatorState)(Machine&);
    /// Called when a convolution pass is seen for the first time: looks up its row, or makes a guess.
    void (*lookUp)(Machine&, const ConvKey&, Machine::Met&);
    /// Called before the first step's data is created; may be nullptr.
    void (*starts)(Machine&);
    /// Returns the tensor that backward starts from; nullptr if it is the loss itself.
    Tensor (*scaled)(Machine&, const Tensor& loss);
    /// Called when the result of a matrix product has been allocated, with whether a bias is added in the
    /// same kernel; may be nullptr.
    void (*multiplied)(Machine&, bool withBias) = nullptr;
    /// The casts that autocast makes of the log-probabilities before nll_loss, and of the input of softmax;
    /// nullptr if it makes none.
    Tensor (*widen)(Machine&, const Tensor& x) = nullptr;
    Tensor (*widenForSoftmax)(Machine&, const Tensor& x) = nullptr;
    /// Allocates and frees the temporary memory of a sum of x over these axes, or of another such value,
    /// after its result was allocated; may be nullptr.
    void (*shareSums)(Machine&, const Tensor& x, const Axes& summed, const Accumulator&) = nullptr;
};

const DeviceOps& cpuOps();
const DeviceOps& cudaOps();

// --- the CPU's operators; other devices share some of them
Tensor convCpu(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArgs&);
void lookUpCpu(Machine&, const ConvKey&, Machine::Met&);
Tensor pad(Machine&, const Tensor& x, stack::PaddingMode, const Borders&);
Tensor norm(Machine&, const stack::Norm&, const LayerState&, const Tensor& x, ForwardMode);
Tensor layerNorm(Machine&, const stack::LayerNorm&, const LayerState&, const Tensor& x);
Tensor activation(Machine&, const stack::Activation&, const Tensor& x);
Tensor prelu(Machine&, const Tensor& x, const Tensor& weight);
Tensor pool(Machine&, const stack::Pool&, const Tensor& x);
Tensor adaptivePool(Machine&, const stack::AdaptivePool&, const Tensor& x, const Dims& output);
Tensor linear(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor upsample(Machine&, const stack::Upsample&, const Tensor& x, const Dims& output);
Tensor dropout(Machine&, const stack::Dropout&, const Tensor& x, ForwardMode);
Tensor merge(Machine&, stack::Merge::Kind, const Tensor& x, const std::vector<Tensor>& with,
             const Dims& output);
Tensor clone(Machine&, const Tensor& x);
Tensor loss(Machine&, stack::Loss, const Tensor& output, const Tensor& target);
Tensor weigh(Machine&, const Tensor& value);
Tensor join(Machine&, const Tensor& sum, const Tensor& value);
void accumulate(Machine&, Tensor& buffer, Tensor&& gradient);
void arrive(Machine&, Tensor& held, Tensor&& gradient);
void optimize(Machine&, const stack::Experiment&, const std::vector<Parameter*>& parameters,
              std::vector<OptimizerState>& states);
Tensor generatorStateCpu(Machine&);

// --- for operators
/// A tensor with one channel or one position counts as contiguous and as channels_last.
inline bool inBothLayouts(const Dims& dims) {
    return dims.rank < 4 || dims[1] == 1 || dims.spatial() == 1;
}
inline bool liesAs(const Tensor& tensor, bool channelsLast) {
    return tensor->contiguous && (tensor->channelsLast == channelsLast || inBothLayouts(tensor->dims));
}
/// An operator begins that reads and writes the bytes of `tensors` tensors like x.
inline void beginElementwise(Machine& machine, std::string_view label, const Tensor& x, double tensors) {
    machine.op(label, "elementwise", tensors * static_cast<double>(x->bytes()));
}
/// A part of x along the spatial axes: a view, with an intermediate view for each cropped axis.
Tensor crop(Machine&, const Tensor& x, const Dims& output);
Tensor localResponseNorm(Machine&, const stack::LocalResponseNorm&, const Tensor& x);
/// x plus a number.
Tensor plusNumber(Machine&, const Tensor& x);
/// a over b, of which one has the shape `output`.
Tensor quotient(Machine&, const Tensor& a, const Tensor& b, const Dims& output);
/// x joined with others along the channels, in the widest type; the parts of the gradient are cast back.
Tensor concat(Machine&, const Tensor& x, const std::vector<Tensor>& with, const Dims& output);
/// Records that the operator copies, or reads, a tensor of these sizes into the other layout (LayoutCopies).
void turns(Machine&, const Dims& dims, DType dtype, bool toChannelsLast);
/// The same for a kernel that reads the tensor while it writes a result in this layout: instead of the result
/// of bytesMoved for the two.
inline void readsInto(Machine& machine, const Tensor& tensor, bool channelsLast) {
    if (machine.cuda && !inBothLayouts(tensor->dims) && tensor->channelsLast != channelsLast) {
        double& moved = machine.walk.ops.back().bytesMoved;
        moved = std::max(0.0, moved - 2 * static_cast<double>(tensor->bytes()));
        turns(machine, tensor->dims, tensor->dtype, channelsLast);
    }
}
/// The temporary copy of a tensor in this layout; nullptr if it already has it.
inline StoragePtr layoutCopy(Machine& machine, const Tensor& tensor, bool channelsLast) {
    if (liesAs(tensor, channelsLast)) {
        return nullptr;
    }
    if (tensor->channelsLast != channelsLast) {
        turns(machine, tensor->dims, tensor->dtype, channelsLast);
    }
    return machine.allocate(tensor->bytes());
}
/// The temporary copy that a kernel makes of a non-contiguous tensor.
inline StoragePtr temporaryCopy(Machine& machine, const Tensor& tensor) {
    return layoutCopy(machine, tensor, false);
}
/// Allocates a new tensor in a layout.
inline Tensor emptyAs(Machine& machine, const Dims& dims, DType dtype, bool channelsLast) {
    Tensor made = machine.empty(dims, dtype);
    made->channelsLast = channelsLast && dims.rank >= 4;
    return made;
}
/// A contiguous copy of x. The gradient is passed on unchanged.
Tensor copyOf(Machine&, const Tensor& x, std::string_view label);
/// x if it is contiguous, otherwise copyOf() it.
Tensor dense(Machine&, const Tensor& x, std::string_view label);
/// x in another shape: a view if its strides allow it, otherwise a copy.
Tensor reshape(Machine&, const Tensor& x, const Dims& output);
/// Output axis i is x's axis axes[i]: a view.
Tensor permute(Machine&, const stack::Sizes& axes, const Tensor& x);
Tensor select(Machine&, const stack::Select&, const Tensor& x);
/// The node of a part of x: its gradient has x's size and is zero elsewhere. `label`, a literal, is
/// backward's.
NodePtr partNode(Machine&, const Tensor& x, std::string_view label);
Tensor slice(Machine&, const stack::Slice&, const Tensor& x);
Tensor roll(Machine&, const stack::Roll&, const Tensor& x);
Tensor copied(Machine&, const stack::Copy&, const Tensor& x);
/// The result of an unknown operator: it and its gradients count as one byte each, because they may be views.
Tensor unknown(Machine&, const Tensor& x, const std::vector<Tensor>& with, const Dims& output);
/// The rows of a table for each pair of positions.
Tensor relativePositionBias(Machine&, const stack::RelativePositionBias&, const LayerState&);
Tensor windowMask(Machine&, const stack::WindowMask&);
/// x times random numbers. `label`, a literal, and `tensors` are those of backward (beginElementwise).
Tensor timesNoise(Machine&, std::string_view label, const Tensor& x, const Tensor& noise, double tensors);
Tensor stochasticDepth(Machine&, const stack::StochasticDepth&, const Tensor& x, ForwardMode);
/// A batched matrix product.
Tensor batchProduct(Machine&, const Tensor& x, const Tensor& with);
/// The products of the matrices in the last two axes.
Tensor matmul(Machine&, const Tensor& x, const Tensor& with, const Dims& output);
/// x times the transposed weight, plus the bias if there is one. x has two axes.
Tensor affine(Machine&, const Tensor& x, const Tensor& weight, const Tensor& bias);
/// x for each of `samples` samples: a view. x has one sample with two axes; or only these axes.
Tensor repeated(Machine&, const Tensor& x, std::int64_t samples);
/// The sum over each part of a gradient that broadcasting had repeated, or over axes of another tensor. The
/// result has the shape `dims`, and the tensor's type or another.
Tensor sumTo(Machine&, const Tensor& gradient, const Dims& dims, std::optional<DType> type = std::nullopt);
/// softmax, in the type in which the device computes it. The axis does not matter.
Tensor probabilities(Machine&, const Tensor& x);
/// Of two broadcast inputs, the one that is as large as the output.
inline const Tensor& largerOf(const Tensor& x, const Tensor& with, const Dims& output) {
    return x->dims == output ? x : with;
}
/// The gradients of a product: `with`'s, then x's.
std::function<void(Machine&, Node&, Tensor&, Gradients&)> productBackward(const Tensor& x,
                                                                          const Tensor& with);
/// Adds `with` to x in place.
Tensor addInPlace(Machine&, const Tensor& x, const Tensor& with);
/// Whether the first operand of an activation's backward is the tensor, or a mask made of it, and not the
/// gradient: the result then has its strides.
bool readsFirst(stack::Activation::Kind kind);
/// What an activation's backward needs until its gradient is computed, besides what it saved.
std::vector<Tensor> gradientTemporaries(Machine&, stack::Activation::Kind, const Tensor& x,
                                        const Tensor& gradient);
/// Which elements of a tensor of these sizes fulfill a condition with a number, which is wrapped and cast.
Tensor compared(Machine&, const Dims& dims);
/// The node of a sum: both inputs get its gradient.
NodePtr sumNode(Machine&, const Tensor& a, const Tensor& b);
/// The key of one pass over these tensors.
ConvKey convKey(ConvKey::Pass pass, const Tensor& x, const Tensor& weight, const Tensor& bias,
                const Dims& output, const ConvArgs& args);
/// The result of a convolution that does not run (Machine::resumes).
Tensor withoutMemory(const Dims& dims);
/// Returns the shape of a convolution's output.
Dims convOutput(const Tensor& x, const Tensor& weight, const ConvArgs& args);
/// Returns the shape of a pool's output.
Dims poolOutput(const stack::Pool& pool, const Dims& input);
/// "conv_1x1", "depthwise", "conv_transpose" or "conv".
std::string_view convFamily(const ConvKey& key);
/// Replays a row's allocations. results[i] are the tensors that get their storage at the row's Result events.
void play(Machine&, const OpRow& row, const std::array<Tensor*, 3>& results,
          const std::array<Dims, 3>& shapes, Bytes outputBytes = 0);
/// Makes a node that passes its gradient on as a view of shape `dims`, which is contiguous if the gradient
/// is. With `copies`, a gradient that is not contiguous is copied first.
NodePtr viewNode(Machine&, const Tensor& x, const Dims& dims, bool copies);
/// For a view, such as instance_norm's output, that an in-place operator has overwritten (autograd's
/// CopySlices). In backward the base's gradient is copied; the view's part of it is cloned and passed through
/// the operator, whose other gradients are passed on; and the view's gradient is written into a tensor of the
/// base's size.
void rewriteView(Machine&, const Tensor& view, const NodePtr& node);
/// Allocates the temporaries of a sum to one scalar that several threads compute.
StoragePtr threadsSum(Machine&, std::int64_t elements);

}  // namespace highwater::predict::ghost
