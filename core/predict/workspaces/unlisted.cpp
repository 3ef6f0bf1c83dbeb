#include "core/predict/workspaces/unlisted.h"

#include <algorithm>

namespace highwater::predict {

namespace {

constexpr base::Bytes kValue = 4;

/// True if all axes have this kernel, stride 1 and no dilation; padding may be anything.
bool plain(const ConvKey& op, std::int64_t kernel) {
    const auto all = [&](const std::array<std::int64_t, 3>& values, std::int64_t value) {
        return std::all_of(values.begin(), values.begin() + op.dims,
                           [&](std::int64_t each) { return each == value; });
    };
    return op.groups == 1 && !op.transposed && all(op.kernel, kernel) && all(op.stride, 1) &&
           all(op.dilation, 1);
}

base::Bytes winograd(const ConvKey& op) {
    const auto tiled = [](std::int64_t size) { return (size + 3) / 4 * 4; };
    const base::Bytes positions = tiled(op.input[0]) * tiled(op.input[1]);
    return kValue * op.batch * (op.inChannels + op.outChannels) * positions / 16 * 36 +
           36 * kValue * op.inChannels * op.outChannels;
}

base::Bytes fft(const ConvKey& op) {
    constexpr base::Bytes kTile = 32 * 17 * 2 * kValue;
    return kTile * (op.inChannels * op.outChannels + 2 * op.batch * (op.inChannels + op.outChannels));
}

std::optional<base::Bytes> transformed(const ConvKey& op, ConvPart part) {
    const std::int64_t narrow = std::min(op.inChannels, op.outChannels);
    if (part == ConvPart::WeightGradient && plain(op, 3) && narrow >= 64) {
        return winograd(op);
    }
    if (part == ConvPart::InputGradient && (plain(op, 3) || plain(op, 5)) && narrow >= 32 &&
        op.input[0] >= 64 && op.input[1] >= 64) {
        return fft(op);
    }
    return std::nullopt;
}

}  // namespace

/// For a convolution that is a matrix product: kernel 1, stride 1, contiguous.
std::optional<base::Bytes> product(const ConvKey& op, ConvPart part) {
    constexpr base::Bytes kFloat = 400, kHalf = 272;
    const bool half = op.dtype != DType::Float32;
    const std::int64_t positions = productOf(op.input), wide = std::max(op.inChannels, op.outChannels);
    if (!plain(op, 1) || op.channelsLast) {
        return std::nullopt;
    }
    if (part == ConvPart::Forward && half && op.outChannels % 2 != 0 && positions >= 32 * 32 * 32) {
        return std::nullopt;
    }
    if (part != ConvPart::WeightGradient) {
        return half ? std::optional(kHalf) : positions > 49 ? std::optional(kFloat) : std::nullopt;
    }
    const base::Bytes sums = 4 * op.batch * op.inChannels * op.outChannels;
    if (half) {
        return wide >= 128 ? std::optional(sums) : std::nullopt;
    }
    return op.dims == 2 && positions >= 784 ? std::optional(sums + kFloat) : std::nullopt;
}

/// The memory of the weight's gradient in TF32 in addition to the listed conversion: fp32 sums of tiles of
/// 128 x 128 (64 x 64 for 64 channels), each in as many parts as there are multiprocessors.
base::Bytes partialSums(const ConvKey& op) {
    constexpr std::int64_t kMultiprocessors = 132;
    const std::int64_t side = op.outChannels <= 64 ? 64 : 128, columns = op.inChannels * productOf(op.kernel);
    const std::int64_t tiles = (op.outChannels + side - 1) / side * ((columns + side - 1) / side);
    const std::int64_t parts = tiles > kMultiprocessors ? kMultiprocessors : kMultiprocessors / tiles * tiles;
    return parts > tiles || tiles > kMultiprocessors ? parts * side * side * kValue : 0;
}

bool sumsInParts(const ConvKey& op, ConvPart part, bool tf32) {
    return part == ConvPart::WeightGradient && tf32 && op.dtype == DType::Float32 && op.dims == 2 &&
           op.groups == 1 && !op.transposed && !op.channelsLast && op.inChannels >= 64;
}

std::optional<base::Bytes> unlistedWorkspace(const ConvKey& op, ConvPart part, bool tf32, int architecture) {
    constexpr base::Bytes kAligned = 16;
    if (architecture != 90) {
        return std::nullopt;
    }
    if (op.dtype != DType::Float32 || tf32) {
        return product(op, part);
    }
    if (op.dims != 2) {
        return std::nullopt;
    }
    const auto bytes = transformed(op, part);
    if (!bytes || !op.channelsLast) {
        return bytes;
    }
    return *bytes + kValue * (op.inputElements() + op.outputElements() + op.weightElements()) + kAligned;
}

base::Bytes runningWorkspace(const ConvKey& op, ConvPart part, bool tf32, int architecture,
                             base::Bytes listed) {
    const auto unlisted = unlistedWorkspace(op, part, tf32, architecture);
    if (!unlisted) {
        const bool parts = architecture == 90 && listed > 0 && sumsInParts(op, part, tf32);
        return listed + (parts ? partialSums(op) : 0);
    }
    return op.dtype == DType::Float32 && !tf32 ? *unlisted : std::min(listed, *unlisted);
}

}  // namespace highwater::predict
