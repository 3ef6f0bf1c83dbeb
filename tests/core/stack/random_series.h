#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/stack/experiment.h"

/// Random series of layers without a notion of channels and space, as in networks with attention. The output
/// of a series has the size of its input.
namespace highwater::stack::testing {

inline Op activation(Activation::Kind kind, bool inplace) {
    Activation made;
    made.kind = kind;
    made.inplace = inplace;
    return made;
}

inline std::int64_t elementsFrom(const Shape& shape, std::size_t axis) {
    std::int64_t elements = 1;
    for (; axis < shape.size(); ++axis) {
        elements *= shape[axis];
    }
    return elements;
}

class RandomSeries {
public:
    /// `freshId` gives an unused id. `classTokens`: see RandomLimits.
    RandomSeries(std::mt19937_64& random, std::function<std::string()> freshId, bool classTokens = false)
        : random_(random), freshId_(std::move(freshId)), classTokens_(classTokens) {}

    /// `before`, the layer before the series, may get an id.
    std::vector<Layer> plain(const Shape& shape, Layer& before) {
        const auto chance = [&](std::size_t of) { return random_() % of == 0; };
        Learned learned;
        learned.kind = chance(2) ? Learned::Kind::LayerScale : Learned::Kind::PositionEmbedding;
        learned.shape.assign(shape.begin() + 1, shape.end());
        for (std::size_t axis = 1; axis < learned.shape.size(); ++axis) {
            learned.shape[axis] = chance(2) ? 1 : learned.shape[axis];
        }
        StochasticDepth depth;
        depth.p = static_cast<double>(random_() % 5) * 0.25;
        depth.mode = chance(2) ? StochasticDepth::Mode::Row : StochasticDepth::Mode::Batch;
        depth.scaleByKeep = chance(2);
        Copy copy;
        copy.kind = chance(2) ? Copy::Kind::Clone : Copy::Kind::Contiguous;
        switch (random_() % 6) {
            case 0:
                return {{"", learned}};
            case 1:
                return {{"", depth}, {"", copy}};
            case 2:
                return gate(shape, before);
            case 3:
                return chance(2) ? attention(shape)
                                 : std::vector<Layer>{{"", learned}, {"", depth}, {"", learned}};
            default:
                return channelsLast(shape);
        }
    }

    /// As in window transformers.
    std::vector<Layer> windows(const Shape& shape, Layer& before) {
        if (before.id.empty()) {
            before.id = freshId_();
        }
        switch (random_() % 5) {
            case 0:
                return withToken({{"", Roll{{between(-3, 3), between(0, 9)}, {between(1, axesOf(shape)), 2}}},
                                  {"", Scale{0.5, Scale::Kind::Offset}}},
                                 shape);
            case 1:
                return joinedAgain(shape, before.id);
            case 2:
                return merging(shape, before.id);
            default:
                return shiftedWindows(shape);
        }
    }

