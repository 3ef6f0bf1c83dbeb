#include "core/engine/step/losses.h"

#include <ATen/ATen.h>

#include <numeric>
#include <utility>

#include "core/step/joint_loss.h"

namespace highwater::engine {

namespace {

// Each operation that allocates is in a separate statement: C++ does not specify the evaluation order of
// operands, and core/predict predicts every allocation in order.
at::Tensor overlap(const at::Tensor& p, const at::Tensor& y) {
    constexpr double kSmooth = 1e-5;
    std::vector<std::int64_t> spatial(static_cast<std::size_t>(p.dim() - 2));
    std::iota(spatial.begin(), spatial.end(), 2);
    const at::Tensor both = at::mul(p, y).sum(spatial);
    at::Tensor sizes;
    {
        const at::Tensor sizeY = y.sum(spatial), sizeP = p.sum(spatial);
        sizes = sizeP + sizeY;
    }
    const at::Tensor below = sizes + kSmooth;
    const at::Tensor doubled = 2 * both;
    const at::Tensor above = doubled + kSmooth;
    const at::Tensor ratio = above / below;
    const at::Tensor average = ratio.mean();
    return 1 - average;
}

at::Tensor dice(const at::Tensor& output, const at::Tensor& target) {
    const at::Tensor p = at::softmax(output, 1);
    const at::Tensor y =
        target.is_floating_point() ? target : at::zeros_like(p).scatter_(1, target.unsqueeze(1), 1.0);
    return overlap(p, y);
}

at::Tensor sigmoidDice(const at::Tensor& output, const at::Tensor& target) {
    const at::Tensor p = at::sigmoid(output);
    return overlap(p, target);
}

}  // namespace

at::Tensor softTarget(const at::Tensor& labels, std::int64_t classes, at::ScalarType type) {
    std::vector<std::int64_t> shape = labels.sizes().vec();
    shape.insert(shape.begin() + 1, classes);
    return at::zeros(shape, labels.options().dtype(type)).scatter_(1, labels.unsqueeze(1), 1.0);
}

at::Tensor computeLoss(stack::Loss loss, const at::Tensor& output, const at::Tensor& target) {
    switch (loss) {
        case stack::Loss::Mse:
            return at::mse_loss(output, target);
        case stack::Loss::CrossEntropy:
            return at::cross_entropy_loss(output, target);
        case stack::Loss::Dice:
            return dice(output, target);
        case stack::Loss::DiceCrossEntropy: {
            const at::Tensor ofPlaces = dice(output, target);
            const at::Tensor entropy = at::cross_entropy_loss(output, target);
            return entropy + ofPlaces;
        }
        case stack::Loss::Bce:
            return at::binary_cross_entropy_with_logits(output, target);
        case stack::Loss::SigmoidDice:
            return sigmoidDice(output, target);
        case stack::Loss::SigmoidDiceBce: {
            const at::Tensor ofPlaces = sigmoidDice(output, target);
            const at::Tensor entropy = at::binary_cross_entropy_with_logits(output, target);
            return entropy + ofPlaces;
        }
        case stack::Loss::Mean:
            break;
    }
    return output.mean();
}

at::Tensor computeLoss(stack::Loss loss, std::vector<at::Tensor> outputs,
                       const std::vector<at::Tensor>& targets, const std::vector<double>& weights) {
    struct Losses {
        stack::Loss kind;
        at::Tensor loss(const at::Tensor& output, const at::Tensor& target) const {
            return computeLoss(kind, output, target);
        }
        static at::Tensor weigh(const at::Tensor& value, double weight) { return at::mul(value, weight); }
        static at::Tensor join(const at::Tensor& sum, const at::Tensor& value) { return at::add(sum, value); }
    };
    return step::jointLoss(Losses{loss}, std::move(outputs), targets, weights);
}

}  // namespace highwater::engine
