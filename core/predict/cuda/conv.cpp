#include "core/predict/cuda/reduce.h"
#include "core/predict/ghost/cuda_ops.h"
#include "core/predict/ghost/strides.h"

/// Convolutions on a GPU: cuDNN (Conv_v8.cpp, ConvShared.cpp), depthwise kernels, and those with a column
/// buffer (NaiveDilatedConvolution.cu, ConvolutionMM2d.cu, NaiveConvolutionTranspose*d.cu).
namespace highwater::predict::ghost {

namespace {

/// The data that both passes of a convolution need.
struct Convolution {
    ConvKey key;
    CudaConvBackend backend = CudaConvBackend::Cudnn;
    Dims x, weight, output;
    DType dtype = DType::Float32;
    bool channelsLast = false;  ///< the layout in which it is computed
    bool inputChannelsLast = false, weightChannelsLast = false;
    bool weightCopied = false;  ///< by the kernels without cuDNN
    bool inputCopied = false;   ///< x is not in the layout that the kernel needs

    /// The convolution of one group.
    Convolution part() const {
        Convolution made = *this;
        made.x[1] /= key.groups;
        made.output[1] /= key.groups;
        made.weight[0] /= key.groups;
        return made;
    }
    bool inParts() const {
        return key.groups > 1 && backend != CudaConvBackend::Cudnn && backend != CudaConvBackend::Depthwise;
    }
};

/// The bytes that a column buffer adds to a pass's memory traffic: it is written and read for every sample
/// and group.
double columnTraffic(const Convolution& c) {
    if (c.backend == CudaConvBackend::Cudnn || c.backend == CudaConvBackend::Depthwise) {
        return 0;
    }
    return 2 * static_cast<double>(columnBytes(c.key)) * static_cast<double>(c.key.batch * c.key.groups);
}

/// The convolution's family. TF32 convolutions on tensor cores have a separate family; for fp16 and bf16 the
/// type identifies it.
std::string_view familyOf(const Machine& machine, const Convolution& c) {
    const bool columns = c.backend != CudaConvBackend::Cudnn && c.backend != CudaConvBackend::Depthwise;
    const std::string_view family = columns ? "conv_columns" : convFamily(c.key);
    const Target& target = machine.target;
    if (c.dtype != DType::Float32 || !target.settings.tf32 || target.gpu->tf32 <= 0) {
        return family;
    }
    for (const std::string_view tensor : {"conv/tensor", "conv_1x1/tensor", "depthwise/tensor",
                                          "conv_transpose/tensor", "conv_columns/tensor"}) {
        if (tensor.starts_with(family) && tensor.size() == family.size() + 7) {
            return tensor;
        }
    }
    return family;
}

void beginCudnn(Machine& machine, const Convolution& c, const ConvKey& key, std::string_view label,
                double passes) {
    const Machine::Met& met = machine.meet(key);
    const double bytes = static_cast<double>(key.inputElements()) +
                         static_cast<double>(key.outputElements()) +
                         static_cast<double>(key.weightElements());
    WalkOp& op =
        machine.op(label, familyOf(machine, c), passes * static_cast<double>(sizeOf(key.dtype)) * bytes,
                   2 * passes * key.multiplyAdds());
    op.bytesMoved += passes * columnTraffic(c);
    op.measuredUs = met.microseconds;
    op.dtype = key.dtype;
    op.convolution = met.index;
}

/// With `benchmark`, plans are timed if a convolution is new to the thread that runs it (Conv_v8.cpp, a
/// thread_local cache of plans): in one block, which is halved until it fits; afterwards the allocator's
/// cache is emptied.
void search(Machine& machine, const Convolution& c, ConvPart part) {
    const Target& target = machine.target;
    const bool autograd = machine.phase() == Phase::Backward || machine.phase() == Phase::Recompute;
    if (!target.settings.benchmark || !cudaState(machine)
                                           .searched[autograd ? 1 : 0]
                                           .insert(partName({c.key, switchesOf(target.settings)}, part))
                                           .second) {
        return;
    }
    base::Bytes live = 0;
    for (const Category category : memory::kCategories) {
        live += machine.live(category);
    }
    const StoragePtr held = workspace(machine, "cudnn search", searchOf(c.key, part, target, live));
    if (held) {
        machine.walk.blocks[held->block].least = 0;
        machine.walk.blocks[held->block].emptiesCache = true;
    }
}

StoragePtr cudnn(Machine& machine, const Convolution& c, ConvPart part) {
    search(machine, c, part);
    const Workspace found = workspaceOf(c.key, part, machine.target);
    Walk& walk = machine.walk;
    Walk::CudnnCall& call = walk.cudnnCalls.emplace_back();
    call.event = walk.events.size();
    call.convolution = walk.ops.back().convolution;
    call.part = part;
    StoragePtr made = workspace(machine, "cudnn workspace", found.bytes);
    if (made) {
        call.block = static_cast<std::int32_t>(made->block);
    }
    if (made && found.source == Workspace::Source::Asked) {
        walk.blocks[made->block].least = found.least;
    }
    return made;
}

/// The layout that cuDNN computes in (cudnn_conv_suggest_memory_format).
bool computesChannelsLast(const Tensor& x, const Tensor& weight) {
    return x->dims.rank >= 4 && (x->channelsLast || weight->channelsLast);
}

/// ConvolutionMM2d.cu: allocates the columns first, then runs cuBLAS.
void slowConv2d(Machine& machine, const Convolution& c, Tensor& made) {
    made = resizedTo(machine, c.output, c.dtype);
    machine.label("column buffer");
    const StoragePtr columns = machine.allocate(columnBytes(c.key));
    useCublas(machine);
}

/// NaiveDilatedConvolution.cu: allocates the output, then the columns with resize_.
void slowDilated(Machine& machine, const Convolution& c, Tensor& made) {
    made = machine.empty(c.output, c.dtype);
    machine.label("column buffer");
    const StoragePtr columns = machine.allocate(columnBytes(c.key));
    resized(machine, c.dtype);
    useCublas(machine);
}

/// NaiveConvolutionTranspose*d.cu: allocates columns, and a tensor of ones for the bias. In 3d the output
/// first has the input's size.
void slowTranspose(Machine& machine, const Convolution& c, Tensor& made) {
    if (c.key.dims == 3) {
        const StoragePtr first = machine.allocate(c.x.elements() * sizeOf(c.dtype));
        made = resizedTo(machine, c.output, c.dtype);
    } else {
        made = machine.empty(c.output, c.dtype);
    }
    machine.label("column buffer");
    const StoragePtr columns = machine.allocate(columnBytes(c.key));
    const StoragePtr ones =
        c.key.bias || c.key.dims == 3 ? machine.allocate(c.output.spatial() * sizeOf(c.dtype)) : nullptr;
    useCublas(machine);
}

Tensor slowForward(Machine& machine, const Convolution& c, const Tensor& x, const Tensor& weight) {
    const StoragePtr weights = temporaryCopy(machine, weight), copy = temporaryCopy(machine, x);
    Tensor made;
    if (c.backend == CudaConvBackend::SlowTranspose) {
        slowTranspose(machine, c, made);
    } else if (c.backend == CudaConvBackend::SlowDilated) {
        slowDilated(machine, c, made);
    } else {
        slowConv2d(machine, c, made);
    }
    return made;
}

/// Groups, and samples of a bias's gradient, allocate the same memory, so only this many are walked one by
/// one.
constexpr std::int64_t kAlikeWalked = 256;

/// The outputs of groups that are not walked, until all are joined, as one block: each rounded up to whole
/// blocks of the allocator.
StoragePtr ofOtherGroups(Machine& machine, const Convolution& c, const Dims& part) {
    constexpr Bytes kBlock = 512;
    const Bytes each = (part.elements() * sizeOf(c.dtype) + kBlock - 1) / kBlock * kBlock;
    return machine.allocate(std::max<std::int64_t>(0, c.key.groups - kAlikeWalked) * each);
}

/// Runs one group after another, each on copies of its parts; then joins the outputs.
Tensor slowInParts(Machine& machine, const Convolution& c, const Tensor& x) {
    const StoragePtr whole = temporaryCopy(machine, x);
    const Convolution part = c.part();
    const Bytes size = sizeOf(c.dtype);
    std::vector<Tensor> parts;
    for (std::int64_t g = 0; g < std::min(c.key.groups, kAlikeWalked); ++g) {
        // With one sample, a group is a contiguous part of the whole.
        const StoragePtr input = c.x[0] > 1 ? machine.allocate(part.x.elements() * size) : nullptr;
        Tensor& made = parts.emplace_back();
        if (c.backend == CudaConvBackend::SlowTranspose) {
            slowTranspose(machine, part, made);
        } else if (c.backend == CudaConvBackend::SlowDilated) {
            slowDilated(machine, part, made);
        } else {
            slowConv2d(machine, part, made);
        }
        machine.label("conv");
    }
    const StoragePtr others = ofOtherGroups(machine, c, part.output);
    return machine.empty(c.output, c.dtype);
}

Tensor forward(Machine& machine, const Convolution& c, const Tensor& x, const Tensor& weight) {
    if (c.backend != CudaConvBackend::Cudnn && c.backend != CudaConvBackend::Depthwise) {
        return c.inParts() ? slowInParts(machine, c, x) : slowForward(machine, c, x, weight);
    }
    const bool channelsLast = c.backend == CudaConvBackend::Cudnn && computesChannelsLast(x, weight);
    const StoragePtr copy = layoutCopy(machine, x, channelsLast);
    if (c.backend == CudaConvBackend::Depthwise) {
        Tensor made = resizedTo(machine, c.output, c.dtype);
        const StoragePtr weights = temporaryCopy(machine, weight);
        return made;
    }
    Tensor made = emptyAs(machine, c.output, c.dtype, channelsLast);
    const StoragePtr weights = layoutCopy(machine, weight, channelsLast);
    const StoragePtr passing = cudnn(machine, c, ConvPart::Forward);
    return made;
}

/// Allocates grad_input, then its workspace; then grad_weight and its own workspace. Before both, input and
/// gradient are converted to one layout. A gradient that has this layout but is strided is copied again for
/// each part: after grad_input, and before grad_weight.
void backwardCudnn(Machine& machine, const Convolution& c, const Node& self, const Tensor& gradient,
                   Gradients& out) {
    const bool input = c.inputCopied && self.next[1];
    const StoragePtr x = input ? machine.allocate(c.x.elements() * sizeOf(c.dtype)) : nullptr;
    if (input && c.inputChannelsLast != c.channelsLast) {
        turns(machine, c.x, c.dtype, c.channelsLast);
    }
    const bool layout = input ? c.channelsLast : c.inputChannelsLast;
    const bool copies = c.key.transposed ? !liesAs(gradient, layout) : seemsChannelsLast(gradient) != layout;
    Tensor y = gradient;
    if (copies) {
        y = emptyAs(machine, gradient->dims, gradient->dtype, layout);
        if (gradient->channelsLast != layout) {
            turns(machine, gradient->dims, gradient->dtype, layout);
        }
    }
    const bool channelsLast = layout || y->channelsLast;
    if (self.next[0]) {
        const bool its = c.weightChannelsLast || y->channelsLast;
        out[0] = emptyAs(machine, c.x, c.dtype, its);
        const StoragePtr copy = layoutCopy(machine, y, its);
        const StoragePtr passing = cudnn(machine, c, ConvPart::InputGradient);
    }
    machine.label("conv backward");
    if (self.next[1]) {
        const StoragePtr copy = layoutCopy(machine, y, channelsLast);
        out[1] = emptyAs(machine, c.weight, c.dtype, channelsLast);
        const StoragePtr passing = cudnn(machine, c, ConvPart::WeightGradient);
    }
    machine.label("conv backward");
}

/// Allocates gradients and columns in each kernel's order.
void backwardSlow(Machine& machine, const Convolution& c, const std::array<bool, 3>& wanted, Gradients& out) {
    // slow_conv2d's backward allocates the buffer even if it does not use it.
    const Bytes unused =
        c.x[1] * (c.weight.elements() / (c.weight[0] * c.weight[1])) * c.output.spatial() * sizeOf(c.dtype);
    const Bytes bytes = c.backend == CudaConvBackend::SlowConv2d ? unused : columnBytes(c.key);
    const auto columns = [&](bool resizes) {
        machine.label("column buffer");
        StoragePtr made = machine.allocate(bytes);
        if (resizes) {
            resized(machine, c.dtype);
        }
        useCublas(machine);
        machine.label("conv backward");
        return made;
    };
    const Dims bias{c.output[1]};
    if (c.backend == CudaConvBackend::SlowDilated) {
        for (const std::size_t i : {0U, 1U, 2U}) {
            if (wanted[i]) {
                out[i] = machine.empty(i == 0 ? c.x : i == 1 ? c.weight : bias, c.dtype);
            }
        }
        const StoragePtr buffer = columns(true);
        for (std::int64_t sample = 0; wanted[2] && sample < std::min(c.x[0], kAlikeWalked); ++sample) {
            const Tensor sum = machine.empty(bias, c.dtype);
        }
        return;
    }
    if (c.backend == CudaConvBackend::SlowConv2d) {
        if (wanted[0]) {
            out[0] = resizedTo(machine, c.x, c.dtype);
        }
        StoragePtr buffer = wanted[0] ? columns(true) : nullptr;
        if (wanted[2]) {
            out[2] = resizedTo(machine, bias, c.dtype);
        }
        if (wanted[1]) {
            out[1] = resizedTo(machine, c.weight, c.dtype);
        }
        if (wanted[1] && !buffer) {
            buffer = columns(true);
        }
        return;
    }
    if (wanted[0]) {
        out[0] = resizedTo(machine, c.x, c.dtype);
        const StoragePtr buffer = columns(false);
    }
    if (wanted[1]) {
        out[1] = resizedTo(machine, c.weight, c.dtype);
    }
    if (wanted[2]) {
        out[2] = resizedTo(machine, bias, c.dtype);
    }
    if (wanted[1] || wanted[2]) {
        const StoragePtr buffer = columns(false);
    }
}

void backwardSlow(Machine& machine, const Convolution& c, const Node& self, const Tensor& gradient,
                  Gradients& out) {
    const std::array<bool, 3> wanted{self.next[0] != nullptr, self.next[1] != nullptr,
                                     self.next[2] != nullptr};
    const Bytes size = sizeOf(c.dtype);
    const StoragePtr x = c.inputCopied ? machine.allocate(c.x.elements() * size) : nullptr;
    const StoragePtr copy = temporaryCopy(machine, gradient);
    const StoragePtr weights = c.weightCopied ? machine.allocate(c.weight.elements() * size) : nullptr;
    if (!c.inParts()) {
        backwardSlow(machine, c, wanted, out);
        return;
    }
    const Convolution part = c.part();
    std::vector<Gradients> parts(static_cast<std::size_t>(std::min(c.key.groups, kAlikeWalked)));
    for (Gradients& made : parts) {
        const StoragePtr y = c.x[0] > 1 ? machine.allocate(part.output.elements() * size) : nullptr;
        const StoragePtr input = c.x[0] > 1 ? machine.allocate(part.x.elements() * size) : nullptr;
        backwardSlow(machine, part, wanted, made);
    }
    std::array<StoragePtr, 3> others;
    for (const std::size_t i : {0U, 1U, 2U}) {
        if (wanted[i]) {
            others[i] = ofOtherGroups(machine, c,
                                      i == 0   ? part.x
                                      : i == 1 ? part.weight
                                               : Dims{part.output[1]});
        }
    }
    for (const std::size_t i : {0U, 1U, 2U}) {
        if (wanted[i]) {
            out[i] = machine.empty(i == 0 ? c.x : i == 1 ? c.weight : Dims{c.output[1]}, c.dtype);
        }
    }
}

/// The 2d kernels compute the weight's gradient first.
void backwardDepthwise(Machine& machine, const Convolution& c, const Node& self, const Tensor& gradient,
                       Gradients& out) {
    const StoragePtr copy = temporaryCopy(machine, gradient);
    const StoragePtr x =
        c.inputCopied && self.next[1] ? machine.allocate(c.x.elements() * sizeOf(c.dtype)) : nullptr;
    const bool space = c.key.dims == 3;
    for (const std::size_t i : {space ? 0U : 1U, space ? 1U : 0U}) {
        if (self.next[i]) {
            out[i] = resizedTo(machine, i == 0 ? c.x : c.weight, c.dtype);
        }
    }
}

void convBackward(Machine& machine, const Convolution& c, const Node& self, const Tensor& gradient,
                  Gradients& out) {
    ConvKey key = c.key;
    key.pass = ConvKey::Pass::Backward;
    key.inputGradient = self.next[0] != nullptr;
    key.weightGradient = self.next[1] != nullptr;
    key.gradientContiguous = gradient->contiguous;
    beginCudnn(machine, c, key, "conv backward", (key.inputGradient ? 1 : 0) + (key.weightGradient ? 1 : 0));
    if (c.backend == CudaConvBackend::Cudnn) {
        backwardCudnn(machine, c, self, gradient, out);
    } else if (c.backend == CudaConvBackend::Depthwise) {
        backwardDepthwise(machine, c, self, gradient, out);
    } else {
        backwardSlow(machine, c, self, gradient, out);
    }
    machine.label("conv backward");
    if (self.next[2] && !out[2]) {
        out[2] = machine.empty({c.output[1]}, c.dtype);
        shareSums(machine, gradient, Axes{}.set().reset(1), {});
    }
}

CudaConvBackend backendOf(const Machine& machine, const ConvKey& key) {
    const CudaSettings& settings = machine.target.settings;
    return cudaConvBackend(key, settings.cudnn, machine.target.versions, settings.deterministic);
}

}  // namespace

/// A workspace that was neither measured nor asked of cuDNN is a guess. A convolution that needs no workspace
/// is known.
void lookUpCuda(Machine& machine, const ConvKey& key, Machine::Met& met) {
    const Target& target = machine.target;
    met.microseconds = target.settings.cudnn ? measuredMicroseconds(key, target) : 0;
    met.known = true;
    if (backendOf(machine, key) != CudaConvBackend::Cudnn) {
        return;
    }
    for (const ConvPart part : kConvParts) {
        if (hasPart(key, part)) {
            Workspace found = workspaceOf(key, part, target);
            met.known = met.known && found.source != Workspace::Source::Guessed;
            met.asked = met.asked || found.source == Workspace::Source::Asked;
            met.guess += found.bytes;
            found.layer = machine.layer();
            machine.walk.workspaces.push_back(std::move(found));
        }
    }
}

Tensor convCuda(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias,
                const ConvArgs& args) {
    // GCC evaluates the arguments of autocast's wrapper from last to first.
    const Tensor biases = castParameter(machine, bias), weights = castParameter(machine, weight);
    const Tensor input = isLow(autocastType(machine)) ? cast(machine, x, autocastType(machine)) : x;
    Convolution c;
    c.x = input->dims;
    c.weight = weights->dims;
    c.output = convOutput(input, weights, args);
    c.dtype = input->dtype;
    c.key = convKey(ConvKey::Pass::Forward, input, weights, biases, c.output, args);
    c.key.channelsLast = computesChannelsLast(input, weights);
    c.backend = backendOf(machine, c.key);

    const NodePtr node = machine.node({&input, &weights, &biases});
    if (!machine.resumes) {
        beginCudnn(machine, c, c.key, "conv", 1);
    }
    machine.save(node, input);
    machine.save(node, weights);
    c.channelsLast = computesChannelsLast(input, weights);
    c.inputChannelsLast = input->channelsLast;
    c.weightChannelsLast = weights->channelsLast;
    c.weightCopied = !liesAs(weights, false);
    c.inputCopied = !liesAs(input, c.backend == CudaConvBackend::Cudnn && c.channelsLast);
    Tensor made = machine.resumes ? withoutMemory(c.output) : forward(machine, c, input, weights);
    if (node) {
        node->apply = [c](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            convBackward(m, c, self, gradient, out);
        };
    }
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
