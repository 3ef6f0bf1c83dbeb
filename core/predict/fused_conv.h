#pragma once

#include <cstdint>
#include <vector>

/// How the fused custom_conv is cut into pieces, and so what it takes beside tensors: the engine's kernels
/// and the predictor read the same. Plain C++17, for device compilers too.
namespace highwater::stack {
struct CustomConv;
}

namespace highwater::predict {

/// Its shape over three axes: 1d is (1, 1, length), 2d (height, 1, width), so that the first axis is the one
/// along which planes are kept.
struct FusedConv {
    std::int64_t batch = 1, in = 1;
    std::int64_t groups = 1;  ///< transform channels
    std::int64_t each = 1;    ///< outputs of one transform channel
    std::int64_t input[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, output[3] = {1, 1, 1};
    std::int64_t padding[3] = {0, 0, 0};  ///< zeros in front

    constexpr std::int64_t out() const { return groups * each; }
    constexpr std::int64_t places() const { return input[0] * input[1] * input[2]; }
    constexpr std::int64_t outputPlaces() const { return output[0] * output[1] * output[2]; }
    constexpr std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// `input`: N, C and the sizes of the 1 to 3 axes; valid (stack::inferShapes).
FusedConv fusedConvOf(const stack::CustomConv& op, const std::vector<std::int64_t>& input);

/// One piece of the CPU's forward: `channels` transform channels, `planes` x `rows` x `columns` of the
/// output. It keeps as many planes of the transform as the kernel is deep.
struct FusedForwardTiles {
    std::int64_t channels = 1, planes = 1, rows = 1, columns = 1;
    std::int64_t pitch = 1;    ///< elements from row to row
    std::int64_t pieces = 1;   ///< in all
    std::int64_t scratch = 1;  ///< elements, a thread
};
FusedForwardTiles forwardTiles(const FusedConv& conv);

/// One piece of the CPU's backward: `rows` x `columns` of one plane of the input, with the transform's
/// gradient of all its channels there. The weight's gradient is summed in `parts` runs of pieces, which do
/// not depend on the threads.
struct FusedBackwardTiles {
    std::int64_t rows = 1, columns = 1;
    std::int64_t pitch = 1,
                 gradientPitch = 1;  ///< of the transform's gradient; of the copied output gradient
    std::int64_t pieces = 1, parts = 1;
    std::int64_t scratch = 1;  ///< elements, a thread
};
FusedBackwardTiles backwardTiles(const FusedConv& conv);

/// On a GPU: the blocks that sum the weight's gradient, each into floats of its own.
std::int64_t cudaParts(const FusedConv& conv);

}  // namespace highwater::predict
