#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "core/engine/device/device.h"
#include "core/stack/experiment.h"

/// Mixed precision as in PyTorch's torch.amp: autocast for forward and loss, and for fp16 a gradient scaler
/// with PyTorch's defaults (a scale of 2^16, doubled after 2,000 good steps; if gradients are not finite, the
/// scale is halved and the step is skipped). Private to core/engine.
namespace highwater::engine {

/// The type of parameters, inputs and targets: fp32 except for bf16_true and fp16_true.
at::ScalarType modelType(stack::Precision precision);

class MixedPrecision {
public:
    MixedPrecision(stack::Precision precision, const Device& device);
    ~MixedPrecision();
    MixedPrecision(const MixedPrecision&) = delete;
    MixedPrecision& operator=(const MixedPrecision&) = delete;

    /// Turns autocast on for the calling thread while it exists. The outermost one frees the cached casts of
    /// parameters at its end.
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

    /// The loss to run backward from: `loss` times the scale for fp16, otherwise `loss` itself.
    at::Tensor scaled(const at::Tensor& loss);
    /// Call before the optimizer's step: divides the gradients by the scale. False if some are not finite:
    /// skip the step. With a scale (fp16) it waits for the device.
    bool unscale(const std::vector<at::Tensor>& parameters);
    /// Call after the step: updates the scale.
    void update();
    double scale() const;          ///< 1 without a scaler
    std::int64_t skipped() const;  ///< number of skipped steps

private:
    struct Scaler;
    stack::Precision precision_;
    Device device_;
    std::unique_ptr<Scaler> scaler_;
};

}  // namespace highwater::engine
