#include "core/pretend/report.h"

using highwater::pretend::unmodeled;

// Functions of the CUDA libraries that LibTorch imports and the pretended device does not model. Each answers
// "not supported" in its library's own code, so that LibTorch reports it and nothing reaches the real library
// with a handle that is not its own. HIGHWATER_PRETEND_VERBOSE names them when they are called.
#define RUNTIME(name)                 \
    extern "C" int name() {           \
        return unmodeled(#name, 801); \
    }
#define PROFILER(name)               \
    extern "C" int name() {          \
        return unmodeled(#name, 27); \
    }

// Of the profiler's library (CUPTI) also what asks for words: the real one never comes back where the driver
// is not its own.
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
