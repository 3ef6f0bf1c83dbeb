#include "core/engine/layers/tensor_layers.h"

#include <ATen/ATen.h>
#include <torch/version.h>

#include <cmath>
#include <limits>

namespace highwater::engine {

at::Tensor makeSmall(const stack::Sizes& shape) {
    constexpr double kDeviation = 0.02;
    return at::empty(shape).normal_(0, kDeviation);
}

at::Tensor makeLearned(const stack::Learned& learned, const stack::Shape& shape) {
    constexpr double kFactor = 1e-6;
    return learned.kind == stack::Learned::Kind::LayerScale ? at::full(shape, kFactor) : makeSmall(shape);
}

at::Tensor apply(const stack::Reshape& reshape, const at::Tensor& x) {
    return at::reshape(x, reshape.shape);
}

at::Tensor apply(const stack::Permute& permute, const at::Tensor& x) {
    return at::permute(x, permute.dims);
}

at::Tensor apply(const stack::Select& select, const at::Tensor& x) {
    return at::select(x, select.dim, select.index);
}

at::Tensor apply(const stack::Slice& slice, const at::Tensor& x) {
    return at::slice(x, slice.dim, slice.start, slice.end, slice.step);
}

at::Tensor apply(const stack::Roll& roll, const at::Tensor& x) {
    return at::roll(x, roll.shifts, roll.dims);
}

at::Tensor apply(const stack::Copy& copy, const at::Tensor& x) {
    return copy.kind == stack::Copy::Kind::Clone ? at::clone(x, at::MemoryFormat::Contiguous)
                                                 : x.contiguous();
}

at::Tensor apply(const stack::Learned& learned, const at::Tensor& x, const std::vector<at::Tensor>& weights) {
    switch (learned.kind) {
        case stack::Learned::Kind::LayerScale:
            return at::mul(x, weights.at(0));
        case stack::Learned::Kind::PositionEmbedding:
            return at::add(x, weights.at(0));
        case stack::Learned::Kind::ClassToken:
            break;
    }
    std::vector<at::Tensor> tokens;
    for (const at::Tensor& weight : weights) {
        tokens.push_back(weight.expand({x.size(0), -1, -1}));
    }
    tokens.push_back(x);
    return at::cat(tokens, 1);
}

at::Tensor apply(const stack::StochasticDepth& depth, const at::Tensor& x, step::ForwardMode mode) {
    if (depth.p == 0 || mode == step::ForwardMode::Evaluate) {
        return x;
    }
    stack::Shape shape(static_cast<std::size_t>(x.dim()), 1);
    if (depth.mode == stack::StochasticDepth::Mode::Row) {
        shape.front() = x.size(0);
    }
    at::Tensor noise = at::empty(shape, x.options()).bernoulli_(1 - depth.p);
    if (depth.scaleByKeep && depth.p < 1) {
        noise.div_(1 - depth.p);
    }
    return at::mul(x, noise);
}

at::Tensor makeRelativePositions(const stack::RelativePositionBias& bias) {
    const stack::Sizes& window = bias.windowSize;
    const std::int64_t places = stack::placesOf(window);
    at::Tensor index = at::empty({places, places}, at::kLong);
    auto* const rows = index.data_ptr<std::int64_t>();
    for (std::int64_t from = 0; from < places; ++from) {
        for (std::int64_t to = 0; to < places; ++to) {
            std::int64_t row = 0, stride = 1, a = from, b = to;
            for (std::size_t axis = window.size(); axis-- > 0;) {
                const std::int64_t size = window[axis];
                row += (a % size - b % size + size - 1) * stride;
                stride *= 2 * size - 1;
                a /= size;
                b /= size;
            }
            rows[from * places + to] = row;
        }
    }
    return index;
}

at::Tensor apply(const stack::RelativePositionBias& bias, const at::Tensor& table, const at::Tensor& index) {
    const std::int64_t places = bias.places == 0 ? index.size(0) : bias.places;
    at::Tensor flat = bias.copyIndex ? at::clone(index) : index;
    if (places < index.size(0)) {
        flat = flat.narrow(0, 0, places).narrow(1, 0, places);
    }
    flat = flat.reshape({-1});
    const at::Tensor rows = table.index({flat});
    return rows.reshape({places, places, -1}).permute({2, 0, 1}).contiguous().unsqueeze(0);
}

namespace {

/// Numbers the parts of each axis that a shift brings together: all but the last window, the positions of the
/// last window that stay, and those that come from the other end.
void numberParts(const stack::WindowMask& mask, at::Tensor part, std::size_t axis, std::int64_t& count) {
    if (axis == mask.size.size()) {
        part.fill_(count++);
        return;
    }
    const std::int64_t size = mask.size[axis], last = size - mask.windowSize[axis];
    const std::int64_t moved = mask.shiftSize[axis] == 0 ? last : size - mask.shiftSize[axis];
    const std::pair<std::int64_t, std::int64_t> stretches[] = {{0, last}, {last, moved}, {moved, size}};
    for (const auto& [begin, end] : stretches) {
        numberParts(mask, part.slice(static_cast<std::int64_t>(axis) + 1, begin, end), axis + 1, count);
    }
}

}  // namespace

/// compute_mask of MONAI's swin_unetr.py, tensor by tensor.
at::Tensor apply(const stack::WindowMask& mask, const at::Tensor& like) {
    stack::Shape whole{1}, split{1};
    std::vector<std::int64_t> order{0};
    const std::size_t axes = mask.size.size();
    for (std::size_t axis = 0; axis < axes; ++axis) {
        whole.push_back(mask.size[axis]);
        split.insert(split.end(), {mask.size[axis] / mask.windowSize[axis], mask.windowSize[axis]});
    }
    whole.push_back(1);
    split.push_back(1);
    for (const std::size_t first : {1U, 2U}) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            order.push_back(static_cast<std::int64_t>(2 * axis + first));
        }
    }
    order.push_back(static_cast<std::int64_t>(2 * axes + 1));

    constexpr double kApart = -100;
    const at::Tensor image = at::zeros(whole, like.options().dtype(at::kFloat));
    std::int64_t count = 0;
    numberParts(mask, image, 0, count);
    const at::Tensor windows =
        image.view(split).permute(order).contiguous().view({-1, stack::placesOf(mask.windowSize)});
    at::Tensor made = windows.unsqueeze(1) - windows.unsqueeze(2);
    at::Tensor apart = made.ne(0);
    const at::Tensor filled = made.masked_fill(apart, kApart);
    apart.reset();
    made = filled.masked_fill(made.eq(0), 0.0);
    return made.unsqueeze(1).unsqueeze(0);
}

