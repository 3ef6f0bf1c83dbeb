#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/engine/device/device.h"

/// Private to core/engine.
namespace highwater::engine {

/// Copies tensors between a GPU and host memory concurrently with the GPU's operators: each direction has its
/// own stream. On the CPU, for tests of a step, it copies at once.
class HostLink {
public:
    explicit HostLink(const Device& device);
    ~HostLink();
    HostLink(const HostLink&) = delete;
    HostLink& operator=(const HostLink&) = delete;

    /// A tensor like `tensor` in host memory, page-locked for a GPU. Throws std::runtime_error, one line, if
    /// there is not enough of it.
    at::Tensor onHost(const at::Tensor& tensor) const;

    struct Copy {
        at::Tensor from, to;
    };
    /// Starts copying after the work queued so far in the current stream. Returns a handle for wait(). The
    /// device's tensors must stay alive until wait() is called.
    std::shared_ptr<void> begin(const std::vector<Copy>& copies, bool toHost);
    /// The current stream waits for the copies. The host does not.
    void wait(const std::shared_ptr<void>& transfer) const;

private:
    struct Streams;
    Device device_;
    std::unique_ptr<Streams> streams_;  ///< for a GPU, created at the first copy
};

}  // namespace highwater::engine
