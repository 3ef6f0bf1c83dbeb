#include "core/engine/losses.h"

#include <ATen/ATen.h>

#include <numeric>

namespace highwater::engine {

namespace {

at::Tensor dice(const at::Tensor& output, const at::Tensor& target) {
    constexpr double kSmooth = 1e-5;
    std::vector<std::int64_t> spatial(static_cast<std::size_t>(output.dim() - 2));
    std::iota(spatial.begin(), spatial.end(), 2);
    const at::Tensor p = at::softmax(output, 1);
    const at::Tensor y = at::zeros_like(p).scatter_(1, target.unsqueeze(1), 1.0);
    const at::Tensor both = at::mul(p, y).sum(spatial);
    const at::Tensor sizes = p.sum(spatial) + y.sum(spatial);
    return 1 - ((2 * both + kSmooth) / (sizes + kSmooth)).mean();
}

}  // namespace

at::Tensor computeLoss(stack::Loss loss, const at::Tensor& output, const at::Tensor& target) {
    switch (loss) {
        case stack::Loss::Mse:
            return at::mse_loss(output, target);
        case stack::Loss::CrossEntropy:
            return at::cross_entropy_loss(output, target);
        case stack::Loss::Dice:
            return dice(output, target);
        case stack::Loss::DiceCrossEntropy:
            return at::cross_entropy_loss(output, target) + dice(output, target);
        case stack::Loss::Mean:
            break;
    }
    return output.mean();
}

at::Tensor computeLoss(stack::Loss loss, std::vector<at::Tensor> outputs,
                       const std::vector<at::Tensor>& targets, const std::vector<double>& weights) {
    at::Tensor sum;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        at::Tensor value = computeLoss(loss, outputs[i], targets[i]);
        outputs[i].reset();
        if (outputs.size() > 1)
            value = at::mul(value, weights[i]);
        sum = sum.defined() ? at::add(sum, value) : std::move(value);
    }
    return sum;
}

}  // namespace highwater::engine
