#include "core/predict/ghost/cuda_ops.h"

#include "core/predict/cuda/reduce.h"

namespace highwater::predict::ghost {

CudaState& cudaState(Machine& machine) {
    if (!machine.deviceState) {
        machine.deviceState = std::make_shared<CudaState>();
    }
    return *static_cast<CudaState*>(machine.deviceState.get());
}

namespace {

void guess(Machine& machine) {
    if (machine.target.gpu->workspaceTable.empty()) {
        machine.walk.guesses.push_back(
            "what operators allocate on " + machine.target.gpu->name +
            " follows LibTorch 2.11's own code; of devices, only an H200 has been measured");
    }
}

}  // namespace

void startsCuda(Machine& machine) {
    guess(machine);
}

namespace {

/// The fp16 gradient scaler: the scale and its growth counter stay on the device from the first loss on.
void startScaler(Machine& machine) {
    if (!cudaState(machine).scaler.empty()) {
        return;
    }
    machine.label("grad scaler");
    for (int i = 0; i < 2; ++i) {
        StoragePtr number = machine.allocate(4);
        machine.retag(number, Category::OptimizerState);
        cudaState(machine).scaler.push_back(std::move(number));
    }
}

}  // namespace

/// The fp16 gradient scaler multiplies the loss.
Tensor scaledCuda(Machine& machine, const Tensor& loss) {
    if (machine.target.settings.precision != stack::Precision::Fp16 || !loss->edge) {
        return loss;
    }
    startScaler(machine);
    const NodePtr node = machine.node({&loss});
    machine.label("grad scaler");
    Tensor made = machine.empty({});  // the scale is fp32, and so is the product
    node->apply = [type = loss->dtype](Machine& m, Node&, Tensor&, Gradients& out) {
        Tensor product = m.empty({});
        out[0] = type == DType::Float32 ? std::move(product) : m.empty({}, type);
    };
    made->edge = node;
    return made;
}

/// With the scaler: 1 / scale, computed in double, and the scalar that indicates whether a gradient
/// overflowed.
void optimizeCuda(Machine& machine, const stack::Experiment& experiment,
                  const std::vector<Parameter*>& parameters, std::vector<OptimizerState>& states) {
    if (cudaState(machine).scaler.empty()) {
        optimize(machine, experiment, parameters, states);
        return;
    }
    machine.label("grad scaler");
    StoragePtr found;
    {
        StoragePtr inverse = machine.allocate(8);
        inverse = machine.allocate(8);
        inverse = machine.allocate(4);
        found = machine.allocate(4);
    }
    optimize(machine, experiment, parameters, states);
}

StoragePtr workspace(Machine& machine, std::string_view label, const Estimate& bytes) {
    machine.label(label);
    StoragePtr made = machine.allocate(bytes);
    machine.retag(made, Category::Workspace);
    return made;
}

const DeviceOps& cudaOps() {
    static constexpr DeviceOps kOps{
        .conv = convCuda,
        .pad = padCuda,
        .norm = normCuda,
        .layerNorm = layerNormCuda,
        .activation = activationCuda,
        .prelu = preluCuda,
        .pool = poolCuda,
        .adaptivePool = adaptivePoolCuda,
        .linear = linearCuda,
        .upsample = upsampleCuda,
        .dropout = dropoutCuda,
        .merge = mergeCuda,
        .attention = attentionCuda,
        .clone = clone,
        .loss = lossCuda,
        .weigh = weigh,
        .join = join,
        .accumulate = accumulateCuda,
        .arrive = arrive,
        .optimize = optimizeCuda,
        .generatorState = generatorStateCuda,
        .lookUp = lookUpCuda,
        .starts = startsCuda,
        .scaled = scaledCuda,
        .multiplied = multipliedCuda,
        .widen = widenCuda,
        .widenForSoftmax = widenForSoftmaxCuda,
        .shareSums = shareSums,
    };
    return kOps;
}

}  // namespace highwater::predict::ghost
