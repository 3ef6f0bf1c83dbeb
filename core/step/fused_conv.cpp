#include "core/step/fused_conv.h"

#include <algorithm>

#include "core/layers/custom_conv.h"

namespace highwater::step {

namespace {

constexpr std::int64_t kChunk = 32;       ///< maximum number of columns that the kernels process at once
constexpr std::int64_t kScratch = 24576;  ///< a piece should have fewer elements than this, to fit the L2
                                          ///< cache
constexpr std::int64_t kWidest = 512;
constexpr std::int64_t kPieces = 64;  ///< enough pieces for the threads of a workstation

std::int64_t over(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

std::int64_t upTo(std::int64_t value, std::int64_t multiple) {
    return over(value, multiple) * multiple;
}

/// Returns the elements read for one row of `columns`, including the kernel's reach, in whole chunks.
std::int64_t reach(std::int64_t columns, std::int64_t kernel) {
    return upTo(upTo(columns, kChunk) + kernel - 1, kChunk / 2);
}

}  // namespace

FusedConv fusedConvOf(const stack::CustomConv& op, const std::vector<std::int64_t>& input) {
    FusedConv conv;
    conv.batch = input[0];
    conv.in = input[1];
    conv.groups = op.transformChannels;
    conv.each = op.outChannels / op.transformChannels;
    const std::size_t dims = input.size() - 2;
    for (std::size_t axis = 0; axis < dims; ++axis) {
        const std::size_t to = dims == 3 ? axis : axis + 1 == dims ? 2 : 0;
        const stack::AxisWindow window = stack::windowAlong(op.kernelSize, {1}, {1}, op.padding, axis);
        conv.input[to] = input[axis + 2];
        conv.kernel[to] = window.kernel;
        conv.padding[to] = window.before;
        conv.output[to] = stack::slidSize(conv.input[to], window);
    }
    return conv;
}

FusedForwardTiles forwardTiles(const FusedConv& conv) {
    FusedForwardTiles tiles;
    tiles.columns = std::min(conv.output[2], kWidest);
    tiles.pitch = reach(tiles.columns, conv.kernel[2]);
    const std::int64_t beyond = conv.kernel[1] - 1;
    const auto rowsOf = [&](std::int64_t channels) {
        return kScratch / (channels * conv.kernel[0] * tiles.pitch) - beyond;
    };
    tiles.channels = std::min<std::int64_t>(conv.groups, 8);
    while (tiles.channels > 1 && rowsOf(tiles.channels) < 1) {
        tiles.channels /= 2;
    }
    tiles.rows = std::clamp<std::int64_t>(rowsOf(tiles.channels), 1, conv.output[1]);
    if (tiles.rows > 4 && tiles.rows < conv.output[1]) {
        tiles.rows -= tiles.rows % 4;
    }
    const std::int64_t sheets = conv.batch * over(conv.groups, tiles.channels) *
                                over(conv.output[1], tiles.rows) * over(conv.output[2], tiles.columns);
    const std::int64_t most = std::max<std::int64_t>(1, conv.output[0] / (4 * conv.kernel[0]));
    tiles.planes = over(conv.output[0], std::min(most, over(kPieces, sheets)));
    tiles.pieces = sheets * over(conv.output[0], tiles.planes);
    tiles.scratch = tiles.channels * conv.kernel[0] * (tiles.rows + beyond) * tiles.pitch;
    return tiles;
}

FusedBackwardTiles backwardTiles(const FusedConv& conv) {
    FusedBackwardTiles tiles;
    const std::int64_t most = std::max(kChunk, kScratch / conv.groups / kChunk * kChunk);
    tiles.columns = std::min({conv.input[2], kWidest, most});
    tiles.pitch = upTo(tiles.columns, kChunk);
    tiles.gradientPitch = reach(tiles.columns, conv.kernel[2]);
    tiles.rows = std::clamp<std::int64_t>(std::min(kWidest, most) / tiles.pitch, 1, conv.input[1]);
    tiles.pieces =
        conv.batch * conv.input[0] * over(conv.input[1], tiles.rows) * over(conv.input[2], tiles.columns);
    const std::int64_t partials = (std::int64_t{1} << 18) / (conv.groups * conv.in);
    tiles.parts = std::min(tiles.pieces, std::clamp<std::int64_t>(partials, 8, kPieces));
    tiles.scratch = conv.groups * tiles.rows * tiles.pitch +
                    conv.kernel[0] * (tiles.rows + conv.kernel[1] - 1) * tiles.gradientPitch;
    return tiles;
}

std::int64_t cudaParts(const FusedConv& conv) {
    constexpr std::int64_t kPlaces = 64, kMost = 528;  // four blocks for each multiprocessor of a large GPU
    const std::int64_t tiles = conv.batch * over(conv.places(), kPlaces);
    return std::min(tiles,
                    std::clamp<std::int64_t>((std::int64_t{1} << 20) / (conv.groups * conv.in), 16, kMost));
}

}  // namespace highwater::step