    /// Values along some axes, what is made of them, and other operators of published networks.
    std::vector<Layer> reduced(const Shape& shape, Layer& before) {
        if (before.id.empty()) {
            before.id = freshId_();
        }
        const std::string part = freshId_();
        const Reduce reduce = reduction(shape);
        Expand whole;
        whole.shape = shape, whole.shape[0] = -1;
        Activation least, other;
        least.kind = Activation::Kind::ClampMin, least.low = 0.1;
        constexpr std::array kOthers = {Activation::Kind::Selu, Activation::Kind::Hardtanh,
                                        Activation::Kind::Softplus};
        other.kind = kOthers[random_() % kOthers.size()];
        other.inplace = factsOf(other.kind).hasInplaceForm && random_() % 3 == 0;
        other.low = other.kind == Activation::Kind::Hardtanh ? -0.5 : other.low;
        const Layer back{"", Merge{Merge::Kind::Branch, {before.id}}},
            by{"", Merge{Merge::Kind::Div, {part}}};
        const Op positive = activation(Activation::Kind::Sigmoid, false);
        switch (random_() % 5) {
            case 0:
                return {{"", Reduce{Reduce::Kind::Norm, reduce.dim}}, {"", least}, {part, whole}, back, by};
            case 1:
                return {{"", reduce},
                        {"", positive},
                        {"", least},  // a sigmoid may be 0, of which a root has no gradient
                        {"", activation(Activation::Kind::Sqrt, false)},
                        {"", Merge{Merge::Kind::Mul, {before.id}}}};
            case 2:
                return {{"", reduce}, {"", positive}, {part, least}, back, by};
            case 3:
                return {{"", affine(shape)}, {"", other}};
            default:
                return {{"", standardized(shape)}};
        }
    }

private:
    Reduce reduction(const Shape& shape) {
        Reduce made;
        made.kind = static_cast<Reduce::Kind>(random_() % 5);
        made.dim.clear();
        std::int64_t values = 1;
        for (std::int64_t axis = 1; axis < std::ssize(shape); ++axis) {
            if (random_() % 2 == 0 || (made.dim.empty() && axis + 1 == std::ssize(shape))) {
                made.dim.push_back(random_() % 2 == 0 ? axis : axis - std::ssize(shape));
                values *= shape[static_cast<std::size_t>(axis)];
            }
        }
        if (made.kind == Reduce::Kind::Var) {
            made.correction = values > 1 && random_() % 2 == 0 ? 1 : 0;
        }
        return made;
    }

    Affine affine(const Shape& shape) {
        Affine made;
        made.shape.assign(shape.begin() + 1 + static_cast<std::ptrdiff_t>(random_() % 2), shape.end());
        for (std::int64_t& size : made.shape) {
            size = random_() % 2 == 0 ? 1 : size;
        }
        return made;
    }

    Conv standardized(const Shape& shape) {
        Conv made;
        keepSize(made, shape);
        made.bias = random_() % 2 == 0;
        made.standardize = random_() % 2 == 0 ? Conv::Standardize::Weights : Conv::Standardize::Scaled;
        return made;
    }

    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
    }
    static std::int64_t axesOf(const Shape& shape) { return std::ssize(shape) - 1; }

    /// Some layers, then, if wanted, a token before the channels, which is removed again.
    std::vector<Layer> withToken(std::vector<Layer> made, const Shape& shape) const {
        if (!classTokens_) {
            return made;
        }
        const std::int64_t features = elementsFrom(shape, 2);
        Reshape whole{{-1}};
        whole.shape.insert(whole.shape.end(), shape.begin() + 1, shape.end());
        made.insert(made.end(), {{"", Reshape{{-1, shape[1], features}}},
                                 {"", Learned{Learned::Kind::ClassToken, {1, 1, features}}},
                                 {"", Slice{1, 1, 1 + shape[1], 1}},
                                 {"", whole}});
        return made;
    }

    /// Two parts of an axis, joined in reverse order.
    std::vector<Layer> joinedAgain(const Shape& shape, const std::string& whole) {
        const auto dim = static_cast<int>(between(1, axesOf(shape)));
        const std::int64_t size = shape[static_cast<std::size_t>(dim)];
        if (size < 2) {
            return {};
        }
        const std::int64_t at = between(1, size - 1);
        const std::string first = freshId_();
        return {{first, Slice{dim, 0, at, 1}},
                {"", Merge{Merge::Kind::Branch, {whole}}},
                {"", Slice{dim, at, size, 1}},
                {"", Merge{Merge::Kind::Concat,
                           {first},
                           random_() % 2 == 0 ? dim : dim - static_cast<int>(shape.size())}}};
    }

    static Permute channelsTo(std::size_t axes, bool last) {
        Permute made;
        made.dims.resize(axes);
        std::iota(made.dims.begin(), made.dims.end(), 0);
        if (last) {
            std::rotate(made.dims.begin() + 1, made.dims.begin() + 2, made.dims.end());
        } else {
            std::rotate(made.dims.begin() + 1, made.dims.end() - 1, made.dims.end());
        }
        return made;
    }

