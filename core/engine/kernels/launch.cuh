#pragma once

#include <cuda_runtime_api.h>

namespace highwater::engine::kernels {

/// kernel<<<grid, block, 0, stream>>>(arguments...). With a plain C++ compiler, for tests without a GPU
/// (tests/gpu/emulated), the threads are emulated on the CPU.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
            const Arguments&... arguments) {
#ifdef __CUDACC__
    kernel<<<grid, block, 0, stream>>>(arguments...);
#else
    static_cast<void>(stream);
    emulation::run(grid, block, [&] { kernel(arguments...); });
#endif
}

}  // namespace highwater::engine::kernels
