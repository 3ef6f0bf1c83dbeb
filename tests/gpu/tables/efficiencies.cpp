#include <algorithm>
#include <cmath>

#include "core/predict/fit/conv_cost.h"
#include "core/predict/fit/roofline.h"
#include "core/predict/ghost/ops.h"
#include "core/predict/ghost/walk.h"
#include "core/stack/shapes.h"
#include "tests/gpu/tables/tables.h"

namespace highwater::reference {

namespace {

using predict::ConvKey;
using predict::DeviceProfile;
using predict::DType;
using Shares = std::map<std::string, std::vector<double>>;

constexpr std::size_t kFewest = 5;      // minimum number of values of a family
constexpr double kMemoryDecides = 0.5;  // of the memory's roof
constexpr std::int64_t kFewestChannels = 16;
constexpr double kBlocksDecide = 0.5;  // of the time
constexpr double kLaunchesDecide = 5;  // times their least time
constexpr double kConvolutionKernels = 3;

/// The number of kernels that an operator launches in the roofline model.
double kernelsOf(std::string_view family) {
    return family == "optimizer" ? 10 : family == "norm" ? 2 : 1;
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

/// Rounded to a thousandth, because a profile needs no more precision.
double rounded(double share) {
    return std::clamp(std::round(share * 1000) / 1000, 0.001, 1.0);
}

std::map<std::string, predict::Efficiency> summarise(Shares& shares, Efficiencies& made) {
    std::map<std::string, predict::Efficiency> families;
    for (auto& [family, values] : shares) {
        if (values.size() < kFewest) {
            continue;
        }
        std::sort(values.begin(), values.end());
        families[family] = {rounded(quantile(values, 0.05)), rounded(quantile(values, 0.5)),
                            rounded(quantile(values, 0.95))};
        made.values[family] = values.size();
    }
    return families;
}

// --- convolutions

struct Work {
    double flops = 0, bytes = 0, roof = 0;
    std::string family;
};

double partsOf(const ConvKey& op) {
    return op.pass == ConvKey::Pass::Forward ? 1 : op.inputGradient + op.weightGradient;
}

/// The rate of tensor cores; 0: they do not compute it.
double roofOf(const MeasuredConvolution& each, const DeviceProfile& gpu) {
    const DType dtype = each.op.op.dtype;
    return dtype == DType::Float16    ? gpu.fp16
           : dtype == DType::BFloat16 ? gpu.bf16
           : each.op.switches.tf32    ? gpu.tf32
                                      : 0;
}

/// As counted by the walk (core/predict/cuda/conv.cpp).
Work workOf(const MeasuredConvolution& each, const DeviceProfile& gpu) {
    const ConvKey& op = each.op.op;
    const double passes = partsOf(op);
    const double tensor = roofOf(each, gpu);
    const double elements =
        static_cast<double>(op.inputElements() + op.outputElements() + op.weightElements());
    const std::string family(predict::ghost::convFamily(op));
    const bool tf32 = op.dtype == DType::Float32;
    const double saves = tensor <= 0 && predict::runsWinograd(op) ? predict::kWinogradSaves : 1;
    return {2 * passes * op.multiplyAdds() / saves, passes * static_cast<double>(sizeOf(op.dtype)) * elements,
            tensor > 0 ? tensor : gpu.fp32,
            tensor > 0 ? predict::tensorFamilies(family, tf32, op.channelsLast).front() : family};
}

/// The fastest twentieth of the forward passes consists only of launches, each separate: the device waits for
/// the host between them.
double launchAlone(const std::vector<Source>& sources) {
    std::vector<double> times;
    for (const Source& source : sources) {
        for (const MeasuredConvolution& each : source.convolutions) {
            if (each.op.op.pass == ConvKey::Pass::Forward && each.row.microseconds > 0) {
                times.push_back(each.row.microseconds);
            }
        }
    }
    if (times.size() < kFewest) {
        return 0;
    }
    std::sort(times.begin(), times.end());
    return quantile(times, 0.05) / kConvolutionKernels;
}

/// The fraction that a 3D convolution reached of what limited its time (core/predict/fit/conv_cost.h), with
/// kRestOfConvolution for the rest. Nothing is learned from those on tensor cores without `benchmark`, whose
/// time depends on the choice of cuDNN's heuristics, nor from those with few output channels, which leave
/// most of a tile empty.
void addSpatial(const MeasuredConvolution& each, double seconds, const DeviceProfile& gpu, Shares& compute,
                Shares& memory) {
    const ConvKey& key = each.op.op;
    const double roof = roofOf(each, gpu), peak = roof > 0 ? roof : gpu.fp32;
    if (roof > 0 ? !each.op.switches.benchmark : key.outChannels < kFewestChannels) {
        return;
    }
    const double clock = static_cast<double>(gpu.attributes->clockKHz) * 1e3,
                 cached = predict::cachedBytesPerSecond(gpu);
    const RestOfConvolution& rest = kRestOfConvolution;
    const char* gathers = key.dtype == DType::Float32 ? "conv_3d/gather/tf32" : "conv_3d/gather";
    const predict::ConvCost cost = predict::convCost(key, roof > 0, each.op.switches.benchmark);
    const double computes = cost.flops / (peak * (roof > 0 ? rest.tensor : rest.plain)),
                 weighs = cost.weightFlops / (peak * rest.weight),
                 reads =
                     cost.gathered / (cached * (key.dtype == DType::Float32 ? rest.gatherTf32 : rest.gather)),
                 moves = cost.moved / (gpu.bytesPerSecond * rest.moved), waits = cost.cycles / clock;
    const bool converts = !key.channelsLast || roof <= 0;
    const double inside = std::max({computes + weighs, reads, waits}), left = seconds - moves;
    if (moves > inside) {
        if (converts && seconds > inside) {
            memory["conv_3d"].push_back(cost.moved / ((seconds - inside) * gpu.bytesPerSecond));
        }
    } else if (!converts || left <= seconds / 2 || waits >= std::max(computes + weighs, reads)) {
        return;
    } else if (reads > computes) {
        memory[gathers].push_back(cost.gathered / (left * cached));
    } else if (cost.weightFlops <= 0) {
        compute[roof > 0 ? "conv_3d/tensor" : "conv_3d"].push_back(cost.flops / (left * peak));
    } else if (left > computes) {
        compute["conv_3d/weight"].push_back(cost.weightFlops / ((left - computes) * peak));
    }
}

void addConvolutions(const Source& source, const DeviceProfile& gpu, double launchUs, Shares& shares,
                     Shares& memory) {
    for (const MeasuredConvolution& each : source.convolutions) {
        const double seconds = each.row.microseconds * 1e-6;
        const Work work = workOf(each, gpu);
        if (each.row.microseconds <= kLaunchesDecide * partsOf(each.op.op) * kConvolutionKernels * launchUs) {
            continue;
        }
        if (predict::convSeconds(each.op.op, gpu, each.op.switches.tf32, each.op.switches.benchmark)) {
            addSpatial(each, seconds, gpu, shares, memory);
            continue;
        }
        if (work.bytes > kMemoryDecides * gpu.bytesPerSecond * seconds) {
            continue;
        }
        shares[work.family].push_back(work.flops / (seconds * work.roof));
    }
}

// --- the rest, from layers

/// The work of the operators of one layer in one phase.
struct Stretch {
    double bytes = 0, kernels = 0;
    double cycles = 0;  ///< of the longest thread blocks
    std::string_view family;
    bool pure = true;  ///< of one family, and without copies between layouts
};
using Place = std::pair<int, memory::Phase>;

std::map<Place, Stretch> stretchesOf(const predict::Walk& walk, const DeviceProfile& gpu) {
    std::map<Place, Stretch> stretches;
    for (const predict::WalkOp& op : walk.ops) {
        if (op.step != predict::Walk::kSteps - 1) {
            continue;
        }
        const auto phase = op.phase == memory::Phase::Recompute ? memory::Phase::Backward : op.phase;
        Stretch& stretch = stretches[{op.layer, phase}];
        stretch.pure = stretch.pure && gpu.memoryEfficiency.contains(std::string(op.family)) &&
                       (stretch.family.empty() || stretch.family == op.family) &&
                       op.layoutCopies == predict::LayoutCopies{};
        stretch.family = op.family;
        stretch.bytes += predict::trafficOf(op);
        stretch.cycles += op.blockCycles;
        stretch.kernels += kernelsOf(op.family);
    }
    return stretches;
}

double millisOf(const wire::RunResult& result, const Place& place) {
    const auto& [layer, phase] = place;
    if (layer < 0) {
        return phase == memory::Phase::Optimizer ? result.phasesMs.optimizer : 0;
    }
    if (static_cast<std::size_t>(layer) >= result.layers.size()) {
        return 0;
    }
    const wire::LayerCost& cost = result.layers[static_cast<std::size_t>(layer)];
    return phase == memory::Phase::Forward    ? cost.forwardMs
           : phase == memory::Phase::Backward ? cost.backwardMs
                                              : 0;
}

/// Calls `take` with the walk's sections of each measured experiment, and their seconds.
template <class Take>
void eachStretch(const Source& source, const DeviceProfile& gpu, Take take) {
    for (const Measured& each : source.file.experiments) {
        if (!each.result || each.result->status != wire::RunStatus::Done) {
            continue;
        }
        const auto info = stack::inferShapes(each.experiment);
        const auto target =
            predict::gpuTarget(gpu.id, each.experiment, *predict::parseTorchVersion(source.key.libtorch),
                               *predict::parseCudnnVersion(source.key.cudnn));
        if (!info || !target) {
            continue;
        }
        const auto walk = predict::walk(each.experiment, *info, *target);
        if (!walk) {
            continue;
        }
        for (const auto& [place, stretch] : stretchesOf(*walk, gpu)) {
            take(stretch, millisOf(*each.result, place) * 1e-3);
        }
    }
}

void addLayers(const Source& source, const DeviceProfile& gpu, double launchUs, Shares& shares) {
    const double clock = gpu.attributes ? static_cast<double>(gpu.attributes->clockKHz) * 1e3 : 0;
    eachStretch(source, gpu, [&](const Stretch& stretch, double seconds) {
        const bool blocks = clock > 0 && stretch.cycles / clock > kBlocksDecide * seconds;
        if (stretch.pure && stretch.bytes > 0 && !blocks &&
            seconds * 1e6 > kLaunchesDecide * stretch.kernels * launchUs) {
            shares[std::string(stretch.family)].push_back(stretch.bytes / (seconds * gpu.bytesPerSecond));
        }
    });
}

/// The fastest twentieth of the times of one kernel in a run; 0 if there are too few.
double launchInRuns(const std::vector<Source>& sources, const DeviceProfile& gpu) {
    std::vector<double> times;
    for (const Source& source : sources) {
        eachStretch(source, gpu, [&](const Stretch& stretch, double seconds) {
            if (stretch.pure && stretch.family == "elementwise" && stretch.kernels == 1 && seconds > 0) {
                times.push_back(seconds * 1e6);
            }
        });
    }
    std::sort(times.begin(), times.end());
    return times.size() >= kFewest ? quantile(times, 0.05) : 0;
}

}  // namespace

Efficiencies efficienciesOf(const std::vector<Source>& sources, const DeviceProfile& profile) {
    Efficiencies made;
    const double alone = launchAlone(sources), inRuns = launchInRuns(sources, profile);
    made.launchUs = std::round((inRuns > 0 ? inRuns : alone) * 100) / 100;
    Shares compute, memory;
    for (const Source& source : sources) {
        addConvolutions(source, profile, alone, compute, memory);
        addLayers(source, profile, made.launchUs, memory);
    }
    made.compute = summarise(compute, made);
    made.memory = summarise(memory, made);
    return made;
}

}  // namespace highwater::reference