at::Tensor attention(const stack::Merge& merge, const at::Tensor& queries,
                     const std::vector<at::Tensor>& with, step::ForwardMode mode) {
    const at::Tensor keys = with.at(0), values = with.at(1);
    const double size = static_cast<double>(queries.size(-1)),
                 scale = merge.scale > 0 ? merge.scale : 1 / std::sqrt(size),
                 dropout = mode == step::ForwardMode::Evaluate ? 0 : merge.dropoutP;
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
    const c10::optional<at::Tensor> mask =
        with.size() > 2 ? c10::optional<at::Tensor>(with[2]) : c10::nullopt;
    return at::scaled_dot_product_attention(queries, keys, values, mask, dropout, merge.isCausal, scale);
#else
    const double half = std::sqrt(scale);
    const at::Tensor scaled = queries * half;
    at::Tensor mask = with.size() > 2 ? with[2] : at::Tensor();
    if (merge.isCausal) {
        mask = at::full({queries.size(-2), keys.size(-2)}, -std::numeric_limits<double>::infinity(),
                        queries.options())
                   .triu(1);
    }
    at::Tensor weights = at::matmul(scaled, keys.transpose(-2, -1) * half);
    if (mask.defined()) {
        weights.add_(mask);
    }
    weights = at::softmax(weights, -1);
    if (dropout > 0) {
        weights = at::dropout(weights, dropout, true);
    }
    return at::matmul(weights, values);
#endif
}

}  // namespace highwater::engine
