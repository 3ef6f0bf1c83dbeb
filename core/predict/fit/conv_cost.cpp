#include "core/predict/fit/conv_cost.h"

#include <algorithm>
#include <cmath>

namespace highwater::predict {

namespace {

/// The tile sides of matrix products without tensor cores: for output channels (or input channels, for the
/// input's gradient), and for the weight's gradient.
constexpr double kTile = 32, kWeightTile = 128;

/// Clock cycles that the weight's gradient takes for each position, measured on an H200 at 1.98 GHz with
/// cuDNN 9.19: 30 if input channels times kernel positions are at most 54 (18 values), otherwise 54 to 66 (30
/// values). Six other shapes got a better plan.
constexpr double kFewRows = 54, kCyclesOfFewRows = 30, kCyclesOfRows = 57;

/// A transposed convolution moves its tensors at two thirds of the rate (12 values).
constexpr double kTransposedMoves = 1.5;

/// The time on tensor cores of the plan that cuDNN's heuristics choose, relative to the best of the ten that
/// `benchmark` times: low, expected, high. Measured on an H200 with cuDNN 9.19 in fp16, bf16 and TF32: 1.0 to
/// 4.8, once 6.6 and once 7.3, median 1.65 (39 values).
constexpr double kNotSearched[] = {1, 1.6, 4.5};

double filled(std::int64_t channels, double side) {
    return std::ceil(static_cast<double>(channels) / side) * side;
}

}  // namespace

ConvCost convCost(const ConvKey& key, bool tensorCores, bool benchmark) {
    const bool forward = key.pass == ConvKey::Pass::Forward;
    const bool input = !forward && key.inputGradient, weight = !forward && key.weightGradient;
    const double parts = (forward ? 1 : 0) + (input ? 1 : 0) + (weight ? 1 : 0);
    const double batch = static_cast<double>(key.batch), kernel = static_cast<double>(productOf(key.kernel));
    const double places = batch * static_cast<double>(productOf(key.transposed ? key.input : key.output));
    const double in = batch * static_cast<double>(productOf(key.input)),
                 out = batch * static_cast<double>(productOf(key.output)),
                 size = static_cast<double>(sizeOf(key.dtype));
    const auto inputs = static_cast<double>(key.inChannels), outputs = static_cast<double>(key.outChannels);
    const double moves = key.transposed ? kTransposedMoves : 1, each = 2 * places * kernel;
    ConvCost cost;
    if (tensorCores) {
        const double side = key.dtype == DType::Float32 ? 4 : 8;
        const double c = filled(key.inChannels, side), k = filled(key.outChannels, side);
        cost.flops = parts * each * c * k;
        cost.moved = moves * parts * size * (in * c + out * k + kernel * c * k);
        cost.gathered = places * kernel * size * (((forward || weight) ? c : 0) + (input ? k : 0));
        return cost;
    }
    cost.moved = moves * parts * size * (in * inputs + out * outputs + kernel * inputs * outputs);
    cost.flops = (forward ? each * inputs * filled(key.outChannels, kTile) : 0) +
                 (input ? each * outputs * filled(key.inChannels, kTile) : 0);
    cost.weightFlops = weight ? each * inputs * filled(key.outChannels, kWeightTile) : 0;
    if (weight && !benchmark) {
        const double rows = (key.transposed ? outputs : inputs) * kernel;
        cost.cycles = places * (rows <= kFewRows ? kCyclesOfFewRows : kCyclesOfRows);
    }
    return cost;
}

double cachedBytesPerSecond(const DeviceProfile& gpu) {
    return 128e3 * static_cast<double>(gpu.attributes->clockKHz * gpu.attributes->multiprocessors);
}

std::optional<ConvSeconds> convSeconds(const ConvKey& key, const DeviceProfile& gpu, bool tf32,
                                       bool benchmark) {
    if (key.dims != 3 || key.groups != 1 || !gpu.memoryEfficiency.contains("conv_3d") || !gpu.attributes) {
        return std::nullopt;
    }
    const double roof = key.dtype == DType::Float16    ? gpu.fp16
                        : key.dtype == DType::BFloat16 ? gpu.bf16
                        : tf32                         ? gpu.tf32
                                                       : 0;
    const bool tensor = roof > 0;
    const auto share = [](const std::map<std::string, Efficiency>& all, const char* family) {
        const auto at = all.find(family);
        return at != all.end() ? at->second : Efficiency{1, 1, 1};
    };
    const Efficiency moving =
        share(gpu.memoryEfficiency, tensor && key.channelsLast ? "elementwise" : "conv_3d");
    const Efficiency computing = share(gpu.compute, tensor ? "conv_3d/tensor" : "conv_3d"),
                     weighing = share(gpu.compute, "conv_3d/weight"),
                     gathering =
                         share(gpu.memoryEfficiency,
                               key.dtype == DType::Float32 ? "conv_3d/gather/tf32" : "conv_3d/gather");
    const ConvCost cost = convCost(key, tensor, benchmark);
    const double clock = static_cast<double>(gpu.attributes->clockKHz) * 1e3,
                 cached = cachedBytesPerSecond(gpu), peak = tensor ? roof : gpu.fp32;
    const auto seconds = [&](double e, double g, double m, double r, double cycles) {
        return std::max({cost.flops / (peak * e) + cost.weightFlops / (peak * g),
                         cost.gathered / (cached * r), cycles / clock}) +
               cost.moved / (gpu.bytesPerSecond * m);
    };
    const bool chosen = tensor && !benchmark;
    const auto slower = [&](std::size_t end) { return chosen ? kNotSearched[end] : 1; };
    return ConvSeconds{
        slower(0) * seconds(computing.high, weighing.high, moving.high, gathering.high, 0),
        slower(1) *
            seconds(computing.expected, weighing.expected, moving.expected, gathering.expected, cost.cycles),
        slower(2) * seconds(computing.low, weighing.low, moving.low, gathering.low, 1.2 * cost.cycles)};
}

}  // namespace highwater::predict
