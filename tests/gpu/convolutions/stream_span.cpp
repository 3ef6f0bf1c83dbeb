#include "tests/gpu/convolutions/stream_span.h"

#include <stdexcept>

#ifdef HIGHWATER_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace highwater::engine {

#ifdef HIGHWATER_CUDA

namespace {

class CudaSpan final : public StreamSpan {
public:
    explicit CudaSpan(int index) : index_(static_cast<c10::DeviceIndex>(index)) {}
    void begin() override { begin_.record(c10::cuda::getCurrentCUDAStream(index_)); }
    void end() override { end_.record(c10::cuda::getCurrentCUDAStream(index_)); }
    double microseconds() override {
        end_.synchronize();
        return static_cast<double>(begin_.elapsed_time(end_)) * 1e3;
    }

private:
    c10::DeviceIndex index_;
    at::cuda::CUDAEvent begin_{cudaEventDefault}, end_{cudaEventDefault};
};

}  // namespace

std::unique_ptr<StreamSpan> makeStreamSpan(const Device& device) {
    return std::make_unique<CudaSpan>(device.index);
}

#else

std::unique_ptr<StreamSpan> makeStreamSpan(const Device&) {
    throw std::logic_error("a GPU's stream in a build without CUDA");
}

#endif

}  // namespace highwater::engine
