#include "core/predict/fit/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace highwater::predict {

namespace {

using Families = std::map<std::string, Efficiency>;

/// The share of a roof that is assumed for a family of which nothing is known.
constexpr Efficiency kUnknown{0.05, 0.3, 0.9};

/// Assumed for an unknown machine: the FLOP/s of one processor thread, and the memory bandwidth.
constexpr double kThreadFlops = 3e10, kUnknownBandwidth = 1.2e10, kUnknownOverheadUs = 5;

struct Kernels {
    std::string_view family;
    double count;
};
/// Kernels that an operator of a family launches (aten/src/ATen/native/cuda). The C++ optimizers launch a
/// dozen each.
constexpr Kernels kKernels[] = {{"optimizer", 10}, {"norm", 2}, {"conv", 3}, {"conv_transpose", 3}};

double kernelsOf(std::string_view family) {
    for (const Kernels& row : kKernels) {
        if (row.family == family) {
            return row.count;
        }
    }
    return 1;
}

const Efficiency& find(const Families& families, const std::string& family) {
    const auto found = families.find(family);
    return found != families.end() ? found->second : kUnknown;
}

/// A family's roofs on a device; looked up once.
struct Roofs {
    std::string_view family;
    DType dtype;
    double flops = 0;  ///< 0: this family does not compute
    double bytes = 0;
    Efficiency compute, memory;
    double leastUs = 0, widest = 1;  ///< factor by which the least time may differ from the truth
};

/// Returns the tensor cores' roof for a type; 0 if there is none, or if fp32 does not use them.
double tensorRoof(const DeviceProfile& gpu, DType dtype, bool tf32) {
    switch (dtype) {
        case DType::Float16:
            return gpu.fp16;
        case DType::BFloat16:
            return gpu.bf16;
        default:
            return tf32 ? gpu.tf32 : 0;
    }
}

Roofs gpuRoofs(const DeviceProfile& gpu, const WalkOp& op) {
    constexpr std::string_view kTensor = "/tensor";
    const bool tf32 = op.family.ends_with(kTensor);
    const std::string family(op.family.substr(0, op.family.size() - (tf32 ? kTensor.size() : 0)));
    Roofs roofs{op.family, op.dtype, 0, gpu.bytesPerSecond, kUnknown, kUnknown, 0, 2.5};
    if (gpu.compute.contains(family)) {
        const double tensor = tensorRoof(gpu, op.dtype, tf32);
        roofs.flops = tensor > 0 ? tensor : gpu.fp32;
        roofs.compute = find(gpu.compute, tensor > 0 ? family + std::string(kTensor) : family);
        roofs.memory = find(gpu.memoryEfficiency, "elementwise");
    } else {
        roofs.memory = find(gpu.memoryEfficiency, family);
    }
    roofs.leastUs = gpu.launchUs * kernelsOf(family);
    return roofs;
}

bool isConvolution(std::string_view family) {
    return family.starts_with("conv") || family == "depthwise";
}

Roofs cpuRoofs(const Target& target, const WalkOp& op) {
    static const CpuSpeed kNone;
    const CpuSpeed& speed = target.calibration ? target.calibration->speed : kNone;
    const std::string family(op.family);
    const bool measured = speed.flops > 0 && speed.bytesPerSecond > 0;
    const double flops = measured ? speed.flops : kThreadFlops * std::max(1, target.cpu.threads);
    Roofs roofs{op.family, op.dtype, 0, measured ? speed.bytesPerSecond : kUnknownBandwidth,
                kUnknown,  kUnknown, 0, 2.5};
    if (isConvolution(op.family)) {
        roofs.flops = flops;
        roofs.compute = find(speed.compute, family);
        roofs.memory = find(speed.memory, "elementwise");
    } else {
        roofs.memory = find(speed.memory, family);
    }
    roofs.leastUs = measured ? speed.overheadUs : kUnknownOverheadUs;
    return roofs;
}

base::Millis time(const WalkOp& op, const Roofs& roofs, double compute, double memory, double least) {
    const double work = roofs.flops > 0 ? op.flops / (roofs.flops * compute) : 0;
    const double traffic = op.bytesMoved / (roofs.bytes * memory);
    return std::max({work * 1e3, traffic * 1e3, least * 1e-3});
}

TimeEstimate estimate(const WalkOp& op, const Roofs& r) {
    if (op.measuredUs > 0) {
        return {op.measuredUs * 0.8e-3, op.measuredUs * 1e-3, op.measuredUs * 1.25e-3};
    }
    return {time(op, r, r.compute.high, r.memory.high, r.leastUs / 2),
            time(op, r, r.compute.expected, r.memory.expected, r.leastUs),
            time(op, r, r.compute.low, r.memory.low, r.leastUs * r.widest)};
}

void addGuess(const Walk& walk, const Target& target, Prediction& prediction) {
    if (target.gpu) {
        if (target.gpu->efficiencySource == DeviceProfile::Source::Measured) {
            prediction.guesses.push_back(fmt::format(
                "times without a measured row follow the efficiencies measured on the {}", target.gpu->name));
        } else if (target.gpu->speedSource == DeviceProfile::Source::Datasheet) {
            prediction.guesses.push_back(fmt::format(
                "times follow the datasheet of the {} and a range of efficiencies, not measurements",
                target.gpu->name));
        }
        return;
    }
    const bool speeds = target.calibration && target.calibration->speed.flops > 0;
    if (!speeds &&
        std::any_of(walk.ops.begin(), walk.ops.end(), [](const WalkOp& op) { return op.measuredUs <= 0; })) {
        prediction.guesses.emplace_back("times are rough: the speed of this machine has not been measured");
    }
}

}  // namespace

std::vector<TimeEstimate> operatorTimes(const Walk& walk, const Target& target) {
    std::vector<Roofs> known;
    std::vector<TimeEstimate> times;
    times.reserve(walk.ops.size());
    for (const WalkOp& op : walk.ops) {
        auto roofs = std::find_if(known.begin(), known.end(), [&](const Roofs& r) {
            return r.family == op.family && r.dtype == op.dtype;
        });
        if (roofs == known.end()) {
            roofs = known.insert(known.end(), target.gpu ? gpuRoofs(*target.gpu, op) : cpuRoofs(target, op));
        }
        const TimeEstimate once = estimate(op, *roofs);
        times.push_back({once.low * op.repeats, once.expected * op.repeats, once.high * op.repeats});
    }
    return times;
}

void estimateTime(const Walk& walk, const Target& target, Prediction& prediction) {
    const auto times = operatorTimes(walk, target);
    for (std::size_t i = walk.stepOp[Walk::kSteps - 1]; i < walk.ops.size(); ++i) {
        const WalkOp& op = walk.ops[i];
        prediction.stepMs += times[i];
        if (op.layer < 0 || static_cast<std::size_t>(op.layer) >= prediction.layers.size()) {
            continue;
        }
        LayerPrediction& layer = prediction.layers[static_cast<std::size_t>(op.layer)];
        if (op.phase == memory::Phase::Forward) {
            layer.forwardMs += times[i];
        } else if (op.phase == memory::Phase::Backward || op.phase == memory::Phase::Recompute) {
            layer.backwardMs += times[i];
        }
    }
    addGuess(walk, target, prediction);
}

}  // namespace highwater::predict
