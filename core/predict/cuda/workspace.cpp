#include "core/predict/cuda/workspace.h"

#include <algorithm>

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

Estimate ofMeasured(base::Bytes measured, const Estimate& range, const CudaSettings& settings,
                    bool searching) {
    if (settings.workspaceLimit && measured > *settings.workspaceLimit) {
        return {0, *settings.workspaceLimit, *settings.workspaceLimit};
    }
    if (searching && settings.benchmark) {
        return {measured, std::max(measured, range.expected), std::max(measured, range.high)};
    }
    return Estimate::of(measured);
}

/// No plan takes more than the limit, or than the device has.
Estimate ofAsked(const AskedPlans& plans, const CudaSettings& settings, base::Bytes memory, bool searching) {
    base::Bytes cap = settings.workspaceLimit.value_or(kMostColumnBytes);
    if (memory > 0) {
        cap = std::min(cap, memory);
    }
    if (!settings.benchmark) {
        return plans.first <= cap ? Estimate::of(plans.first)
                                  : Estimate{std::min(plans.least, cap), cap, cap};
    }
    if (searching) {
        return plans.most <= cap ? Estimate::of(plans.most) : Estimate{std::min(plans.first, cap), cap, cap};
    }
    return {std::min(plans.timedLeast, cap), std::min(plans.first, cap), std::min(plans.timedMost, cap)};
}

base::Bytes wholeBytes(double bytes) {
    return static_cast<base::Bytes>(std::min(bytes, static_cast<double>(kMostColumnBytes)));
}

}  // namespace

Estimate cudnnWorkspace(const ConvKey& op, ConvPart part, const CudaSettings& settings, int architecture) {
    const bool tensor = onTensorCores(op, settings, architecture);
    const double converted = conversion(op);
    const double sums = 4 * static_cast<double>(op.weightElements());
    double expected = tensor && !op.channelsLast ? converted : 0;
    double high = (op.channelsLast ? 0.5 : tensor ? 3 : 2) * converted + 16 * sums;
    if (part == ConvPart::WeightGradient) {
        expected += sums;
    }
    if (!settings.deterministic) {
        high = std::max(high, static_cast<double>(fftBytes(op)));
    }
    if (settings.benchmark) {
        high *= 5.0 / 3;
        expected = (expected + high) / 2;
    }
    const base::Bytes limit = settings.workspaceLimit.value_or(kMostColumnBytes);
    return {0, std::min(limit, wholeBytes(expected)), std::min(limit, wholeBytes(high))};
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

Workspace workspaceOf(const ConvKey& op, ConvPart part, const Target& target, bool searching) {
    const CudaSettings& settings = target.settings;
    Workspace found;
    found.part = part;
    if (const auto measured = measuredWorkspace(op, part, target)) {
        found.source = Workspace::Source::Measured;
        found.bytes = ofMeasured(*measured, cudnnWorkspace(op, part, settings, target.versions.architecture),
                                 settings, searching);
        return found;
    }
    const std::string question = questionName({op, switchesOf(settings)}, part);
    const auto* const answer = target.asked ? target.asked->find(question) : nullptr;
    if (answer != nullptr && *answer) {
        found.source = Workspace::Source::Asked;
        found.least = (*answer)->least;
        found.bytes = ofAsked(**answer, settings, target.memory, searching);
        return found;
    }
    found.bytes = cudnnWorkspace(op, part, settings, target.versions.architecture);
    if (answer == nullptr) {
        found.question = question;
    }
    return found;
}

}  // namespace highwater::predict
