#include "core/predict/workspaces/workspace.h"

#include <algorithm>

#include "core/predict/workspaces/unlisted.h"
#include "core/predict/workspaces/workspace_rule.h"

namespace highwater::predict {

namespace {

bool onTensorCores(const ConvKey& op, const CudaSettings& settings, int architecture) {
    return op.dtype == DType::Float32 ? settings.tf32 && architecture >= 80 : architecture >= 70;
}

double padded(std::int64_t channels, std::int64_t multiple) {
    return static_cast<double>((channels + multiple - 1) / multiple * multiple);
}

/// X + Y + W (the bytes of input, output and weight) with padded channels.
double conversion(const ConvKey& op) {
    const std::int64_t multiple = op.dtype == DType::Float32 ? 4 : 8;
    const double in = padded(op.inChannels, multiple) / static_cast<double>(op.inChannels);
    const double out = padded(op.outChannels, multiple) / static_cast<double>(op.outChannels);
    return static_cast<double>(sizeOf(op.dtype)) *
           (in * static_cast<double>(op.inputElements()) + out * static_cast<double>(op.outputElements()) +
            in * out * static_cast<double>(op.weightElements()));
}

/// No plan takes more than the limit, or more than the device has.
base::Bytes most(const Target& target) {
    const base::Bytes limit = target.settings.workspaceLimit.value_or(kMostColumnBytes);
    return target.memory > 0 ? std::min(limit, target.memory) : limit;
}

Estimate ofMeasured(base::Bytes measured, const Target& target) {
    const auto& limit = target.settings.workspaceLimit;
    return limit && measured > *limit ? Estimate{0, *limit, *limit} : Estimate::of(measured);
}

Estimate ofAsked(const AskedPlans& plans, const Target& target) {
    const base::Bytes cap = most(target);
    if (target.asksLaterCudnn()) {
        const base::Bytes largest = target.settings.benchmark ? plans.timedMost : plans.first;
        return {0, std::min(plans.first, cap), std::min(largest, cap)};
    }
    if (!target.settings.benchmark) {
        return plans.first <= cap ? Estimate::of(plans.first)
                                  : Estimate{std::min(plans.least, cap), cap, cap};
    }
    return {std::min(plans.timedLeast, cap), std::min(plans.first, cap), std::min(plans.timedMost, cap)};
}

/// Includes a plan that cuDNN does not list without a device. Under `benchmark` it may be the fastest.
Estimate withUnlisted(const ConvKey& op, ConvPart part, Estimate asked, const Target& target) {
    const int architecture = target.versions.architecture;
    const auto unlisted = unlistedWorkspace(op, part, target.settings.tf32, architecture);
    if (!unlisted) {
        return asked;
    }
    const base::Bytes cap = most(target), bytes = std::min(*unlisted, cap);
    const base::Bytes runs = runningWorkspace(op, part, target.settings.tf32, architecture, asked.expected);
    return {std::min(asked.low, bytes), target.settings.benchmark ? asked.expected : std::min(runs, cap),
            std::max(asked.high, bytes)};
}

/// Whether the device could hold the convolution's tensors. cuDNN is slow for sizes that no device can hold,
/// and no answer would change the prediction.
bool isOnDevice(const ConvKey& op, const Target& target) {
    const double elements = static_cast<double>(op.inputElements()) +
                            static_cast<double>(op.outputElements()) +
                            static_cast<double>(op.weightElements());
    return static_cast<double>(sizeOf(op.dtype)) * elements <=
           static_cast<double>(target.memory > 0 ? target.memory : kMostColumnBytes);
}

/// cuDNN's answer; nullptr if it was not asked.
const std::optional<AskedPlans>* answerTo(const std::string& question, const Target& target) {
    return target.asked ? target.asked->find(question) : nullptr;
}

/// Multiples of X + Y + W.
struct Multiples {
    double expected = 0, high = 0;
};
Multiples multiples(bool tensorCores, bool channelsLast, bool benchmark, CudnnStage stage, bool before9) {
    if (before9) {
        const double high = channelsLast ? 0.5 : tensorCores ? 3 : 2;
        return {tensorCores && !channelsLast ? 1.0 : 0, benchmark ? high * 5 / 3 : high};
    }
    if (!tensorCores) {
        return {0, 1.1};
    }
    if (stage == CudnnStage::Search) {
        return channelsLast ? Multiples{1, 5.3} : Multiples{1.5, 7};
    }
    return {channelsLast ? 0.0 : 1.0, !benchmark ? 2.5 : channelsLast ? 3.5 : 4.1};
}

/// The first version of cuDNN that can be asked about a GPU that is not present.
constexpr CudnnVersion kOldestAsked{9, 8, 0};

base::Bytes wholeBytes(double bytes) {
    return static_cast<base::Bytes>(std::min(bytes, static_cast<double>(kMostColumnBytes)));
}

}  // namespace

Estimate cudnnWorkspace(const ConvKey& op, ConvPart part, const CudaSettings& settings,
                        const CudaVersions& versions, CudnnStage stage) {
    const bool before9 = versions.cudnn.major < 9;
    const Multiples times = multiples(onTensorCores(op, settings, versions.architecture), op.channelsLast,
                                      settings.benchmark, stage, before9);
    const double sums = 4 * static_cast<double>(op.weightElements());
    double expected = times.expected * conversion(op);
    double high = times.high * conversion(op) + 16 * sums;
    if (part == ConvPart::WeightGradient) {
        expected += sums;
    }
    const bool unasked = versions.cudnn < kOldestAsked;
    if ((before9 || (unasked && settings.benchmark)) && !settings.deterministic) {
        high = std::max(high, static_cast<double>(fftBytes(op)));
    }
    const base::Bytes limit = settings.workspaceLimit.value_or(kMostColumnBytes);
    return {0, std::min(limit, wholeBytes(expected)), std::min(limit, wholeBytes(high))};
}

RuledWorkspace ruledWorkspace(const GpuConvolution& convolution, ConvPart part,
                              const CudaVersions& versions) {
    CudaSettings settings;
    settings.tf32 = convolution.switches.tf32;
    settings.deterministic = convolution.switches.deterministic;
    settings.channelsLast = convolution.op.channelsLast;
    RuledWorkspace ruled;
    ruled.runs = cudnnWorkspace(convolution.op, part, settings, versions).expected;
    settings.benchmark = true;
    ruled.most = std::max(
        ruled.runs, cudnnWorkspace(convolution.op, part, settings, versions, CudnnStage::Search).expected);
    return ruled;
}

std::optional<base::Bytes> workspaceOnDevice(const GpuConvolution& convolution, ConvPart part,
                                             int architecture, base::Bytes listed) {
    const auto runs = runningWorkspace(convolution.op, part, convolution.switches.tf32, architecture, listed);
    return runs != listed ? std::optional(runs) : std::nullopt;
}

GpuSwitches switchesOf(const CudaSettings& settings) {
    return {settings.tf32, settings.benchmark, settings.deterministic};
}

std::optional<base::Bytes> measuredWorkspace(const ConvKey& op, ConvPart part, const Target& target) {
    const GpuTable* const table = target.gpuTable.get();
    if (table == nullptr || table->key().architecture != target.versions.architecture) {
        return std::nullopt;
    }
    return table->workspace({op, switchesOf(target.settings)}, part);
}

double measuredMicroseconds(const ConvKey& op, const Target& target) {
    const GpuTable* const table = target.gpuTable.get();
    const GpuOpRow* const row = table != nullptr && table->key().device == target.id
                                    ? table->find({op, switchesOf(target.settings)})
                                    : nullptr;
    return row != nullptr ? row->microseconds : 0;
}

Workspace workspaceOf(const ConvKey& op, ConvPart part, const Target& target) {
    Workspace found;
    found.part = part;
    if (const auto measured = measuredWorkspace(op, part, target)) {
        found.source = Workspace::Source::Measured;
        found.bytes = ofMeasured(*measured, target);
        return found;
    }
    const std::string question = questionName({op, switchesOf(target.settings)}, part);
    const auto* const answer = answerTo(question, target);
    if (answer != nullptr && *answer) {
        found.source = Workspace::Source::Asked;
        found.least = (*answer)->least;
        found.bytes = withUnlisted(op, part, ofAsked(**answer, target), target);
        return found;
    }
    found.bytes = cudnnWorkspace(op, part, target.settings, target.versions);
    if (answer == nullptr && isOnDevice(op, target)) {
        found.question = question;
    }
    return found;
}

bool searchIsUnknown(const Target& target) {
    const CudnnVersion& cudnn = target.versions.cudnn;
    return target.asksLaterCudnn() || (cudnn.major == 9 && cudnn < kOldestAsked);
}

Estimate searchOf(const ConvKey& op, ConvPart part, const Target& target, base::Bytes live) {
    constexpr double kReserved = 1.2;  // estimated reserved memory relative to allocated memory
    const base::Bytes cap = most(target), device = target.memory > 0 ? target.memory : kMostColumnBytes;
    const base::Bytes free = std::clamp<base::Bytes>(device - live, 0, cap);
    const base::Bytes surely =
        std::clamp<base::Bytes>(device - wholeBytes(kReserved * static_cast<double>(live)), 0, cap);
    const auto* const answer = answerTo(questionName({op, switchesOf(target.settings)}, part), target);
    Estimate block;
    if (answer != nullptr && *answer) {
        const base::Bytes first = std::min((*answer)->first, surely), all = (*answer)->most;
        if (searchIsUnknown(target)) {
            return {0, std::min(all, surely), free};
        }
        return all <= surely ? Estimate::of(all)
                             : Estimate{first, std::max(first, surely), std::min(all, free)};
    }
    block = cudnnWorkspace(op, part, target.settings, target.versions, CudnnStage::Search);
    if (const auto measured = measuredWorkspace(op, part, target)) {
        block = {*measured, std::max(*measured, block.expected), std::max(*measured, block.high)};
    }
    return {std::min(block.low, surely), std::min(block.expected, surely),
            searchIsUnknown(target) ? free : std::min(block.high, free)};
}

}  // namespace highwater::predict
