#include "core/engine/data/staging.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#ifdef HIGHWATER_CUDA
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#endif

namespace highwater::engine {

#ifdef HIGHWATER_CUDA
/// An event after the copies in the device's current stream.
class CopiesOver {
public:
    void record(c10::Device device) { event_.record(at::cuda::getCurrentCUDAStream(device.index())); }
    void wait() { event_.synchronize(); }  // returns at once if nothing was recorded

private:
    at::cuda::CUDAEvent event_;
};
#else
class CopiesOver {
public:
    void record(c10::Device) {}
    void wait() {}
};
#endif

struct Staging::Buffer {
    std::vector<at::Tensor> tensors;
    CopiesOver over;
};

Staging::Staging(std::vector<at::Tensor> onDevice, bool pinned)
    : pinned_(pinned), onDevice_(std::move(onDevice)) {
    for (int i = 0; i < (pinned ? 2 : 1); ++i) {
        auto buffer = std::make_unique<Buffer>();
        for (const at::Tensor& each : onDevice_) {
            buffer->tensors.push_back(
                at::empty_strided(each.sizes(), each.strides(),
                                  at::TensorOptions().dtype(each.scalar_type()).pinned_memory(pinned)));
        }
        buffers_.push_back(std::move(buffer));
    }
}

Staging::~Staging() = default;

const std::vector<at::Tensor>& Staging::next() {
    turn_ = (turn_ + 1) % buffers_.size();
    buffers_[turn_]->over.wait();
    return buffers_[turn_]->tensors;
}

void Staging::send() {
    const c10::AutoGradMode noGraph(false);
    Buffer& buffer = *buffers_[turn_];
    for (std::size_t i = 0; i < onDevice_.size(); ++i) {
        onDevice_[i].copy_(buffer.tensors[i], pinned_);
    }
    if (pinned_) {
        buffer.over.record(onDevice_.front().device());
    }
}

}  // namespace highwater::engine
