#include "core/pretend/abi/driver.h"
#include "core/pretend/attributes.h"
#include "core/pretend/capture.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// Modules and launches of libcuda.so.1, as run-time compiled kernels use them.
using namespace highwater::pretend;

namespace {

template <typename T>
CUresult give(T** handle) {
    static int token;
    *handle = reinterpret_cast<T*>(&token);
    return static_cast<CUresult>(lost());
}

CUresult run(const char* what) {
    return static_cast<CUresult>(launch(what));
}

}  // namespace

extern "C" {

CUresult cuModuleLoad(CUmodule* module, const char*) {
    return give(module);
}
CUresult cuModuleLoadData(CUmodule* module, const void*) {
    return give(module);
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
    return give(module);
}
CUresult cuModuleUnload(CUmodule) {
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
    return give(function);
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction) {
    *value = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
    return CUDA_SUCCESS;
}
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) {
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream, void**, void**) {
    return run("cuLaunchKernel");
}
CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**) {
    return run("cuLaunchKernelEx");
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    *status = captureOf(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                   unsigned, CUstream, void**) {
    return run("cuLaunchCooperativeKernel");
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, size_t) {
    const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    *blocks = threads > 0 ? most / threads : 0;
    return CUDA_SUCCESS;
}

CUresult cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState* state) {
    return give(state);
}
CUresult cuLinkAddData_v2(CUlinkState, CUjitInputType, void*, size_t, const char*, unsigned, CUjit_option*,
                          void**) {
    return CUDA_SUCCESS;
}
CUresult cuLinkComplete(CUlinkState, void** cubin, size_t* bytes) {
    static char nothing[1];
    *cubin = nothing;
    *bytes = 0;
    return CUDA_SUCCESS;
}
CUresult cuLinkDestroy(CUlinkState) {
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
    return CUDA_SUCCESS;
}

CUresult cuStreamWriteValue32_v2(CUstream, CUdeviceptr address, cuuint32_t value, unsigned) {
    *reinterpret_cast<cuuint32_t*>(address) = value;
    return CUDA_SUCCESS;
}

}  // extern "C"
