#include "core/engine/step/precision.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include "core/engine/device/torch_compat.h"

namespace highwater::engine {

namespace {

// torch.amp.GradScaler's defaults.
constexpr double kFirstScale = 65536;
constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;

}  // namespace

at::ScalarType modelType(stack::Precision precision) {
    return precision == stack::Precision::Fp16True   ? at::kHalf
           : precision == stack::Precision::Bf16True ? at::kBFloat16
                                                     : at::kFloat;
}

/// The tensors that torch.amp.GradScaler keeps, scalars on the device, allocated and freed at the same
/// moments.
struct MixedPrecision::Scaler {
    at::Tensor scale, growth;  ///< allocated with the first loss
    at::Tensor foundInf;       ///< exists from unscale() to update()
    std::int64_t skipped = 0;
};

MixedPrecision::MixedPrecision(stack::Precision precision, const Device& device)
    : precision_(precision), device_(device) {
    if (precision == stack::Precision::Fp16) {
        scaler_ = std::make_unique<Scaler>();
    }
}

MixedPrecision::~MixedPrecision() = default;

struct MixedPrecision::Autocast::Before {
    c10::DeviceType kind;
    AutocastState state;
};

MixedPrecision::Autocast::Autocast(const MixedPrecision& precision)
    : on_(stack::usesAutocast(precision.precision_)) {
    if (!on_) {
        return;
    }
    const c10::DeviceType kind = precision.device_.torch().type();
    before_ = std::make_unique<Before>(Before{kind, autocastState(kind)});
    const at::ScalarType type = precision.precision_ == stack::Precision::Fp16 ? at::kHalf : at::kBFloat16;
    setAutocastState(kind, {true, type, true});
    at::autocast::increment_nesting();
}

MixedPrecision::Autocast::~Autocast() {
    if (!on_) {
        return;
    }
    if (at::autocast::decrement_nesting() == 0) {
        at::autocast::clear_cache();
    }
    setAutocastState(before_->kind, before_->state);
}

at::Tensor MixedPrecision::scaled(const at::Tensor& loss) {
    if (!scaler_) {
        return loss;
    }
    if (!scaler_->scale.defined()) {
        scaler_->scale = at::full({}, kFirstScale, loss.options().dtype(at::kFloat).requires_grad(false));
        scaler_->growth = at::full({}, 0, loss.options().dtype(at::kInt).requires_grad(false));
    }
    return loss * scaler_->scale;
}

bool MixedPrecision::unscale(const std::vector<at::Tensor>& parameters) {
    if (!scaler_ || !scaler_->scale.defined()) {
        return true;
    }
    const c10::AutoGradMode noGraph(false);
    // Each of the three tensors replaces the previous one, which is freed then, as in
    // `scale.double().reciprocal().float()`.
    at::Tensor inverse = scaler_->scale.to(at::kDouble);
    inverse = inverse.reciprocal();
    inverse = inverse.to(at::kFloat);
    scaler_->foundInf = at::full({}, 0.0, scaler_->scale.options());
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : parameters) {
        if (parameter.grad().defined()) {
            gradients.push_back(parameter.grad());
        }
    }
    if (!gradients.empty()) {
        at::_amp_foreach_non_finite_check_and_unscale_(gradients, scaler_->foundInf, inverse);
    }
    const bool finite = scaler_->foundInf.item<float>() == 0;
    scaler_->skipped += finite ? 0 : 1;
    return finite;
}

void MixedPrecision::update() {
    if (!scaler_ || !scaler_->foundInf.defined()) {
        return;
    }
    const c10::AutoGradMode noGraph(false);
    at::_amp_update_scale_(scaler_->scale, scaler_->growth, scaler_->foundInf, kGrowth, kBackoff,
                           kGrowthInterval);
    scaler_->foundInf.reset();
}

double MixedPrecision::scale() const {
    if (!scaler_) {
        return 1;
    }
    return scaler_->scale.defined() ? scaler_->scale.item<double>() : kFirstScale;
}

std::int64_t MixedPrecision::skipped() const {
    return scaler_ ? scaler_->skipped : 0;
}

}  // namespace highwater::engine
