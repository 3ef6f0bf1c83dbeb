#include "core/predict/cuda_workspace.h"

#include <algorithm>

namespace highwater::predict {

namespace {

bool onTensorCores(const ConvKey& op, const CudaSettings& settings, int architecture) {
    return op.dtype == DType::Float32 ? settings.tf32 && architecture >= 80 : architecture >= 70;
}

double padded(std::int64_t channels, std::int64_t multiple) {
    return static_cast<double>((channels + multiple - 1) / multiple * multiple);
}

/// X + Y + W with padded channels.
double conversion(const ConvKey& op) {
    const std::int64_t multiple = op.dtype == DType::Float32 ? 4 : 8;
    const double in = padded(op.inChannels, multiple) / static_cast<double>(op.inChannels);
    const double out = padded(op.outChannels, multiple) / static_cast<double>(op.outChannels);
    return static_cast<double>(sizeOf(op.dtype)) *
           (in * static_cast<double>(op.inputElements()) + out * static_cast<double>(op.outputElements()) +
            in * out * static_cast<double>(op.weightElements()));
}

base::Bytes toBytes(double bytes) {
    return static_cast<base::Bytes>(std::min(bytes, static_cast<double>(kMostColumnBytes)));
}

}  // namespace

Estimate cudnnWorkspace(const ConvKey& op, ConvPart part, const CudaSettings& settings, int architecture) {
    const bool tensor = onTensorCores(op, settings, architecture);
    const double converted = conversion(op);
    const double sums = 4 * static_cast<double>(op.weightElements());
    double expected = tensor && !op.channelsLast ? converted : 0;
    double high = (op.channelsLast ? 0.5 : tensor ? 3 : 2) * converted + 16 * sums;
    if (part == ConvPart::WeightGradient)
        expected += sums;
    if (!settings.deterministic)
        high = std::max(high, static_cast<double>(fftBytes(op)));
    if (settings.benchmark) {
        high *= 5.0 / 3;
        expected = (expected + high) / 2;
    }
    const base::Bytes limit = settings.workspaceLimit.value_or(kMostColumnBytes);
    return {0, std::min(limit, toBytes(expected)), std::min(limit, toBytes(high))};
}

}  // namespace highwater::predict
