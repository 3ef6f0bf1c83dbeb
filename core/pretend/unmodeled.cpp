#include "core/pretend/report.h"

using highwater::pretend::unmodeled;

// Functions of the CUDA libraries that LibTorch imports and the pretended device does not model. Each answers
// "not supported" in its library's own code, so that LibTorch reports it and the real library never gets a
// handle that it did not create. HIGHWATER_PRETEND_VERBOSE prints their names when they are called.
#define RUNTIME(name)                 \
    extern "C" int name() {           \
        return unmodeled(#name, 801); \
    }
#define PROFILER(name)               \
    extern "C" int name() {          \
        return unmodeled(#name, 27); \
    }

// The profiler library's (CUPTI) functions that return texts, too: the real ones hang if the driver is not
// NVIDIA's.
extern "C" int cuptiGetVersion(unsigned* version) {
    *version = 0;
    return 0;
}
extern "C" int cuptiGetResultString(int, const char** text) {
    *text = "pretended device: profiling is not modeled";
    return 0;
}
extern "C" int cuptiGetCallbackName(int, unsigned, const char** text) {
    *text = "pretended device";
    return 0;
}

// clang-format off
RUNTIME(cudaDeviceEnablePeerAccess) RUNTIME(cudaDeviceGetGraphMemAttribute)
RUNTIME(cudaDeviceSetGraphMemAttribute) RUNTIME(cudaGraphAddNode)
RUNTIME(cudaGraphConditionalHandleCreate) RUNTIME(cudaGraphNodeGetDependencies)
RUNTIME(cudaGraphRetainUserObject) RUNTIME(cudaIpcCloseMemHandle) RUNTIME(cudaIpcGetEventHandle)
RUNTIME(cudaIpcGetMemHandle) RUNTIME(cudaIpcOpenEventHandle) RUNTIME(cudaIpcOpenMemHandle)
RUNTIME(cudaLibraryGetGlobal) RUNTIME(cudaLibraryGetKernel) RUNTIME(cudaLibraryGetKernelCount)
RUNTIME(cudaLibraryGetManaged) RUNTIME(cudaLibraryGetUnifiedFunction) RUNTIME(cudaLibraryLoadData)
RUNTIME(cudaLibraryLoadFromFile) RUNTIME(cudaLibraryUnload) RUNTIME(cudaStreamBeginCaptureToGraph)
RUNTIME(cudaStreamUpdateCaptureDependencies) RUNTIME(cudaUserObjectCreate)
RUNTIME(cudaUserObjectRelease)

PROFILER(cuptiActivityDisable) PROFILER(cuptiActivityEnable)
PROFILER(cuptiActivityEnableCudaEventDeviceTimestamps) PROFILER(cuptiActivityEnableDriverApi)
PROFILER(cuptiActivityEnableRuntimeApi) PROFILER(cuptiActivityFlushAll)
PROFILER(cuptiActivityGetNextRecord) PROFILER(cuptiActivityGetNumDroppedRecords)
PROFILER(cuptiActivityPopExternalCorrelationId) PROFILER(cuptiActivityPushExternalCorrelationId)
PROFILER(cuptiActivityRegisterCallbacks) PROFILER(cuptiActivityRegisterTimestampCallback)
PROFILER(cuptiActivitySetAttribute) PROFILER(cuptiEnableCallback) PROFILER(cuptiEnableDomain)
PROFILER(cuptiFinalize) PROFILER(cuptiSubscribe) PROFILER(cuptiUnsubscribe)
    // clang-format on
