#include "core/predict/fit/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/predict/fit/conv_cost.h"
#include "core/predict/fit/transfers.h"

namespace highwater::predict {

namespace {

using Families = std::map<std::string, Efficiency>;

/// The share of a roof that is assumed for an unknown family.
constexpr Efficiency kUnknown{0.05, 0.3, 0.9};

/// Copies between layouts, if a profile says nothing about them, as shares of the fp32 bandwidth: assumed for
/// other devices from the H200's, measured at 0.20 to 0.46 (13 values) and 0.15 to 0.41 (10).
constexpr std::string_view kToChannelsLast = "to_channels_last", kToContiguous = "to_contiguous";
constexpr Efficiency kTurning[] = {{0.15, 0.35, 0.5}, {0.12, 0.2, 0.35}};
/// Beyond the L2 cache, where lines are read again: a factor on the share of toContiguous. Measured on an
/// H200: 0.40 to 0.77 (4 copies), 0.46 to 0.60 (4 other operators).
constexpr double kBeyondCache = 0.45;
constexpr double kTurnedBytes = 8;  ///< bytes per element, read and written in fp32

/// How far the time of a thread block may differ from its computed cycles.
constexpr double kBlockLow = 0.75, kBlockHigh = 1.6;

/// Assumed for an unknown machine: the FLOP/s of one processor thread, and the memory bandwidth.
constexpr double kThreadFlops = 3e10, kUnknownBandwidth = 1.2e10, kUnknownOverheadUs = 5;

/// The overhead of an operator on a CPU: the dispatcher, autograd's node, the engine's books. Stacks of 1 and
/// 41 layers of 16 values took 9.5 us more per layer, forward and backward (LibTorch 1.13, AVX-512).
constexpr double kOperatorUs = 5;
/// The overhead of a micro-batch or a window, and of a step: 8 micro-batches of one sample each took 0.11 ms
/// more than one of 8, including 6 operators.
constexpr double kPartUs = 80, kStepUs = 50;
/// If the machine's speed was measured, an operator's time is within the expected time divided by and
/// multiplied by this.
constexpr double kCalibrated = 2;

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

/// What determines an operator's roofs on a device.
struct Kind {
    std::string_view family;
    DType dtype = DType::Float32;
    bool channelsLast = false;
    bool operator==(const Kind&) const = default;
};

/// A kind's roofs on a device; looked up once.
struct Roofs {
    Kind kind;
    double flops = 0;  ///< 0: this family has no FLOP roof
    double bytes = 0;
    Efficiency compute, memory;
    double leastUs = 0, widest = 1;  ///< factor by which the least time may be off
    double clock = 0;                ///< clock of a GPU, in Hz; 0: unknown
    double fixedUs = 0;              ///< on a CPU: overhead
    bool calibrated = false;         ///< a CPU whose speed was measured
    Efficiency toChannelsLast = kTurning[0], toContiguous = kTurning[1];
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

constexpr std::string_view kTensor = "/tensor", kColumns = "conv_columns";

/// The share that the profile states for the most specific of these families.
Efficiency mostParticular(const Families& families, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (families.contains(name)) {
            return families.at(name);
        }
    }
    return kUnknown;
}

Efficiency stated(const Families& families, std::string_view family, const Efficiency& otherwise) {
    const auto found = families.find(std::string(family));
    return found != families.end() ? found->second : otherwise;
}

/// The family, or the wider one that includes it if the profile does not state it.
std::string known(const DeviceProfile& gpu, std::string_view family) {
    constexpr std::pair<std::string_view, std::string_view> kWider[] = {
        {"concat", "copy"}, {"pool_backward", "pool"}, {"upsample_backward", "upsample"}};
    for (const auto& [narrow, wide] : kWider) {
        if (family == narrow && !gpu.memoryEfficiency.contains(std::string(narrow))) {
            return std::string(wide);
        }
    }
    return std::string(family == kColumns ? "conv" : family);
}

Roofs gpuRoofs(const DeviceProfile& gpu, const Kind& kind) {
    const bool tf32 = kind.family.ends_with(kTensor);
    const std::string family =
        known(gpu, kind.family.substr(0, kind.family.size() - (tf32 ? kTensor.size() : 0)));
    Roofs roofs{kind, 0, gpu.bytesPerSecond, kUnknown, kUnknown, 0, 2.5};
    roofs.clock = gpu.attributes ? static_cast<double>(gpu.attributes->clockKHz) * 1e3 : 0;
    roofs.toChannelsLast = stated(gpu.memoryEfficiency, kToChannelsLast, roofs.toChannelsLast);
    roofs.toContiguous = stated(gpu.memoryEfficiency, kToContiguous, roofs.toContiguous);
    if (gpu.compute.contains(family)) {
        const double tensor = tensorRoof(gpu, kind.dtype, tf32);
        roofs.flops = tensor > 0 ? tensor : gpu.fp32;
        roofs.compute = tensor > 0
                            ? mostParticular(gpu.compute, tensorFamilies(family, tf32, kind.channelsLast))
                            : find(gpu.compute, family);
        roofs.memory =
            stated(gpu.memoryEfficiency, kind.family.starts_with(kColumns) ? kColumns : "elementwise",
                   find(gpu.memoryEfficiency, "elementwise"));
    } else {
        roofs.memory = find(gpu.memoryEfficiency, family);
    }
    roofs.leastUs = gpu.launchUs * kernelsOf(family);
    return roofs;
}

bool isConvolution(std::string_view family) {
    return family.starts_with("conv") || family == "depthwise";
}

Roofs cpuRoofs(const Target& target, const Kind& kind) {
    static const CpuSpeed kNone;
    const CpuSpeed& speed = target.calibration ? target.calibration->speed : kNone;
    const std::string family(kind.family);
    const bool measured = speed.flops > 0 && speed.bytesPerSecond > 0;
    const double flops = measured ? speed.flops : kThreadFlops * std::max(1, target.cpu.threads);
    Roofs roofs{kind, 0, measured ? speed.bytesPerSecond : kUnknownBandwidth, kUnknown, kUnknown, 0, 2.5};
    if (isConvolution(kind.family)) {
        roofs.flops = flops;
        roofs.compute = find(speed.compute, family);
        roofs.memory = find(speed.memory, "elementwise");
    } else {
        roofs.memory = find(speed.memory, family);
    }
    roofs.leastUs = measured ? speed.overheadUs : kUnknownOverheadUs;
    roofs.fixedUs = kOperatorUs;
    roofs.calibrated = measured;
    return roofs;
}

/// The operations that a kernel executes of those counted.
double executed(const WalkOp& op, const ConvKey* key, const Target& target) {
    const bool plain = target.gpu && op.dtype == DType::Float32 && !op.family.ends_with(kTensor);
    return plain && key != nullptr && runsWinograd(*key) ? op.flops / kWinogradSaves : op.flops;
}

base::Millis time(const WalkOp& op, double flops, const Roofs& roofs, double compute, double memory,
                  double least, double block) {
    const double work = roofs.flops > 0 ? flops / (roofs.flops * compute) : 0;
    const double traffic = trafficOf(op) / (roofs.bytes * memory);
    const double cycles = roofs.clock > 0 ? block * op.blockCycles / roofs.clock : 0;
    return std::max({work * 1e3, traffic * 1e3, cycles * 1e3, least * 1e-3});
}

/// The time of copies between layouts.
base::Millis turning(const LayoutCopies& copies, const Roofs& roofs, double toChannelsLast,
                     double toContiguous) {
    const double elements = copies.toChannelsLast / toChannelsLast + copies.toContiguous / toContiguous +
                            copies.beyondCache / (toContiguous * kBeyondCache);
    return elements * kTurnedBytes / roofs.bytes * 1e3;
}

TimeEstimate ofWork(const WalkOp& op, double flops, const Roofs& r) {
    if (op.measuredUs > 0) {
        return {op.measuredUs * 0.8e-3, op.measuredUs * 1e-3, op.measuredUs * 1.25e-3};
    }
    if (op.guessedUs > 0) {
        return {op.guessedUs / kCalibrated * 1e-3, op.guessedUs * 1e-3, op.guessedUs * kCalibrated * 1e-3};
    }
    TimeEstimate made{time(op, flops, r, r.compute.high, r.memory.high, r.leastUs / 2, kBlockLow),
                      time(op, flops, r, r.compute.expected, r.memory.expected, r.leastUs, 1),
                      time(op, flops, r, r.compute.low, r.memory.low, r.leastUs * r.widest, kBlockHigh)};
    if (r.calibrated) {
        made.low = std::max(made.low, made.expected / kCalibrated);
        made.high = std::min(made.high, made.expected * kCalibrated);
    }
    return made;
}

/// A fixed time, from half to twice its value.
TimeEstimate fixed(double microseconds) {
    return {microseconds / 2 * 1e-3, microseconds * 1e-3, microseconds * 2e-3};
}

TimeEstimate estimate(const WalkOp& op, double flops, const Roofs& r) {
    TimeEstimate made = ofWork(op, flops, r);
    if (op.measuredUs <= 0 && op.guessedUs <= 0) {  // measured rows include it
        made += fixed(r.fixedUs);
    }
    return made;
}

/// The same, using the GPU profile's figures for 3d convolutions.
TimeEstimate estimate(const WalkOp& op, const ConvKey* key, const Target& target, const Roofs& r) {
    TimeEstimate made = estimate(op, executed(op, key, target), r);
    if (target.gpu && key != nullptr && op.measuredUs <= 0 && !op.family.starts_with(kColumns)) {
        if (const auto seconds =
                convSeconds(*key, *target.gpu, op.family.ends_with(kTensor), target.settings.benchmark)) {
            made = {std::max(seconds->low * 1e3, r.leastUs / 2 * 1e-3),
                    std::max(seconds->expected * 1e3, r.leastUs * 1e-3),
                    std::max(seconds->high * 1e3, r.leastUs * r.widest * 1e-3)};
        }
    }
    if (target.gpu) {
        const LayoutCopies& copies = op.layoutCopies;
        made += {turning(copies, r, r.toChannelsLast.high, r.toContiguous.high),
                 turning(copies, r, r.toChannelsLast.expected, r.toContiguous.expected),
                 turning(copies, r, r.toChannelsLast.low, r.toContiguous.low)};
    }
    return made;
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
        prediction.guesses.emplace_back(
            "times are rough: the speed of this machine has not been measured; `highwater-cli devices "
            "--calibrate` does");
    }
}

/// The operator's convolution pass; nullptr if it is not a convolution.
const ConvKey* convolutionOf(const Walk& walk, const WalkOp& op) {
    const bool has =
        op.convolution >= 0 && static_cast<std::size_t>(op.convolution) < walk.convolutions.size();
    return has ? &walk.convolutions[static_cast<std::size_t>(op.convolution)].key : nullptr;
}

}  // namespace

