#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include "core/engine/device/event_clock.h"

namespace highwater::engine {

namespace {

class CudaEvents final : public StreamEvents {
public:
    explicit CudaEvents(c10::DeviceIndex gpu) : gpu_(gpu) {}
    CudaEvents(const CudaEvents&) = delete;
    CudaEvents& operator=(const CudaEvents&) = delete;

    ~CudaEvents() override {
        for (const cudaEvent_t event : events_) {
            C10_CUDA_IGNORE_ERROR(cudaEventDestroy(event));
        }
    }

    Event make() override {
        const c10::cuda::CUDAGuard guard(gpu_);
        events_.reserve(events_.size() + 1);
        cudaEvent_t event = nullptr;
        C10_CUDA_CHECK(cudaEventCreate(&event));
        events_.push_back(event);
        return static_cast<Event>(events_.size() - 1);
    }

    // The default stream has the same handle on every GPU, so the current device must be set.
    void record(Event event) override {
        const c10::cuda::CUDAGuard guard(gpu_);
        C10_CUDA_CHECK(cudaEventRecord(events_[event], c10::cuda::getCurrentCUDAStream(gpu_)));
    }

    bool passed(Event event, bool wait) override {
        const cudaError_t code = wait ? cudaEventSynchronize(events_[event]) : cudaEventQuery(events_[event]);
        if (code == cudaErrorNotReady) {
            C10_CUDA_CLEAR_ERROR();
            return false;
        }
        C10_CUDA_CHECK(code);
        return true;
    }

    double between(Event from, Event to) override {
        float ms = 0;
        C10_CUDA_CHECK(cudaEventElapsedTime(&ms, events_[from], events_[to]));
        return ms;
    }

private:
    c10::DeviceIndex gpu_;
    std::vector<cudaEvent_t> events_;
};

}  // namespace

std::unique_ptr<StreamClock> makeStreamClock(const Device& device, std::size_t layers) {
    if (!device.cuda) {
        return nullptr;
    }
    return makeEventClock(std::make_unique<CudaEvents>(static_cast<c10::DeviceIndex>(device.index)), layers);
}

}  // namespace highwater::engine