    /// The even and the odd positions of an axis side by side as channels, mixed by a product (patch
    /// merging).
    std::vector<Layer> merging(const Shape& shape, const std::string& whole) {
        const auto dim = static_cast<int>(between(2, axesOf(shape)));
        const std::int64_t size = shape[static_cast<std::size_t>(dim)];
        if (size % 2 != 0 || shape[1] < 2) {
            return {};
        }
        const std::string even = freshId_();
        const bool last = random_() % 2 == 0;
        const int at = last ? dim - 1 : dim;  // where the axis is
        std::vector<Layer> made;
        const auto start = [&] {
            if (last) {
                made.push_back({"", channelsTo(shape.size(), true)});
            }
        };
        start();
        made.push_back({even, Slice{at, 0, size - 1, 2}});
        made.push_back({"", Merge{Merge::Kind::Branch, {whole}}});
        start();
        made.push_back({"", Slice{at, 1, size, 2}});
        made.push_back({"", Merge{Merge::Kind::Concat, {even}, last ? -1 : 1}});
        Upsample back;
        back.size.assign(shape.begin() + 2, shape.end());
        if (last) {
            made.push_back({"", LayerNorm{{2 * shape[1]}, 1e-5, true}});
            made.push_back({"", Linear{shape[1], random_() % 2 == 0}});
            made.push_back({"", channelsTo(shape.size(), false)});
            made.push_back({"", Copy{Copy::Kind::Contiguous}});
        } else {
            Conv conv;
            conv.outChannels = shape[1];
            conv.kernelSize = {1};
            made.push_back({"", conv});
        }
        made.push_back({"", back});
        return made;
    }

