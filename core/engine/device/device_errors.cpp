#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/engine/device/device.h"
#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

namespace {

struct Known {
    std::string_view says;  ///< part of the error's message
    std::string_view words;
    bool full = false;  ///< the device's memory was full
};

constexpr std::string_view kFullForCublas =
    "the GPU's memory is full: cuBLAS could not get the memory that it needs";
constexpr std::string_view kFullForCudnn =
    "the GPU's memory is full: cuDNN could not get the memory that it needs";
constexpr std::string_view kMixedCudnn =
    "cuDNN's libraries are of different versions: let LD_LIBRARY_PATH and the system name no other cuDNN "
    "than "
    "LibTorch's";
constexpr std::string_view kNoCudnn =
    "a library of cuDNN could not be loaded: it must be in the same folder as LibTorch's";
constexpr std::string_view kOldDriver = "the NVIDIA driver is too old for this LibTorch: update it";
constexpr std::string_view kKernel = "a kernel on the GPU failed";

/// Parts of LibTorch's messages about its libraries. In both lists the first match counts.
constexpr Known kLibraries[] = {
    {"CUBLAS_STATUS_ALLOC_FAILED", kFullForCublas, true},
    {"CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate",
     "cuBLAS could not start, most often because the GPU's memory is full", true},
    {"CUBLAS_STATUS_NOT_INITIALIZED", "cuBLAS could not start"},
    {"CUBLAS_STATUS_ARCH_MISMATCH", "cuBLAS has no kernels for this GPU and these numbers"},
    {"CUDNN_STATUS_ALLOC_FAILED", kFullForCudnn, true},
    {"CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", kFullForCudnn, true},
    {"CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", kMixedCudnn},
    {"CUDNN_STATUS_VERSION_MISMATCH", kMixedCudnn},
    {"cuDNN version incompatibility", kMixedCudnn},
    {"CUDNN_STATUS_NOT_INITIALIZED",
     "cuDNN could not start: a library of it is missing, the driver does not fit, or the GPU's memory is "
     "full"},
    {"load library libcudnn", kNoCudnn},
    {"load any of {libcudnn", kNoCudnn},
    {"CUDNN_STATUS_ARCH_MISMATCH", "cuDNN has no kernels for this GPU"},
    {"unable to find an engine to execute this computation",
     "cuDNN found no way to compute this convolution that runs here; with less memory in use, in another "
     "precision or with cuDNN switched off there may be one"},
};

/// The errors of CUDA's runtime and driver, in the words of cudaGetErrorString, which do not change.
constexpr Known kCuda[] = {
    {"no kernel image is available", "this LibTorch has no kernels for this GPU"},
    {"device kernel image is invalid", "this LibTorch's kernels do not fit this GPU or its driver"},
    {"compiled with an unsupported toolchain",
     "the NVIDIA driver is too old to compile this LibTorch's kernels for this GPU: update it"},
    {"PTX JIT", "this LibTorch's kernels could not be compiled for this GPU"},
    {"driver version is insufficient", kOldDriver},
    {"not supported in the installed CUDA driver", kOldDriver},
    {"unsupported display driver",
     "the NVIDIA driver and its library are of different versions: restart the machine"},
    {"forward compatibility was attempted", "the CUDA driver library found does not support this GPU"},
    {"system not yet initialized",
     "the GPUs are not ready: on a machine with NVSwitch, NVIDIA's fabric manager must run"},
    {"no CUDA-capable device is detected", "no NVIDIA GPU is available any more"},
    {"busy or unavailable",
     "the GPU is lost, or another program has it for itself (nvidia-smi shows who uses it)"},
    {"uncorrectable ECC error", "the GPU's memory is faulty (an ECC error): reset it or restart"},
    {"uncorrectable NVLink error", "the GPU's NVLink failed: reset it or restart"},
    {"memory over nvlink or a hardware error", "the GPU failed"},
    {"device-side assert triggered",
     "a kernel met a value that it cannot use, such as a class in the target that there is not"},
    {"illegal memory access", "a kernel on the GPU reached outside its memory"},
    {"unspecified launch failure", "a kernel on the GPU failed, or the GPU was lost"},
    {"launch timed out", "a kernel took longer than the driver lets it where the GPU drives a display"},
    {"hardware stack error", kKernel},
    {"illegal instruction", kKernel},
    {"misaligned address", kKernel},
    {"invalid program counter", kKernel},
    {"global/shared address space", kKernel},
    {"context is destroyed", "the GPU's driver ended this program's use of it"},
    {"driver shutting down", "the GPU's driver is ending"},
    {"OS call failed", "the system refused something to the GPU's driver"},
    {"MPS ", "NVIDIA's multi-process service (MPS) failed"},
    {"out of memory", "the GPU's memory is full: the driver could not get the memory that it needs", true},
    {"unknown error", "the GPU's driver failed"},
};

template <std::size_t N>
const Known* find(const Known (&list)[N], std::string_view message) {
    const auto* const found = std::find_if(std::begin(list), std::end(list), [&](const Known& known) {
        return message.find(known.says) != message.npos;
    });
    return found != std::end(list) ? found : nullptr;
}

const Known* findOfCuda(std::string_view message) {
    for (const std::string_view begin : {"CUDA error: ", "CUDA driver error: "}) {
        if (const auto at = message.find(begin); at != message.npos) {
            return find(kCuda, message.substr(at + begin.size()));
        }
    }
    return nullptr;
}

const Known* find(std::string_view message) {
    const Known* const known = find(kLibraries, message);
    return known != nullptr ? known : findOfCuda(message);
}

std::string textOf(const Known& known) {
    return fmt::format("{} ({})", known.words, known.says);
}

}  // namespace

std::optional<std::string> deviceErrorText(const std::exception& error) {
    const Known* const known = find(briefError(error));
    return known != nullptr ? std::optional(textOf(*known)) : std::nullopt;
}

// Only a CUDA error names the cause: messages of other libraries after the loss mean nothing.
std::string lostText(const Device& device, const std::exception& error) {
    const std::string message = briefError(error);
    const Known* const known = findOfCuda(message);
    return fmt::format("{} was lost, only a new process can use it again: {}", device.text(),
                       known != nullptr ? textOf(*known) : message);
}

bool isDeviceFull(const std::exception& error) {
    const Known* const known = find(briefError(error));
    return known != nullptr && known->full;
}

}  // namespace highwater::engine
