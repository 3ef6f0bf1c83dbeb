#include <chrono>

#include "core/pretend/memory.h"
#include "core/pretend/runtime.h"
#include "core/pretend/work.h"

// Streams and events of the CUDA runtime: all work is done, by doing nothing, when it is asked for.
struct CUstream_st {
    unsigned flags;
    int priority;
};
struct CUevent_st {
    std::chrono::steady_clock::time_point at;
    bool recorded;
};

using namespace highwater::pretend;

namespace {

cudaError_t open(cudaStream_t* stream, unsigned flags, int priority) {
    if (driverError() != cudaSuccess || lost()) {
        return done(driverError());
    }
    ensureContext();
    *stream = new CUstream_st{flags, priority};
    return done();
}

// The handles 0, 1 and 2 are the default streams.
bool isOwn(cudaStream_t stream) {
    return reinterpret_cast<std::uintptr_t>(stream) > 2;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return open(stream, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return open(stream, flags, 0);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return open(stream, flags, priority);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (isOwn(stream)) {
        delete stream;
    }
    return done();
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    *priority = isOwn(stream) ? stream->priority : 0;
    return done();
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return known(driverError());
}
cudaError_t cudaStreamQuery(cudaStream_t) {
    return done();
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return done();
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    return done();
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
    callback(stream, done(), data);
    return done();
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    function(data);
    return done();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
    *status = cudaStreamCaptureStatusNone;
    return done();
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                                     const cudaGraphEdgeData** edges, size_t* count) {
    *status = cudaStreamCaptureStatusNone;
    if (id) {
        *id = 0;
    }
    if (graph) {
        *graph = nullptr;
    }
    if (nodes) {
        *nodes = nullptr;
    }
    if (edges) {
        *edges = nullptr;
    }
    if (count) {
        *count = 0;
    }
    return done();
}
// CUDA 12's: without the edges' data.
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph,
                                        const cudaGraphNode_t** nodes, size_t* count) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    std::swap(*mode, current);
    return done();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    if (driverError() != cudaSuccess || lost()) {
        return done(driverError());
    }
    ensureContext();
    *event = new CUevent_st{};
    return done();
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return done();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    if (!event) {
        return done(cudaErrorInvalidResourceHandle);
    }
    event->at = std::chrono::steady_clock::now();
    event->recorded = true;
    return done();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return cudaEventRecord(event, stream);
}
cudaError_t cudaEventQuery(cudaEvent_t) {
    return done();
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
    return done();
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
    if (!start || !end || !start->recorded || !end->recorded) {
        return done(cudaErrorInvalidResourceHandle);
    }
    *ms = std::chrono::duration<float, std::milli>(end->at - start->at).count();
    return done();
}

}  // extern "C"
