#include "core/pretend/abi/blas.h"
#include "core/pretend/abi/device_properties.h"
#include "core/pretend/abi/dnn_graph.h"
#include "core/pretend/abi/dnn_recurrent.h"
#include "core/pretend/abi/driver.h"
#include "core/pretend/abi/fft.h"
#include "core/pretend/abi/nccl.h"
#include "core/pretend/abi/nvml.h"

#define ABI_OF_CUDA_12
#define ABI_OF_CUDA_13
#define NVML_IS_THERE
#define ABI_OF_NCCL 99999
#define ABI_NVML(ours, theirs) ours
#include "tests/core/pretend/abi_description.h"

namespace highwater::pretend {

AbiDescription declaredAbi() {
    AbiDescription words = describe();
    describeProperties<cudaDeviceProp>(words, "cudaDeviceProp of CUDA 13");
    describeProperties<cudaDeviceProp12>(words, "cudaDeviceProp of CUDA 12");
    return words;
}

}  // namespace highwater::pretend
