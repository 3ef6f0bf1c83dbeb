#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace highwater::engine {

/// Host memory that batches are written to and copied to the GPU from; both sides are allocated once. Pinned:
/// the copies run in the GPU's stream while the host goes on, from two buffers in turn, and a buffer is
/// written again only after its own copies are over. Otherwise each copy waits for the stream. Private to
/// core/engine.
class Staging {
public:
    /// A host tensor like each of these, its layout included; they are kept.
    Staging(std::vector<at::Tensor> onDevice, bool pinned);
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// The tensors to write the next batch to, in the order given; they are free when it returns.
    const std::vector<at::Tensor>& next();
    /// Copies what next() gave to the device.
    void send();

private:
    struct Buffer;
    bool pinned_;
    std::vector<at::Tensor> onDevice_;
    std::vector<std::unique_ptr<Buffer>> buffers_;
    std::size_t turn_ = 0;
};

}  // namespace highwater::engine
