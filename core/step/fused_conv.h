#pragma once

#include <cstdint>
#include <vector>

/// How the fused custom_conv is split into pieces, which determines its memory in addition to tensors. Both
/// the engine's kernels and the predictor use this file. Plain C++17, for device compilers too.
namespace highwater::stack {
struct CustomConv;
}

namespace highwater::step {

/// The shape of a fused custom_conv over three axes: 1d is (1, 1, length), 2d is (height, 1, width). The
/// first axis is the one along which planes are kept.
struct FusedConv {
    std::int64_t batch = 1, in = 1;
    std::int64_t groups = 1;  ///< number of transform channels
    std::int64_t each = 1;    ///< output channels per transform channel
    std::int64_t input[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, output[3] = {1, 1, 1};
    std::int64_t padding[3] = {0, 0, 0};  ///< zeros before each axis

    constexpr std::int64_t out() const { return groups * each; }
    constexpr std::int64_t places() const { return input[0] * input[1] * input[2]; }
    constexpr std::int64_t outputPlaces() const { return output[0] * output[1] * output[2]; }
    constexpr std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// `input`: N, C and the sizes of the 1 to 3 axes; valid (stack::inferShapes).
FusedConv fusedConvOf(const stack::CustomConv& op, const std::vector<std::int64_t>& input);

/// One piece of the CPU's forward: `channels` transform channels, `planes` x `rows` x `columns` of the
/// output. It holds as many planes of the transform as the kernel's depth.
struct FusedForwardTiles {
    std::int64_t channels = 1, planes = 1, rows = 1, columns = 1;
    std::int64_t pitch = 1;    ///< elements from row to row
    std::int64_t pieces = 1;   ///< total number of pieces
    std::int64_t scratch = 1;  ///< elements per thread
};
FusedForwardTiles forwardTiles(const FusedConv& conv);

/// One piece of the CPU's backward: `rows` x `columns` of one plane of the input, with the transform's
/// gradient for all its channels there. The weight's gradient is summed in `parts` groups of pieces; their
/// number does not depend on the number of threads.
struct FusedBackwardTiles {
    std::int64_t rows = 1, columns = 1;
    /// Elements from row to row: of the transform's gradient, and of the copied output gradient.
    std::int64_t pitch = 1, gradientPitch = 1;
    std::int64_t pieces = 1, parts = 1;
    std::int64_t scratch = 1;  ///< elements per thread
};
FusedBackwardTiles backwardTiles(const FusedConv& conv);

/// Returns how many thread blocks sum the weight's gradient on a GPU, each into separate memory.
std::int64_t cudaParts(const FusedConv& conv);

}  // namespace highwater::step
