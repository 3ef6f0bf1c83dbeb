#include <algorithm>

#include "core/predict/cuda_ops.h"

/// Convolutions of a GPU: cuDNN (Conv_v8.cpp, ConvShared.cpp), depthwise kernels, and the ones with a column
/// buffer (NaiveDilatedConvolution.cu, ConvolutionMM2d.cu, NaiveConvolutionTranspose*d.cu).
namespace highwater::predict::ghost {

namespace {

/// A convolution as its passes need it.
struct Convolution {
    ConvKey key;
    CudaConvBackend backend = CudaConvBackend::Cudnn;
    Dims x, weight, output;
    DType dtype = DType::Float32;

    bool inParts() const {
        return key.groups > 1 && backend != CudaConvBackend::Cudnn && backend != CudaConvBackend::Depthwise;
    }
};

/// What a column buffer adds to the traffic of a pass: it is written and read for every sample and group.
double columnTraffic(const Convolution& c) {
    if (c.backend == CudaConvBackend::Cudnn || c.backend == CudaConvBackend::Depthwise)
        return 0;
    return 2 * static_cast<double>(columnBytes(c.key)) * static_cast<double>(c.key.batch * c.key.groups);
}

/// The family of a convolution that TF32 brings to the tensor cores; fp16 and bf16 say so by their type.
std::string_view familyOf(const Machine& machine, const Convolution& c) {
    const std::string_view family = convFamily(c.key);
    const Target& target = machine.target;
    if (c.dtype != DType::Float32 || !target.settings.tf32 || target.gpu->tf32 <= 0)
        return family;
    for (const std::string_view tensor :
         {"conv/tensor", "conv_1x1/tensor", "depthwise/tensor", "conv_transpose/tensor"})
        if (tensor.starts_with(family) && tensor.size() == family.size() + 7)
            return tensor;
    return family;
}

void begin(Machine& machine, const Convolution& c, const ConvKey& key, std::string_view label,
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

StoragePtr cudnn(Machine& machine, const Convolution& c, ConvPart part) {
    return workspace(machine, "cudnn workspace",
                     workspaceOf(c.key, part, machine.target, machine.step() == 0));
}

/// From 2.0 on a block of the caching allocator (#86645), one a thread: autograd's has its own handle.
void useCublas(Machine& machine) {
    StoragePtr& kept = cudaState(machine).cublas[machine.phase() == Phase::Backward ? 1 : 0];
    if (!kept && machine.target.versions.libtorch >= memory::TorchVersion{2, 0})
        kept = workspace(machine, "cublas workspace", Estimate::of(machine.target.gpu->cublasWorkspace));
}

StoragePtr columns(Machine& machine, const Convolution& c) {
    machine.label("column buffer");
    StoragePtr made = machine.allocate(columnBytes(c.key));
    useCublas(machine);
    return made;
}

/// One group after the other, each from copies of its parts; the outputs are then joined.
Tensor slowInParts(Machine& machine, const Convolution& c) {
    const Bytes size = sizeOf(c.dtype);
    const StoragePtr parts = machine.allocate(c.output.elements() * size);
    {
        const StoragePtr input = machine.allocate(c.x.elements() / c.key.groups * size);
        const StoragePtr weight = machine.allocate(c.weight.elements() / c.key.groups * size);
        const StoragePtr buffer = columns(machine, c);
    }
    machine.label("conv");
    return machine.empty(c.output, c.dtype);
}

Tensor forward(Machine& machine, const Convolution& c, const Tensor& x) {
    const StoragePtr copy = contiguousCopy(machine, x);
    if (c.inParts())
        return slowInParts(machine, c);
    Tensor made = machine.empty(c.output, c.dtype);
    if (c.backend == CudaConvBackend::Cudnn) {
        const StoragePtr passing = cudnn(machine, c, ConvPart::Forward);
    } else if (c.backend != CudaConvBackend::Depthwise) {
        const StoragePtr buffer = columns(machine, c);
    }
    return made;
}

/// grad_input, then its workspace; grad_weight, then its own. A strided gradient is copied for each part
/// anew: after grad_input, before grad_weight.
void backwardCudnn(Machine& machine, const Convolution& c, const Node& self, const Tensor& gradient,
                   Gradients& out) {
    if (self.next[0]) {
        out[0] = machine.empty(c.x, c.dtype);
        const StoragePtr copy = contiguousCopy(machine, gradient);
        const StoragePtr passing = cudnn(machine, c, ConvPart::InputGradient);
    }
    machine.label("conv backward");
    if (self.next[1]) {
        const StoragePtr copy = contiguousCopy(machine, gradient);
        out[1] = machine.empty(c.weight, c.dtype);
        const StoragePtr passing = cudnn(machine, c, ConvPart::WeightGradient);
    }
    machine.label("conv backward");
}

/// All gradients, then one buffer for all samples in turn.
void backwardSlow(Machine& machine, const Convolution& c, const Node& self, Gradients& out) {
    if (self.next[0])
        out[0] = machine.empty(c.x, c.dtype);
    if (self.next[1])
        out[1] = machine.empty(c.weight, c.dtype);
    if (c.backend == CudaConvBackend::Depthwise)
        return;
    const Bytes size = sizeOf(c.dtype);
    const bool parts = c.inParts();
    const StoragePtr x = parts ? machine.allocate(c.x.elements() / c.key.groups * size) : nullptr;
    const StoragePtr y = parts ? machine.allocate(c.output.elements() / c.key.groups * size) : nullptr;
    const StoragePtr buffer = columns(machine, c);
    machine.label("conv backward");
}

void backward(Machine& machine, const Convolution& c, const Node& self, const Tensor& gradient,
              Gradients& out) {
    ConvKey key = c.key;
    key.pass = ConvKey::Pass::Backward;
    key.inputGradient = self.next[0] != nullptr;
    key.weightGradient = self.next[1] != nullptr;
    key.gradientContiguous = gradient->contiguous;
    begin(machine, c, key, "conv backward", (key.inputGradient ? 1 : 0) + (key.weightGradient ? 1 : 0));
    if (c.backend == CudaConvBackend::Cudnn) {
        backwardCudnn(machine, c, self, gradient, out);
    } else {
        const StoragePtr copy = contiguousCopy(machine, gradient);
        backwardSlow(machine, c, self, out);
    }
    if (self.next[2])
        out[2] = machine.empty({c.output[1]}, c.dtype);
}

CudaConvBackend backendOf(const Machine& machine, const ConvKey& key) {
    const CudaSettings& settings = machine.target.settings;
    return cudaConvBackend(key, settings.cudnn, machine.target.versions, settings.deterministic);
}

}  // namespace

/// A workspace that nobody measured is a guess; what needs none is known.
void lookUpCuda(Machine& machine, const ConvKey& key, Machine::Met& met) {
    const Target& target = machine.target;
    met.microseconds = measuredMicroseconds(key, target);
    met.known = true;
    if (backendOf(machine, key) != CudaConvBackend::Cudnn)
        return;
    const auto meet = [&](ConvPart part) {
        met.known = met.known && measuredWorkspace(key, part, target);
        met.guess += workspaceOf(key, part, target, false);
    };
    if (key.pass == ConvKey::Pass::Forward)
        meet(ConvPart::Forward);
    if (key.inputGradient)
        meet(ConvPart::InputGradient);
    if (key.weightGradient)
        meet(ConvPart::WeightGradient);
}

Tensor convCuda(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias,
                const ConvArgs& args) {
    // GCC evaluates the arguments of autocast's wrapper from the last to the first.
    const Tensor biases = castParameter(machine, bias), weights = castParameter(machine, weight);
    const Tensor input = isLow(autocastType(machine)) ? cast(machine, x, autocastType(machine)) : x;
    Convolution c;
    c.x = input->dims;
    c.weight = weights->dims;
    c.output = convOutput(input, weights, args);
    c.dtype = input->dtype;
    c.key = convKey(ConvKey::Pass::Forward, input, weights, biases, c.output, args);
    c.key.channelsLast = machine.target.settings.channelsLast && c.key.dims > 1;
    c.backend = backendOf(machine, c.key);

    const NodePtr node = machine.node({&input, &weights, &biases});
    begin(machine, c, c.key, "conv", 1);
    machine.save(node, input);
    machine.save(node, weights);
    Tensor made = forward(machine, c, input);
    if (node)
        node->apply = [c](Machine& m, Node& self, Tensor& gradient, Gradients& out) {
            backward(m, c, self, gradient, out);
        };
    made->edge = node;
    return made;
}

}  // namespace highwater::predict::ghost
