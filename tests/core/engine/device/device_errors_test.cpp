#include <c10/util/Exception.h>
#include <gmock/gmock.h>

#include <stdexcept>

#include "core/engine/device/device.h"

namespace highwater::engine {
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

namespace {

std::optional<std::string> textOf(const std::string& message) {
    return deviceErrorText(std::runtime_error(message));
}

/// In LibTorch's wording for a runtime error.
std::string cudaError(const std::string& words) {
    return "CUDA error: " + words +
           "\nSearch for `cudaError' in https://docs.nvidia.com/cuda/cuda-runtime-api for more information."
           "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
           "below "
           "might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with "
           "`TORCH_USE_CUDA_DSA` to enable device-side assertions.\n";
}

TEST(DeviceErrors, sayWhatHappenedAndWhatCudaCallsIt) {
    EXPECT_THAT(
        textOf(cudaError("an illegal memory access was encountered")),
        Optional(std::string("a kernel on the GPU reached outside its memory (illegal memory access)")));
    EXPECT_THAT(textOf(cudaError("unspecified launch failure")), Optional(HasSubstr("the GPU was lost")));
    EXPECT_THAT(textOf(cudaError("uncorrectable ECC error encountered")), Optional(HasSubstr("faulty")));
    EXPECT_THAT(textOf(cudaError("CUDA-capable device(s) is/are busy or unavailable")),
                Optional(HasSubstr("another program")));
    EXPECT_THAT(textOf(cudaError("driver shutting down")), Optional(HasSubstr("ending")));
    EXPECT_THAT(textOf(cudaError("device-side assert triggered")),
                Optional(HasSubstr("class in the target")));
    EXPECT_THAT(textOf(cudaError("no kernel image is available for execution on the device")),
                Optional(HasSubstr("no kernels for this GPU")));
    EXPECT_THAT(textOf(cudaError("CUDA driver version is insufficient for CUDA runtime version")),
                Optional(HasSubstr("update it")));
    EXPECT_THAT(textOf(cudaError("unknown error")), Optional(HasSubstr("the GPU's driver failed")));
    EXPECT_THAT(textOf("CUDA driver error: an illegal instruction was encountered"),
                Optional(HasSubstr("a kernel on the GPU failed")));
}

TEST(DeviceErrors, nameTheLibraryThatIsMissingOrDoesNotFit) {
    EXPECT_THAT(textOf("cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"),
                Optional(HasSubstr("LD_LIBRARY_PATH")));
    EXPECT_THAT(
        textOf("cuDNN version incompatibility: PyTorch was compiled  against (9, 19, 0) but found runtime "
               "version (9, 10, 2)."),
        Optional(HasSubstr("different versions")));
    EXPECT_THAT(textOf("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"), Optional(HasSubstr("could not start")));
    EXPECT_THAT(textOf("Could not load library libcudnn_cnn_infer.so.8. Error: cannot open"),
                Optional(HasSubstr("in the same folder as LibTorch's")));
    EXPECT_THAT(textOf("Unable to load any of {libcudnn_graph.so.9.1.0, libcudnn_graph.so.9}"),
                Optional(HasSubstr("in the same folder as LibTorch's")));
    EXPECT_THAT(textOf("GET was unable to find an engine to execute this computation"),
                Optional(HasSubstr("this convolution")));
}

TEST(DeviceErrors, tellsAFullDeviceFromABrokenOne) {
    const auto full = [](const std::string& message) { return isDeviceFull(std::runtime_error(message)); };
    EXPECT_TRUE(full("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"));
    EXPECT_TRUE(full("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"));
    EXPECT_TRUE(full("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"));
    EXPECT_TRUE(full("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"));
    EXPECT_TRUE(full(cudaError("out of memory")));
    EXPECT_TRUE(full("CUDA driver error: out of memory"));
    EXPECT_FALSE(full(cudaError("unspecified launch failure")));
    EXPECT_FALSE(full("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(...)`"));
    EXPECT_FALSE(full("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"));
    EXPECT_FALSE(full("the machine is out of memory"));
}

TEST(DeviceErrors, ofALostDeviceSayWhatOnlyCudaKnows) {
    EXPECT_EQ(lostText({true, 1}, std::runtime_error(cudaError("misaligned address"))),
              "cuda:1 was lost, only a new process can use it again: a kernel on the GPU failed (misaligned "
              "address)");
    EXPECT_EQ(
        lostText({true, 0}, std::runtime_error("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED")),
        "cuda:0 was lost, only a new process can use it again: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED");
}

TEST(DeviceErrors, leaveOtherErrorsAlone) {
    EXPECT_FALSE(textOf("CUDA out of memory. Tried to allocate 2.00 GiB.")) << "the allocator's own";
    EXPECT_FALSE(textOf("Expected all tensors to be on the same device, but found cuda:0 and cpu!"));
    EXPECT_FALSE(textOf("an illegal memory access was encountered")) << "not said by CUDA";
    EXPECT_FALSE(textOf(cudaError("invalid argument"))) << "nothing plainer is known";
    EXPECT_FALSE(textOf(""));
}

TEST(DeviceErrors, areReadFromLibTorchsExceptionsWithoutTheirBacktrace) {
    try {
        TORCH_CHECK(false, cudaError("misaligned address"));
    } catch (const std::exception& error) {
        const auto text = deviceErrorText(error);
        EXPECT_THAT(text, Optional(std::string("a kernel on the GPU failed (misaligned address)")));
    }
}

}  // namespace

}  // namespace highwater::engine
