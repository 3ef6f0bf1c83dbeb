#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/predict/conv_key.h"
#include "core/predict/profile.h"
#include "core/stack/shapes.h"

/// Shapes at which memory jumps (memory-model.md section 3).
namespace highwater::predict {

/// The software that decides where the cliffs are.
struct CudaVersions {
    memory::TorchVersion libtorch = kDefaultTorch;
    CudnnVersion cudnn;
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

/// How LibTorch runs one convolution on a GPU.
enum class CudaConvBackend { Cudnn, Depthwise, SlowConv2d, SlowConv3d, SlowDilated, SlowTranspose };
CudaConvBackend cudaConvBackend(const ConvKey& op, bool cudnnEnabled, const CudaVersions& versions);

/// The column buffer of LibTorch's own convolutions, for one sample:
/// C_in * kD*kH*kW * D_o*H_o*W_o * element size (aten/src/ATen/native/cuda/ConvolutionMM*.cu, vol2col).
base::Bytes columnBytes(const ConvKey& op);

/// Of a valid experiment. Empty for the CPU.
std::vector<Cliff> findCliffs(const stack::Experiment& experiment, const stack::StackInfo& info,
                              const CudaVersions& versions);

}  // namespace highwater::predict
