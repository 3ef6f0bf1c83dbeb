#include <algorithm>
#include <bit>

#include "core/predict/axes/cliffs.h"

namespace highwater::predict {

namespace {

constexpr std::int64_t kIndexRange = (std::int64_t{1} << 31) - 1;

using Sizes3 = std::array<std::int64_t, 3>;

bool all(const Sizes3& sizes, int dims, std::int64_t value) {
    return std::all_of(sizes.begin(), sizes.begin() + dims, [&](auto size) { return size == value; });
}

bool isDilated(const ConvKey& op) {
    return !all(op.dilation, op.dims, 1);
}

/// needs_64bit_indexing_no_split: splitting the batch does not help.
bool exceedsIndexRange(const ConvKey& op) {
    return op.inputElements() / op.batch > kIndexRange || op.outputElements() / op.batch > kIndexRange;
}

/// From LibTorch 2.5 and cuDNN 9.3 on, cuDNN accepts such tensors (#134890).
bool takesLargeTensors(const CudaVersions& v) {
    return v.libtorch >= memory::TorchVersion{2, 5} && v.cudnn >= CudnnVersion{9, 3, 0};
}

/// A faulty cuDNN kernel is avoided: #163581 (2.9.0, regardless of layout and of newer cuDNN), #166480
/// (2.9.1, which is assumed for 2.9, and 2.10). From 2.11 on the check is gone, regardless of cuDNN's
/// version.
bool avoidsAutocast(const ConvKey& op, const CudaVersions& v) {
    return v.libtorch >= memory::TorchVersion{2, 9} && v.libtorch < memory::TorchVersion{2, 11} &&
           v.cudnn >= CudnnVersion{9, 8, 0} && v.cudnn < CudnnVersion{9, 15, 0} &&
           op.dtype != DType::Float32 && op.dims == 3 && !op.channelsLast && !all(op.kernel, 3, 1);
}

/// The cuDNN v8 interface, without which there is no bf16, is off by default in 1.13.
bool lacksBfloat16(const ConvKey& op, const CudaVersions& v) {
    return op.dtype == DType::BFloat16 && (v.architecture < 80 || v.libtorch < memory::TorchVersion{2, 0});
}

bool outputPaddingReachesStride(const ConvKey& op) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(op.dims); ++a) {
        if (op.transposed && op.outputPadding[a] >= op.stride[a]) {
            return true;
        }
    }
    return false;
}

bool isDepthwise(const ConvKey& op) {
    return !op.transposed && op.groups > 1 && op.groups == op.inChannels &&
           op.outChannels % op.inChannels == 0;
}

/// check_cudnn_depthwise_workload_with_filter; 1d counts as height 1.
bool goodDepthwiseWorkload(const ConvKey& op) {
    const auto last = static_cast<std::size_t>(op.dims) - 1;
    const std::int64_t stride = op.stride[last], width = op.input[last], filter = op.kernel[last],
                       channels = op.inChannels, batch = op.batch;
    const bool flat = op.dims == 1 || op.input[0] == 1;
    if (flat && stride == 1) {
        return true;
    }
    const bool square = op.dims == 2 && op.kernel[0] == filter && (filter == 1 || filter == 3 || filter == 5);
    if (!square || width < 7 || stride > 2) {
        return false;
    }
    if (stride == 1) {
        return true;
    }
    if (batch == 1) {
        return filter > 1 || width <= 28;
    }
    return filter == 1 ? batch <= 16 && channels >= 128 && width <= 7
                       : channels >= 512 || (channels >= 256 && width >= 28);
}

/// use_cudnn_depthwise: cuDNN runs all channels_last tensors, and of contiguous tensors some fp16 ones in 1d
/// and 2d. LibTorch's own kernels have no 64-bit indices, so inputs of more than 2^31-1 elements (in the
/// whole batch) go to cuDNN if it accepts them (contiguous ones from 2.8 on, #153101; channels_last ones not
/// with 9.10.1 to 9.14).
bool cudnnTakesDepthwise(const ConvKey& op, const CudaVersions& v) {
    const bool faulty = v.cudnn > CudnnVersion{9, 10, 0} && v.cudnn < CudnnVersion{9, 15, 0};
    if (op.inputElements() > kIndexRange && (op.channelsLast || v.libtorch >= memory::TorchVersion{2, 8})) {
        return takesLargeTensors(v) && !(op.channelsLast && faulty);
    }
    if (op.channelsLast) {
        return true;
    }
    const bool equalStrides = op.dims == 1 || op.stride[0] == op.stride[1] || op.input[0] == 1;
    return op.dtype == DType::Float16 && op.dims <= 2 && op.inChannels >= 32 && !isDilated(op) &&
           equalStrides && goodDepthwiseWorkload(op);
}

}  // namespace

