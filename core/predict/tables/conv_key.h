#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/stack/experiment.h"

/// One convolution pass as the backend sees it: everything that determines which kernel runs and which
/// temporaries it needs. Also the key of the calibration's rows.
namespace highwater::predict {

enum class DType : unsigned char { Float32, Float16, BFloat16, Int64, Bool };
std::int64_t sizeOf(DType type);  ///< bytes per element
/// The type in which convolutions compute, under autocast or in a 16-bit model.
DType typeOf(stack::Precision precision);

/// Number of elements of a block of these sizes.
inline std::int64_t productOf(const std::array<std::int64_t, 3>& sizes) {
    return sizes[0] * sizes[1] * sizes[2];
}

struct ConvKey {
    enum class Pass : unsigned char { Forward, Backward };
    Pass pass = Pass::Forward;
    int dims = 3;             ///< 1 to 3
    bool transposed = false;  ///< conv_transpose
    std::int64_t batch = 1, inChannels = 1, outChannels = 1, groups = 1;
    /// One value per axis (depth, height, width). The first `dims` are used, the rest keep these defaults.
    std::array<std::int64_t, 3> input{1, 1, 1}, output{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1},
        padding{0, 0, 0}, dilation{1, 1, 1}, outputPadding{0, 0, 0};
    bool bias = true;
    bool inputGradient = false;      ///< Backward: this gradient is computed
    bool weightGradient = false;     ///< Backward: this gradient is computed
    bool gradientContiguous = true;  ///< Backward: the incoming gradient is contiguous
    /// Backward of several groups in 2d or 3d, with a gradient that is not contiguous: its channels are last
    /// in memory, as after a permute; otherwise it is a part of a larger tensor.
    bool gradientTurned = false;
    bool inputContiguous = true;  ///< false: a part of a larger tensor (only affects passes on the CPU)
    DType dtype = DType::Float32;
    bool channelsLast = false;

    bool operator==(const ConvKey&) const = default;
    /// Canonical text without spaces, as in calibration files:
    /// "conv3d/f/n2/c16,32/i64,64,64/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/b".
    std::string text() const;

    // Numbers of elements; exact as long as the shapes are within stack/limits.h.
    std::int64_t inputElements() const;
    std::int64_t outputElements() const;
    std::int64_t weightElements() const;
    /// Elements of the storage that the CPU's forward allocates for its output. This is the output's size,
    /// except that a conv_transpose3d without groups first allocates it like its input and never shrinks it
    /// (aten/src/ATen/native/NaiveConvolutionTranspose3d.cpp).
    std::int64_t outputStorageElements() const;
    /// Multiply-adds of the forward pass (each gradient takes the same number).
    double multiplyAdds() const;
};

/// Reads a key from its text and computes the output's size. Errors, one line: text that is not a key (or not
/// in the canonical form); inconsistent sizes or exceed stack/limits.h.
base::Result<ConvKey> parseConvKey(std::string_view text);

}  // namespace highwater::predict
