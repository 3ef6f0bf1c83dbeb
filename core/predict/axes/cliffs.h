#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/predict/profile.h"
#include "core/predict/tables/conv_key.h"
#include "core/stack/shapes.h"

/// Shapes at which memory jumps (memory-model.md section 3).
namespace highwater::predict {

/// What decides where the cliffs are.
struct CudaVersions {
    memory::TorchVersion libtorch = kDefaultTorch;
    CudnnVersion cudnn = bundledCudnn(kDefaultTorch);
    int architecture = 80;  ///< compute capability x 10; bf16 convolutions use cuDNN from 80 on
};

struct Cliff {
    enum class Kind {
        IndexRange,  ///< a tensor of 2^31 elements: cuDNN is not used
        Autocast,    ///< fp16 or bf16 conv3d leaves cuDNN
        Algorithm    ///< the shape lies where cuDNN is known to switch to a hungrier algorithm
    };
    Kind kind = Kind::IndexRange;
    int layer = -1;  ///< index into StackInfo::layers
    std::string layerName;
    base::Bytes bytes = 0;  ///< what it asks for in one piece beyond the ordinary
    std::string message;    ///< one line: what happens, with which versions, and what is safe
    /// By axis ("depth", "height", "width", "batch_size"): the nearest values of the *input's* patch (or the
    /// batch) on the safe side, the others as they are: the nearest below, then, where there is one, the
    /// nearest above. Only sizes that the stack accepts.
    std::map<std::string, std::vector<std::int64_t>> safe;
    bool operator==(const Cliff&) const = default;
};
std::string_view cliffKey(Cliff::Kind kind);  ///< "index_range", "autocast", "algorithm"

/// How LibTorch runs one convolution on a GPU, forward and backward alike (ConvParams::use_cudnn and
/// _select_conv_backend in aten/src/ATen/native/Convolution.cpp, 1.13 to 2.15). SlowDilated is also what 3d
/// convolutions without cuDNN use: SlowConv3d is the CPU's and never chosen here. 1d runs as 2d.
enum class CudaConvBackend { Cudnn, Depthwise, SlowConv2d, SlowConv3d, SlowDilated, SlowTranspose };
CudaConvBackend cudaConvBackend(const ConvKey& op, bool cudnnEnabled, const CudaVersions& versions,
                                bool deterministic = false);

/// Why cuDNN is not used for a convolution that is not depthwise.
enum class CudnnRefusal {
    None,
    Disabled,       ///< by the user
    IndexRange,     ///< one sample's input or output has more than 2^31-1 elements
    Autocast,       ///< fp16 or bf16, 3d, kernel not 1, contiguous, with versions that avoid a faulty kernel
    Bfloat16,       ///< architecture below 80, or LibTorch 1.13
    Deterministic,  ///< dilated, contiguous, deterministic, LibTorch before 2.9
    OutputPadding   ///< conv_transpose whose output_padding reaches the stride
};
CudnnRefusal cudnnRefusal(const ConvKey& op, bool cudnnEnabled, const CudaVersions& versions,
                          bool deterministic = false);

/// The column buffer of LibTorch's own convolutions, for one sample (and one group):
/// C_in/groups * kD*kH*kW * D_o*H_o*W_o * element size (NaiveDilatedConvolution.cu, ConvolutionMM2d.cu),
/// conv_transpose C_out/groups * kD*kH*kW * D_i*H_i*W_i (NaiveConvolutionTranspose*d.cu); none for what is
/// one matrix product, 1d and 2d kernel 1 with stride 1 and no padding.
base::Bytes columnBytes(const ConvKey& op);
inline constexpr base::Bytes kMostColumnBytes = base::Bytes{1} << 60;  ///< what overflows counts as this

/// What an FFT algorithm of cuDNN would take for a large kernel, if it was chosen: a guess, from the padded
/// spectra of input, output and weight. 0 where no such algorithm applies (kernel below 7 along two axes,
/// stride, dilation, groups, kernel above 32, or 16 in 3d).
base::Bytes fftBytes(const ConvKey& op);

/// The convolutions that a layer runs forward, in order, as the backend meets them: padding modes other than
/// zeros, and the uneven rest of "same", are applied before and enlarge the input. Empty for other layers.
/// `input` is N, C, spatial.
std::vector<ConvKey> convolutionsOf(const stack::Op& op, const stack::Shape& input, const stack::Step& step);

/// Of a valid experiment. Empty for the CPU, that is: callers do not ask. A microsecond without a cliff; with
/// one, sizes are searched along each axis with the rules of that axis, and those found tried with all.
std::vector<Cliff> findCliffs(const stack::Experiment& experiment, const stack::StackInfo& info,
                              const CudaVersions& versions);

}  // namespace highwater::predict
