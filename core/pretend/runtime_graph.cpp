#include <atomic>
#include <utility>

#include "core/pretend/capture.h"

// CUDA graphs: a capture counts the launches during it, and a graph is launched as one piece of work. PyTorch
// manages the memory of a graph itself (private pools); it is not visible here.
struct CUgraph_st {
    std::uint64_t launches;
};
struct CUgraphExec_st {
    std::uint64_t launches;
};

using namespace highwater::pretend;

namespace {

cudaError_t instantiate(cudaGraphExec_t* exec, cudaGraph_t graph) {
    if (!exec || !graph) {
        return done(cudaErrorInvalidValue);
    }
    *exec = new CUgraphExec_st{graph->launches};
    return done();
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    static std::atomic<unsigned long long> next{1};
    if (!isOwn(stream)) {
        return done(cudaErrorStreamCaptureUnsupported);
    }
    if (captureOf(stream)) {
        return done(cudaErrorIllegalState);
    }
    stream->capture = std::make_shared<Capture>(Capture{next++, launches()});
    return done();
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    const auto capture = captureOf(stream);
    if (!capture || !graph) {
        return done(capture ? cudaErrorInvalidValue : cudaErrorIllegalState);
    }
    capture->active = false;
    stream->capture = nullptr;
    *graph = new CUgraph_st{launches() - capture->launchesBefore};
    return done();
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    *status = captureOf(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return done();
}
// The graph under construction has no handle yet, and its nodes are never queried.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** nodes, const cudaGraphEdgeData** edges,
                                     size_t* count) {
    const auto capture = captureOf(stream);
    *status = capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (id) {
        *id = capture ? capture->id : 0;
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

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return done();
}
// Returns only the number of nodes, not the nodes.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    if (!graph || !count) {
        return done(cudaErrorInvalidValue);
    }
    *count = nodes ? 0 : graph->launches;
    return done();
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t, const char*, unsigned) {
    return done();
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    return instantiate(exec, graph);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    return instantiate(exec, graph);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t) {
    if (!exec) {
        return done(cudaErrorInvalidValue);
    }
    return done(static_cast<cudaError_t>(launch("cudaGraphLaunch")));
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    delete exec;
    return done();
}

}  // extern "C"
