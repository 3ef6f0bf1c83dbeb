#include "core/engine/step/windowed.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "core/engine/device/device.h"

namespace highwater::engine {

namespace {

/// Allocates a tensor like `whole` with the spatial sizes of a window and `samples` samples.
at::Tensor windowOf(const at::Tensor& whole, std::int64_t samples, const stack::Shape& window) {
    stack::Shape shape = stack::withSizesOf(whole.sizes().vec(), window);
    shape[0] = samples;
    return zeroInput(shape, whole.options(), whole.suggest_memory_format());
}

using Along = std::vector<std::vector<float>>;  ///< by axis, then index along the axis

/// The outer product of the axes' values, with the options of `beside` (category input). It is computed on
/// the host in memory that the ledger does not count.
at::Tensor product(const Along& along, const at::Tensor& beside) {
    std::vector<float> values{1};
    stack::Shape shape;
    for (const std::vector<float>& axis : along) {
        std::vector<float> longer;
        longer.reserve(values.size() * axis.size());
        for (const float before : values) {
            for (const float value : axis) {
                longer.push_back(before * value);
            }
        }
        values = std::move(longer);
        shape.push_back(static_cast<std::int64_t>(axis.size()));
    }
    at::Tensor made = zeroInput(shape, beside.options());
    made.copy_(at::from_blob(values.data(), shape));
    return made;
}

}  // namespace

Windowed::Windowed(const stack::Experiment& experiment, const stack::StackInfo& info, const DataSource& data,
                   std::int64_t samples)
    : data_(data),
      grid_(*stack::windowGrid(*experiment.windows, info.data)),
      dims_(static_cast<std::int64_t>(info.data.size()) - 2),
      samples_(samples) {
    input_ = windowOf(data.input(), samples, info.input);
    if (data.target().is_same(data.input())) {
        target_ = input_;
    } else if (data.target().defined()) {
        target_ = windowOf(data.target(), samples, info.input);
    }
    targets_ = HeadTargets(info, target_);
    if (!experiment.step.train) {
        makeBlend(experiment, info);
    }
}

void Windowed::makeBlend(const stack::Experiment& experiment, const stack::StackInfo& info) {
    Along weights, sums;
    for (std::size_t axis = 0; axis < grid_.size.size(); ++axis) {
        weights.push_back(stack::windowWeights(experiment.windows->blend, grid_.size[axis]));
        std::vector<float>& sum = sums.emplace_back(static_cast<std::size_t>(info.data[axis + 2]), 0.0F);
        for (const std::int64_t start : grid_.starts[axis]) {
            for (std::size_t i = 0; i < weights.back().size(); ++i) {
                sum[static_cast<std::size_t>(start) + i] += weights.back()[i];
            }
        }
    }
    weights_ = product(weights, data_.input());
    sums_ = product(sums, data_.input());
    stack::Shape shape = info.data;
    shape[1] = info.output[1];
    blended_ = at::empty(shape, data_.input().options()).zero_();
    retag(blended_, Category::Activations);
}

at::Tensor Windowed::cut(const at::Tensor& whole) const {
    at::Tensor part = whole;
    for (std::int64_t axis = 0; axis < dims_; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        part = part.narrow(whole.dim() - dims_ + axis, corner_[a], grid_.size[a]);
    }
    return part;
}

void Windowed::select(std::int64_t first, std::int64_t window) {
    const c10::AutoGradMode noGraph(false);
    first_ = first;
    corner_ = grid_.corner(window);
    input_.copy_(cut(data_.input()).narrow(0, first, samples_));
    if (!target_.defined()) {
        return;
    }
    if (!target_.is_same(input_)) {
        target_.copy_(cut(data_.target()).narrow(0, first, samples_));
    }
    targets_.sample();
}

void Windowed::begin() {
    const c10::AutoGradMode noGraph(false);
    blended_.zero_();
}

void Windowed::blend(const at::Tensor& output) {
    const c10::AutoGradMode noGraph(false);
    cut(blended_).narrow(0, first_, samples_).addcmul_(output, weights_);
}

void Windowed::finish() {
    const c10::AutoGradMode noGraph(false);
    blended_.div_(sums_);
}

}  // namespace highwater::engine
