#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace highwater::engine {

/// Host buffers that batches are written to and copied to the GPU from. Host and device memory are allocated
/// once. With `pinned`, copies run asynchronously in the GPU's current stream from two alternating buffers; a
/// buffer is overwritten only after its own copies have finished. Without it there is one buffer, and each
/// copy waits for the stream. Private to core/engine.
class Staging {
public:
    /// Allocates a host tensor with the shape, strides and type of each of `onDevice`, which are stored.
    Staging(std::vector<at::Tensor> onDevice, bool pinned);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// The host tensors to write the next batch to, in the order of `onDevice`. Waits until their copies are
    /// done.
    const std::vector<at::Tensor>& next();
    /// Copies the tensors of the last next() to the device.
    void send();

private:
    struct Buffer;
    bool pinned_;
    std::vector<at::Tensor> onDevice_;
    std::vector<std::unique_ptr<Buffer>> buffers_;
    std::size_t turn_ = 0;
};

}  // namespace highwater::engine
