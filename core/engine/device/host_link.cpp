#include "core/engine/device/host_link.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <stdexcept>

#include "core/base/text.h"

#ifdef HIGHWATER_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace highwater::engine {

at::Tensor HostLink::onHost(const at::Tensor& tensor) const {
    try {
        return at::empty(tensor.sizes(),
                         at::TensorOptions().dtype(tensor.scalar_type()).pinned_memory(device_.cuda));
    } catch (const c10::Error&) {
        throw std::runtime_error("the host has no " + base::formatBytes(static_cast<Bytes>(tensor.nbytes())) +
                                 " of page-locked memory left for what the plan offloads; offload less");
    }
}

#ifdef HIGHWATER_CUDA

struct HostLink::Streams {
    explicit Streams(c10::DeviceIndex device)
        : toHost(c10::cuda::getStreamFromPool(false, device)),
          toDevice(c10::cuda::getStreamFromPool(false, device)) {}
    c10::cuda::CUDAStream toHost, toDevice;
};

HostLink::HostLink(const Device& device) : device_(device) {}
HostLink::~HostLink() = default;

std::shared_ptr<void> HostLink::begin(const std::vector<Copy>& copies, bool toHost) {
    const c10::AutoGradMode noGraph(false);
    if (!device_.cuda) {
        for (const Copy& copy : copies) {
            copy.to.copy_(copy.from);
        }
        return nullptr;
    }
    const auto index = static_cast<c10::DeviceIndex>(device_.index);
    if (!streams_) {
        streams_ = std::make_unique<Streams>(index);
    }
    const c10::cuda::CUDAStream stream = toHost ? streams_->toHost : streams_->toDevice;
    at::cuda::CUDAEvent before;
    before.record(c10::cuda::getCurrentCUDAStream(index));
    before.block(stream);
    {
        const c10::cuda::CUDAStreamGuard guard(stream);
        for (const Copy& copy : copies) {
            copy.to.copy_(copy.from, true);
        }
    }
    auto over = std::make_shared<at::cuda::CUDAEvent>();
    over->record(stream);
    return over;
}

void HostLink::wait(const std::shared_ptr<void>& transfer) const {
    if (transfer) {
        static_cast<at::cuda::CUDAEvent*>(transfer.get())
            ->block(c10::cuda::getCurrentCUDAStream(static_cast<c10::DeviceIndex>(device_.index)));
    }
}

#else

struct HostLink::Streams {};

HostLink::HostLink(const Device& device) : device_(device) {}
HostLink::~HostLink() = default;

std::shared_ptr<void> HostLink::begin(const std::vector<Copy>& copies, bool) {
    const c10::AutoGradMode noGraph(false);
    for (const Copy& copy : copies) {
        copy.to.copy_(copy.from);
    }
    return nullptr;
}

void HostLink::wait(const std::shared_ptr<void>&) const {}

#endif

}  // namespace highwater::engine