    /// Attention of one or two heads within shifted windows, with relative position bias and mask.
    std::vector<Layer> shiftedWindows(const Shape& shape) {
        const std::size_t axes = shape.size() - 2;
        const std::int64_t channels = shape[1], heads = between(1, 2), width = 2;
        Sizes sizes(shape.begin() + 2, shape.end()), window, shift;
        Reshape apart{{-1}}, together{{-1}}, whole{{-1}};
        Permute order{{0}}, back{{0}};
        Roll away{{}, {}}, home{{}, {}};
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const std::int64_t size = sizes[axis];
            const std::int64_t its = size % 3 == 0 ? 3 : size % 2 == 0 ? 2 : size;
            window.push_back(its);
            shift.push_back(its > 1 ? between(0, its - 1) : 0);
            apart.shape.insert(apart.shape.end(), {size / its, its});
            away.shifts.push_back(-shift.back());
            home.shifts.push_back(shift.back());
            away.dims.push_back(static_cast<std::int64_t>(axis) + 1);
        }
        home.dims = away.dims;
        const std::int64_t places = placesOf(window), count = elementsFrom(shape, 2) / places;
        if (channels == 1 || places > 64 || places * places * count > 4096) {
            return {};
        }
        apart.shape.push_back(channels);
        for (const std::size_t first : {1U, 2U}) {
            for (std::size_t axis = 0; axis < axes; ++axis) {
                order.dims.push_back(static_cast<std::int64_t>(2 * axis + first));
                together.shape.push_back(first == 1 ? sizes[axis] / window[axis] : window[axis]);
            }
        }
        for (std::size_t axis = 0; axis < axes; ++axis) {
            const auto at = static_cast<std::int64_t>(axis);
            back.dims.insert(back.dims.end(), {1 + at, 1 + at + static_cast<std::int64_t>(axes)});
        }
        order.dims.push_back(static_cast<std::int64_t>(2 * axes + 1));
        back.dims.push_back(order.dims.back());
        together.shape.push_back(channels);
        whole.shape.insert(whole.shape.end(), sizes.begin(), sizes.end());
        whole.shape.push_back(channels);
        RelativePositionBias bias;
        bias.windowSize = window;
        bias.numHeads = heads;
        bias.copyIndex = random_() % 2 == 0;
        if (random_() % 2 == 0) {  // from a larger window, as if the volume were smaller than the window
            bias.places = places;
            bias.windowSize.back() += 1;
        }
        const std::string all = freshId_(), values = freshId_(), keys = freshId_(), scores = freshId_(),
                          distances = freshId_(), masked = freshId_(), mask = freshId_();
        std::vector<Layer> made = {{"", channelsTo(shape.size(), true)},
                                   {"", away},
                                   {"", apart},
                                   {"", order},
                                   {"", Copy{Copy::Kind::Contiguous}},
                                   {"", Reshape{{-1, places, channels}}},
                                   {"", Linear{3 * heads * width, random_() % 2 == 0}},
                                   {all, Reshape{{-1, places, 3, heads, width}}},
                                   {"", Select{2, 2}},
                                   {values, Permute{{0, 2, 1, 3}}},
                                   {"", Merge{Merge::Kind::Branch, {all}}},
                                   {"", Select{2, 1}},
                                   {keys, Permute{{0, 2, 3, 1}}},
                                   {mask, WindowMask{sizes, window, shift}},
                                   {"", Merge{Merge::Kind::Branch, {all}}},
                                   {"", Select{2, 0}},
                                   {"", Permute{{0, 2, 1, 3}}},
                                   {"", Scale{0.5}},
                                   {scores, Merge{Merge::Kind::Matmul, {keys}}}};
        switch (random_() % 4) {
            case 0:
                made.insert(made.end(), {{distances, bias}, {"", Merge{Merge::Kind::Add, {scores}}}});
                break;
            case 1:
                made.insert(made.end(), {{distances, bias},
                                         {"", Merge{Merge::Kind::Branch, {scores}}},
                                         {"", Merge{Merge::Kind::Add, {distances}}}});
                break;
            default:
                break;
        }
        made.insert(made.end(), {{masked, Reshape{{-1, count, heads, places, places}}},
                                 {"", Merge{Merge::Kind::Add, {mask}}},
                                 {"", Reshape{{-1, heads, places, places}}},
                                 {"", Softmax{-1}},
                                 {"", Merge{Merge::Kind::Matmul, {values}}},
                                 {"", Permute{{0, 2, 1, 3}}},
                                 {"", Reshape{{-1, places, heads * width}}},
                                 {"", Linear{channels, true}},
                                 {"", together},
                                 {"", back},
                                 {"", Copy{Copy::Kind::Contiguous}},
                                 {"", whole},
                                 {"", home},
                                 {"", channelsTo(shape.size(), false)},
                                 {"", Copy{Copy::Kind::Contiguous}}});
        return made;
    }

    /// Squeeze and excitation.
    std::vector<Layer> gate(const Shape& shape, Layer& before) {
        if (before.id.empty()) {
            before.id = freshId_();
        }
        Reshape back;
        back.shape.assign(shape.size(), 1);
        back.shape[0] = -1;
        back.shape[1] = shape[1];
        const bool flat = random_() % 2 == 0;
        return {{"", AdaptivePool{}},
                {"", flat ? Op(Flatten{}) : Op(Reshape{{-1, shape[1]}})},
                {"", Linear{2, random_() % 2 == 0}},
                {"", activation(Activation::Kind::Relu, random_() % 2 == 0)},
                {"", Linear{shape[1], random_() % 2 == 0}},
                {"", activation(Activation::Kind::Sigmoid, false)},
                {"", back},
                {"", Merge{Merge::Kind::Mul, {before.id}}}};
    }

    /// Two heads of two features over all positions.
    std::vector<Layer> attention(const Shape& shape) {
        const std::int64_t places = elementsFrom(shape, 2);
        if (places > 64 || places == 1 || shape[1] == 1) {
            return {};
        }
        const std::string all = freshId_(), values = freshId_(), keys = freshId_();
        Reshape whole;
        whole.shape = shape, whole.shape[0] = -1;
        if (random_() % 2 == 0) {
            Merge attended{Merge::Kind::Attention, {keys, values}};
            attended.isCausal = random_() % 2 == 0;
            attended.scale = random_() % 2 == 0 ? 0.3 : 0;
            attended.dropoutP = random_() % 3 == 0 ? 0.2 : 0;
            const bool strided = random_() % 2 == 0;  // as in timm
            return {{"", Reshape{{-1, shape[1], places}}},
                    {"", Permute{{0, 2, 1}}},
                    {"", Linear{12, random_() % 2 == 0}},
                    {"", Reshape{{-1, places, 3, 2, 2}}},
                    {"", Permute{{0, 2, 3, 1, 4}}},
                    {all, strided ? Op(Slice{4, 0, 2}) : Op(Copy{Copy::Kind::Contiguous})},
                    {values, Select{1, 2}},
                    {"", Merge{Merge::Kind::Branch, {all}}},
                    {keys, Select{1, 1}},
                    {"", Merge{Merge::Kind::Branch, {all}}},
                    {"", Select{1, 0}},
                    {"", attended},
                    {"", Permute{{0, 2, 1, 3}}},
                    {"", Reshape{{-1, places, 4}}},
                    {"", Linear{shape[1], random_() % 2 == 0}},
                    {"", Permute{{0, 2, 1}}},
                    {"", whole},
                    {"", Copy{Copy::Kind::Contiguous}}};
        }
        return {{"", Reshape{{-1, shape[1], places}}},
                {"", Permute{{0, 2, 1}}},
                {"", LayerNorm{{shape[1]}, 1e-5, true}},
                {"", Linear{12, random_() % 2 == 0}},
                {"", Reshape{{-1, places, 3, 2, 2}}},
                {all, Permute{{0, 2, 3, 1, 4}}},
                {values, Select{1, 2}},
                {"", Merge{Merge::Kind::Branch, {all}}},
                {"", Select{1, 1}},
                {keys, Permute{{0, 1, 3, 2}}},
                {"", Merge{Merge::Kind::Branch, {all}}},
                {"", Select{1, 0}},
                {"", random_() % 2 == 0 ? Op(Scale{0.5}) : Op(StochasticDepth{})},
                {"", Merge{Merge::Kind::Matmul, {keys}}},
                {"", Softmax{-1}},
                {"", Merge{Merge::Kind::Matmul, {values}}},
                {"", Permute{{0, 2, 1, 3}}},
                {"", Reshape{{-1, places, 4}}},
                {"", Linear{shape[1], random_() % 2 == 0}},
                {"", Permute{{0, 2, 1}}},
                {"", whole},
                {"", Copy{Copy::Kind::Contiguous}}};
    }

    /// With the channels as the last axis, or the spatial axes flattened: a norm, and a product or two.
    std::vector<Layer> channelsLast(const Shape& shape) {
        Permute away, back;
        away.dims.clear(), back.dims.clear();
        std::vector<Layer> made;
        if (shape[1] == 1 || elementsFrom(shape, 2) == 1) {
            return made;
        }
        const auto axes = static_cast<std::int64_t>(random_() % 2 == 0 ? 3 : shape.size());
        Reshape whole;
        whole.shape = shape, whole.shape[0] = -1;
        if (static_cast<std::size_t>(axes) != shape.size()) {
            made.push_back({"", Reshape{{-1, shape[1], elementsFrom(shape, 2)}}});
        }
        for (std::int64_t axis = 0; axis < axes; ++axis) {
            away.dims.push_back(axis == 0 ? 0 : axis == axes - 1 ? 1 : axis + 1);
            back.dims.push_back(axis == 0 ? 0 : axis == 1 ? axes - 1 : axis - 1);
        }
        made.push_back({"", away});
        if (random_() % 3 != 0) {
            made.push_back({"", LayerNorm{{shape[1]}, 1e-5, random_() % 2 == 0}});
        }
        if (random_() % 4 != 0) {
            made.push_back({"", Linear{3, random_() % 2 == 0}});
            made.push_back({"", activation(Activation::Kind::Gelu, false)});
            made.push_back({"", Linear{shape[1], random_() % 2 == 0}});
        }
        made.push_back({"", back});
        if (static_cast<std::size_t>(axes) != shape.size()) {
            made.push_back({"", whole});
        }
        if (random_() % 2 == 0) {
            made.push_back({"", StochasticDepth{}});
        }
        made.push_back({"", Copy{Copy::Kind::Contiguous}});
        return made;
    }

    std::mt19937_64& random_;
    std::function<std::string()> freshId_;
    bool classTokens_;
};

}  // namespace highwater::stack::testing
