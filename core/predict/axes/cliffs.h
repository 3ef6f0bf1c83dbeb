#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/predict/tables/conv_key.h"
#include "core/predict/tables/profile.h"
#include "core/stack/shapes.h"

/// Cliffs: shapes at which the memory needed jumps (docs/memory-model.md section 3).
namespace highwater::predict {

/// The versions and the architecture that decide where the cliffs are.
struct CudaVersions {
    memory::TorchVersion libtorch = kDefaultTorch;
    CudnnVersion cudnn = bundledCudnn(kDefaultTorch);
    int architecture = 80;  ///< compute capability x 10; bf16 convolutions use cuDNN from 80 on
};

struct Cliff {
    enum class Kind {
        IndexRange,  ///< one sample of a tensor has 2^31 elements or more: cuDNN is not used
        Autocast,    ///< an fp16 or bf16 conv3d is not run by cuDNN
        Algorithm    ///< for this shape cuDNN is known to switch to an algorithm that needs more memory
    };
    Kind kind = Kind::IndexRange;
    int layer = -1;  ///< index into StackInfo::layers
    std::string layerName;
    base::Bytes bytes = 0;  ///< the additional memory that it needs in one allocation
    std::string message;    ///< one line: what happens, with which versions, and what is safe
    /// For each axis ("depth", "height", "width", "batch_size"), the safe sizes of the *input's* patch (or
    /// the batch) nearest to the current one, if the other axes do not change: the nearest smaller one, then,
    /// if there is one, the nearest larger one. Only sizes that the stack accepts.
    std::map<std::string, std::vector<std::int64_t>> safe;
    bool operator==(const Cliff&) const = default;
};
std::string_view cliffKey(Cliff::Kind kind);  ///< "index_range", "autocast", "algorithm"

/// The implementation that LibTorch chooses for one convolution on a GPU, the same for forward and backward
/// (ConvParams::use_cudnn and _select_conv_backend in aten/src/ATen/native/Convolution.cpp, 1.13 to 2.15). 3d
/// convolutions without cuDNN use SlowDilated too: SlowConv3d exists only on the CPU and is never chosen
/// here. 1d runs as 2d.
enum class CudaConvBackend { Cudnn, Depthwise, SlowConv2d, SlowConv3d, SlowDilated, SlowTranspose };
CudaConvBackend cudaConvBackend(const ConvKey& op, bool cudnnEnabled, const CudaVersions& versions,
                                bool deterministic = false);

/// The reason why cuDNN is not used for a convolution that is not depthwise.
enum class CudnnRefusal {
    None,
    Disabled,    ///< by the user
    IndexRange,  ///< one sample's input or output has more than 2^31-1 elements
    Autocast,    ///< fp16 or bf16, 3d, kernel not 1, contiguous, in versions that avoid a faulty cuDNN kernel
    Bfloat16,    ///< architecture below 80, or LibTorch 1.13
    Deterministic,  ///< dilated, contiguous, deterministic, LibTorch before 2.9
    OutputPadding   ///< conv_transpose whose output_padding reaches the stride
};
CudnnRefusal cudnnRefusal(const ConvKey& op, bool cudnnEnabled, const CudaVersions& versions,
                          bool deterministic = false);

/// Returns the bytes of the column buffer of LibTorch's own convolutions, for one sample (and one group):
/// C_in/groups * kD*kH*kW * D_o*H_o*W_o * element size (NaiveDilatedConvolution.cu, ConvolutionMM2d.cu), for
/// conv_transpose C_out/groups * kD*kH*kW * D_i*H_i*W_i (NaiveConvolutionTranspose*d.cu). 0 if the
/// convolution is a single matrix product: 1d and 2d kernel 1 with stride 1 and no padding.
base::Bytes columnBytes(const ConvKey& op);
inline constexpr base::Bytes kMostColumnBytes = base::Bytes{1} << 60;  ///< the value for sizes that overflow

/// Returns the workspace, in bytes, that an FFT algorithm of cuDNN would need for a large kernel if it were
/// chosen. This is estimated from the padded spectra of input, output and weight. 0 if no such algorithm
/// applies (kernel below 7 along two axes, stride, dilation, groups, kernel above 32, or 16 in 3d).
base::Bytes fftBytes(const ConvKey& op);

/// Returns the convolutions that a layer runs in its forward, in order, as the backend sees them. Padding
/// modes other than zeros, and the uneven remainder of "same", are applied beforehand and enlarge the input.
/// Empty for other layers. `input` is N, C, spatial.
std::vector<ConvKey> convolutionsOf(const stack::Op& op, const stack::Shape& input, const stack::Step& step);

/// Returns the cliffs of a valid experiment on a GPU; not to be called for the CPU. Takes a microsecond if
/// there is no cliff. If there is one, safe sizes are searched along each axis with the rules of that axis,
/// and then verified with all shape rules.
std::vector<Cliff> findCliffs(const stack::Experiment& experiment, const stack::StackInfo& info,
                              const CudaVersions& versions);

}  // namespace highwater::predict
