#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/engine/device/device.h"
#include "core/stack/experiment.h"

/// Mixed precision as PyTorch's torch.amp: autocast around forward and loss, and for fp16 a gradient scaler
/// with its defaults (2^16, doubled after 2,000 good steps, halved after a bad one, which is skipped).
/// Private to core/engine.
namespace highwater::engine {

class MixedPrecision {
public:
    MixedPrecision(stack::Precision precision, const Device& device);
    ~MixedPrecision();
    MixedPrecision(const MixedPrecision&) = delete;
    MixedPrecision& operator=(const MixedPrecision&) = delete;

    /// Autocast is on while it lives, on this thread; its copies of parameters go with the outermost.
    class Autocast {
    public:
        explicit Autocast(const MixedPrecision& precision);
        ~Autocast();
        Autocast(const Autocast&) = delete;
        Autocast& operator=(const Autocast&) = delete;

    private:
        bool on_ = false;
        struct Before;
        std::unique_ptr<Before> before_;
    };

    /// The loss to run backward from: itself, or scaled.
    at::Tensor scaled(const at::Tensor& loss);
    /// Before the optimizer's step: brings the gradients back to scale. False: some are not finite, the step
    /// is to be skipped. Waits for the device where there is a scale.
    bool unscale(const std::vector<at::Tensor>& parameters);
    /// After the step: the next scale.
    void update();
    double scale() const;          ///< 1 where nothing is scaled
    std::int64_t skipped() const;  ///< steps

private:
    struct Scaler;
    stack::Precision precision_;
    Device device_;
    std::unique_ptr<Scaler> scaler_;
};

}  // namespace highwater::engine
