#include "tests/gpu/kit/environment.h"

#ifdef HIGHWATER_CUDA
#include <cuda_runtime_api.h>
#endif

namespace highwater::kit {

int multiprocessors([[maybe_unused]] int index) {
    int count = 0;
#ifdef HIGHWATER_CUDA
    if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, index) != cudaSuccess) {
        count = 0;
    }
#endif
    return count;
}

}  // namespace highwater::kit