CudnnRefusal cudnnRefusal(const ConvKey& op, bool cudnnEnabled, const CudaVersions& v, bool deterministic) {
    if (!cudnnEnabled) {
        return CudnnRefusal::Disabled;
    }
    if (avoidsAutocast(op, v)) {
        return CudnnRefusal::Autocast;
    }
    if (exceedsIndexRange(op) && !takesLargeTensors(v)) {
        return CudnnRefusal::IndexRange;
    }
    if (lacksBfloat16(op, v)) {
        return CudnnRefusal::Bfloat16;
    }
    if (deterministic && isDilated(op) && !op.channelsLast && v.libtorch < memory::TorchVersion{2, 9}) {
        return CudnnRefusal::Deterministic;
    }
    return outputPaddingReachesStride(op) ? CudnnRefusal::OutputPadding : CudnnRefusal::None;
}

CudaConvBackend cudaConvBackend(const ConvKey& op, bool cudnnEnabled, const CudaVersions& v,
                                bool deterministic) {
    const bool refused = cudnnRefusal(op, cudnnEnabled, v, deterministic) != CudnnRefusal::None;
    if (isDepthwise(op)) {
        return !refused && cudnnTakesDepthwise(op, v) ? CudaConvBackend::Cudnn : CudaConvBackend::Depthwise;
    }
    if (!refused) {
        return CudaConvBackend::Cudnn;
    }
    if (op.transposed) {
        return CudaConvBackend::SlowTranspose;
    }
    return op.dims == 3 || isDilated(op) ? CudaConvBackend::SlowDilated : CudaConvBackend::SlowConv2d;
}

base::Bytes columnBytes(const ConvKey& op) {
    const bool product1 = op.dims < 3 && !op.transposed && !isDilated(op) && all(op.kernel, op.dims, 1) &&
                          all(op.stride, op.dims, 1) && all(op.padding, op.dims, 0);
    if (product1) {
        return 0;
    }
    const std::int64_t channels = (op.transposed ? op.outChannels : op.inChannels) / op.groups;
    const std::int64_t positions = productOf(op.transposed ? op.input : op.output);
    // Shapes within limits.h can still overflow here: a kernel of 2^20 per axis over a tensor of 1 PiB.
    auto bytes = base::checkedMul(channels, productOf(op.kernel));
    for (const std::int64_t factor : {positions, sizeOf(op.dtype)}) {
        bytes = bytes ? base::checkedMul(*bytes, factor) : bytes;
    }
    return std::min(bytes.value_or(kMostColumnBytes), kMostColumnBytes);
}

base::Bytes fftBytes(const ConvKey& op) {
    constexpr std::int64_t kWholePlane = 256, kTile = 32;
    const std::int64_t largestKernel = op.dims == 3 ? 16 : 32;
    const bool plain =
        op.groups == 1 && all(op.stride, op.dims, 1) && !isDilated(op) && !op.transposed && op.dims > 1;
    if (!plain || std::count_if(op.kernel.begin(), op.kernel.end(), [](auto k) { return k >= 7; }) < 2) {
        return 0;
    }
    bool whole = op.dims == 2;  // small planes are transformed as a whole, others in tiles
    for (std::size_t a = 0; a < static_cast<std::size_t>(op.dims); ++a) {
        if (op.kernel[a] > largestKernel || op.padding[a] >= op.kernel[a]) {
            return 0;
        }
        whole = whole && op.input[a] + 2 * op.padding[a] <= kWholePlane;
    }
    double spectrum = 1, spread = 1;  // positions of one transform; positions computed per input position
    for (std::size_t a = 0; a < static_cast<std::size_t>(op.dims); ++a) {
        const auto padded = static_cast<std::uint64_t>(op.input[a] + 2 * op.padding[a]);
        const auto size = whole ? static_cast<double>(std::bit_ceil(padded)) : static_cast<double>(kTile);
        const auto used =
            static_cast<double>(whole ? op.input[a] : std::max<std::int64_t>(1, kTile - op.kernel[a] + 1));
        spectrum *= size;
        spread *= size / used;
    }
    constexpr double kComplexHalf = 4;  // 8 B per value, half of a real signal's spectrum
    const double data = static_cast<double>(op.inputElements()) + static_cast<double>(op.outputElements());
    const double weights =
        static_cast<double>(op.inChannels) * static_cast<double>(op.outChannels) * spectrum;
    return static_cast<base::Bytes>(
        std::min(kComplexHalf * (data * spread + weights), static_cast<double>(kMostColumnBytes)));
}

}  // namespace highwater::predict
