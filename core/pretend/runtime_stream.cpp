#include "core/pretend/capture.h"
#include "core/pretend/memory.h"
#include "core/pretend/runtime.h"
#include "core/pretend/work.h"

// Streams and events of the CUDA runtime: all work completes at once, because nothing is executed.

using namespace highwater::pretend;

namespace {

cudaError_t open(cudaStream_t* stream, unsigned flags, int priority) {
    if (driverError() != cudaSuccess || lost()) {
        return done(driverError());
    }
    ensureContext();
    *stream = new CUstream_st{flags, priority, {}};
    return done();
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
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return done(captureOf(stream) ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
}
// A stream that waits for a captured event is captured with it.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    const auto capture = event ? event->capture.lock() : nullptr;
    if (capture && capture->active && isOwn(stream) && !captureOf(stream)) {
        stream->capture = capture;
    }
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
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (!event) {
        return done(cudaErrorInvalidResourceHandle);
    }
    event->at = deviceTime();
    event->recorded = true;
    event->capture = captureOf(stream);
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
    *ms = static_cast<float>(static_cast<double>(end->at - start->at) / 1000);
    return done();
}

}  // extern "C"
