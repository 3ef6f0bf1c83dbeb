#include "core/pretend/abi/runtime.h"
#include "tests/core/pretend/pretend_fixture.h"

// CUDA graphs on the pretended device.
namespace highwater::pretend {
namespace {

void graphKernel() {}

cudaError_t launchOn(cudaStream_t stream) {
    return cudaLaunchKernel(reinterpret_cast<const void*>(&graphKernel), dim3(), dim3(), nullptr, 0, stream);
}

cudaStream_t newStream() {
    cudaStream_t stream{};
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    return stream;
}

struct CaptureInfo {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    unsigned long long id = 0;
};

CaptureInfo infoOf(cudaStream_t stream) {
    CaptureInfo of13;
    CaptureInfo of12;
    EXPECT_EQ(cudaStreamGetCaptureInfo(stream, &of13.status, &of13.id, nullptr, nullptr, nullptr, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaStreamGetCaptureInfo_v2(stream, &of12.status, &of12.id, nullptr, nullptr, nullptr),
              cudaSuccess);
    EXPECT_EQ(of13.status, of12.status);
    EXPECT_EQ(of13.id, of12.id);
    return of13;
}

TEST(PretendedGraph, HoldsWhatWasLaunchedWhileCapturing) {
    inDevice({}, [] {
        const cudaStream_t stream = newStream();
        EXPECT_EQ(launchOn(stream), cudaSuccess);
        EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
        EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
        EXPECT_EQ(infoOf(stream).status, cudaStreamCaptureStatusActive);
        EXPECT_EQ(launchOn(stream), cudaSuccess);
        EXPECT_EQ(launchOn(stream), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
        cudaGraph_t graph{};
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureUnsupported);
        EXPECT_EQ(infoOf(stream).status, cudaStreamCaptureStatusNone);
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        std::size_t nodes = 0;
        EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
        EXPECT_EQ(nodes, 2U);
        cudaGraphExec_t exec{};
        EXPECT_EQ(cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
        EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
        EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
        EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
        EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    });
}

TEST(PretendedGraph, CapturesStreamsThatWaitForTheFirst) {
    inDevice({}, [] {
        const cudaStream_t first = newStream();
        const cudaStream_t second = newStream();
        cudaEvent_t event{};
        EXPECT_EQ(cudaEventCreate(&event), cudaSuccess);
        EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
        EXPECT_EQ(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal), cudaSuccess);
        EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
        EXPECT_EQ(infoOf(second).status, cudaStreamCaptureStatusNone);
        EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
        EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
        EXPECT_EQ(infoOf(second).status, cudaStreamCaptureStatusActive);
        EXPECT_EQ(infoOf(second).id, infoOf(first).id);
        EXPECT_NE(infoOf(second).id, 0U);
        cudaGraph_t graph{};
        EXPECT_EQ(cudaStreamEndCapture(first, &graph), cudaSuccess);
        EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
        EXPECT_EQ(infoOf(second).status, cudaStreamCaptureStatusNone);
        EXPECT_EQ(cudaStreamEndCapture(second, &graph), cudaErrorIllegalState);
        EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
        EXPECT_EQ(cudaStreamDestroy(first), cudaSuccess);
        EXPECT_EQ(cudaStreamDestroy(second), cudaSuccess);
    });
}

TEST(PretendedGraph, RefusesToCaptureTheDefaultStream) {
    inDevice({}, [] {
        EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal),
                  cudaErrorStreamCaptureUnsupported);
    });
}

}  // namespace
}  // namespace highwater::pretend