std::vector<std::string> tensorFamilies(const std::string& family, bool tf32, bool channelsLast) {
    std::vector<std::string> names;
    const std::string tensor = family + std::string(kTensor);
    if (channelsLast) {
        names.push_back(tensor + "/channels_last");
    }
    if (tf32) {
        names.push_back(family + "/tf32");
    }
    names.push_back(tensor);
    return names;
}

bool runsWinograd(const ConvKey& key) {
    const auto are = [](const std::array<std::int64_t, 3>& sizes, std::int64_t height, std::int64_t width) {
        return sizes[0] == height && sizes[1] == width;
    };
    return key.dims == 2 && !key.transposed && key.groups == 1 && key.dtype == DType::Float32 &&
           are(key.kernel, 3, 3) && are(key.stride, 1, 1) && are(key.dilation, 1, 1);
}

double trafficOf(const WalkOp& op) {
    // Their kernels process one element at a time: in 16 bits they take as long as in 32.
    for (const std::string_view family : {"pool", "pool_backward", "upsample", "upsample_backward"}) {
        if (op.family == family) {
            return op.bytesMoved * std::max(1.0, 4.0 / static_cast<double>(sizeOf(op.dtype)));
        }
    }
    return op.bytesMoved;
}

std::vector<TimeEstimate> operatorTimes(const Walk& walk, const Target& target) {
    std::vector<Roofs> known;
    std::vector<TimeEstimate> times;
    times.reserve(walk.ops.size());
    for (const WalkOp& op : walk.ops) {
        if (op.transfer >= 0) {
            times.emplace_back();
            continue;
        }
        const ConvKey* key = convolutionOf(walk, op);
        const Kind kind{op.family, op.dtype, key != nullptr && key->channelsLast};
        auto roofs =
            std::find_if(known.begin(), known.end(), [&](const Roofs& each) { return each.kind == kind; });
        if (roofs == known.end()) {
            roofs =
                known.insert(known.end(), target.gpu ? gpuRoofs(*target.gpu, kind) : cpuRoofs(target, kind));
        }
        const TimeEstimate once = estimate(op, key, target, *roofs);
        times.push_back({once.low * op.repeats, once.expected * op.repeats, once.high * op.repeats});
    }
    addWaits(walk, target, times);
    return times;
}

TimeEstimate wholeStep(const TimeEstimate& sum, const DeviceProfile& gpu) {
    constexpr double kLow = 0.72, kHigh = 2.1, kMoreMs = 2;
    if (gpu.efficiencySource != DeviceProfile::Source::Measured) {
        return sum;
    }
    return {std::max(sum.low, kLow * sum.expected), sum.expected,
            std::min(sum.high, kHigh * sum.expected + kMoreMs)};
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
    if (target.gpu) {
        prediction.stepMs = wholeStep(prediction.stepMs, *target.gpu);
    } else {
        prediction.stepMs += fixed(kStepUs + walk.parts * kPartUs);
    }
    if (!walk.transfers.empty()) {
        prediction.guesses.push_back(
            fmt::format("times of transfers to the host's memory follow {}, not measurements",
                        target.gpu && target.gpu->hostBytesPerSecond > 0 ? "the datasheet's rate of the link"
                                                                         : "a guess of the link's rate"));
    }
    addGuess(walk, target, prediction);
}

}  // namespace highwater::predict
