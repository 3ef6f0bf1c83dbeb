#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/engine/device/device.h"

/// Private to core/engine.
namespace highwater::engine {

/// Copies tensors between a GPU and the host's memory, beside the GPU's operators: each direction has a
/// stream of its own. On the CPU, where a step is tested with it, it copies at once.
class HostLink {
public:
    explicit HostLink(const Device& device);
    ~HostLink();
    HostLink(const HostLink&) = delete;
    HostLink& operator=(const HostLink&) = delete;

    /// A tensor as `tensor` in the host's memory, page-locked for a GPU. Throws std::runtime_error, one line,
    /// where there is not enough of it.
    at::Tensor onHost(const at::Tensor& tensor) const;

    struct Copy {
        at::Tensor from, to;
    };
    /// Begins to copy after all that the current stream has been given so far. Returns what wait() takes.
    /// Until that has been called, the device's tensors must stay.
    std::shared_ptr<void> begin(const std::vector<Copy>& copies, bool toHost);
    /// The current stream goes on when the copies have been made. The host does not wait.
    void wait(const std::shared_ptr<void>& transfer) const;

private:
    struct Streams;
    Device device_;
    std::unique_ptr<Streams> streams_;  ///< of a GPU, from the first copy on
};

}  // namespace highwater::engine
