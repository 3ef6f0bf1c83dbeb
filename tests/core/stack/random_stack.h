#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/layers/activation.h"
#include "core/stack/experiment.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/random_series.h"

/// Random valid experiments for property tests: 1d, 2d and 3d, residual and U-Net parts, nested and
/// checkpointed blocks, every layer type, the three optimizers, every loss. The same seed and limits give the
/// same experiment.
namespace highwater::stack::testing {

struct RandomLimits {
    int dims = 0;                     ///< 1, 2 or 3; 0: random
    int layers = 14;                  ///< approximately, including the contents of blocks
    std::int64_t elements = 1 << 15;  ///< maximum of any tensor; at least 8000
    std::int64_t channels = 12;       ///< maximum of any layer
    std::set<std::string> without;    ///< layer types not to use; conv is always used
    std::set<Loss> losses = {Loss::Mse, Loss::CrossEntropy, Loss::Dice, Loss::DiceCrossEntropy, Loss::Mean};
    bool checkpoint = true;  ///< allow blocks to be recomputed
    bool views = true;       ///< also layers without a notion of channels and space
    bool reduced = true;     ///< with `views`: also values along axes, quotients, standardized convolutions
    /// Some series of layers as in window transformers get a class token. (Its gradient for one sample keeps
    /// the gradient of all positions alive, of which it is a part.)
    bool classTokens = false;
    bool levers = false;  ///< also everything besides the stack: scans, data, windows, backend, ...
};

class RandomExperiment {
public:
    RandomExperiment(std::uint64_t seed, const RandomLimits& limits) : random_(seed), limits_(limits) {}

    Experiment make() {
        experiment_ = {};
        experiment_.name = "random";
        experiment_.loss = Loss::Mean;
        const int dims = limits_.dims ? limits_.dims : between(1, 3);
        SyntheticInput input{{between(1, 3)}};
        const int largest = dims == 1 ? 64 : dims == 2 ? 24 : 12;
        for (int a = 0; a < dims; ++a) {
            input.shape.push_back(2 * between(largest / 4, largest / 2));
        }
        experiment_.input = input;
        experiment_.step.batchSize = between(1, 3);
        experiment_.step.seed = random_();
        shape_ = *inputShape(experiment_);
        while (!conv(channels())) {
        }
        grow(limits_.layers, 0);
        finish();
        sidePaths();
        otherLayers();
        moreLayers();
        std::mt19937_64 random(experiment_.step.seed + 5);
        sumsInPlace(experiment_.stack, random);
        if (limits_.views) {
            tensorLayers();
            windowLayers();
            if (limits_.reduced) {
                reducedLayers();
            }
        }
        classifier();
        optimizer();
        if (limits_.levers) {
            levers();
        }
        return experiment_;
    }

private:
    int between(int low, int high) {
        return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
    }
    bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }
    std::int64_t channels() { return between(1, static_cast<int>(limits_.channels)); }
    int dims() const { return static_cast<int>(shape_.size()) - 2; }
    std::string freshId() { return "t" + std::to_string(++ids_); }

    /// The list being extended: the stack, or the open block.
    std::vector<Layer>& list() {
        std::vector<Layer>* at = &experiment_.stack;
        for (int level = 0; level < open_; ++level) {
            at = &std::get<Block>(at->back().op).layers;
        }
        return *at;
    }

    /// Keeps the layer if the stack is still valid and small enough.
    bool attempt(Layer layer) {
        if (limits_.without.contains(std::string(typeName(layer.op)))) {
            return false;
        }
        list().push_back(std::move(layer));
        if (const auto info = inferShapes(experiment_); info && small(*info)) {
            shape_ = info->output;
            return true;
        }
        list().pop_back();
        return false;
    }
    bool attempt(Op op) { return attempt(Layer{"", std::move(op)}); }

    bool small(const StackInfo& info) const {
        return std::all_of(info.layers.begin(), info.layers.end(), [&](const LayerInfo& layer) {
            std::int64_t elements = 1;
            for (const auto size : layer.output) {
                elements *= size;
            }
            return elements <= limits_.elements;
        });
    }

    bool conv(std::int64_t out, bool keepSize = false, const std::string& id = {}) {
        Conv c;
        c.outChannels = out;
        const int kernel = between(0, 2) * 2 + 1;
        c.kernelSize = {kernel};
        c.padding.sizes = {kernel / 2};
        c.bias = chance(0.6);
        if (chance(0.3)) {
            c.dims = shape_.empty() ? 0 : dims();
        }
        if (!keepSize) {
            c.stride = {between(1, 2)};
            if (chance(0.2)) {
                c.dilation = {2};
            }
        }
        if (chance(0.2) && c.stride == Sizes{1}) {
            c.kernelSize = {between(1, 4)};
            c.dilation = {1};
            c.padding = {true, {0}};
        }
        if (chance(0.2)) {
            c.paddingMode = static_cast<PaddingMode>(between(0, 3));
        }
        if (!shape_.empty() && out % 2 == 0 && shape_[1] % 2 == 0 && chance(0.3)) {
            c.groups = 2;
        }
        return attempt(Layer{id, c});
    }

    Op randomOp() {
        // Other layers are added by otherLayers(), so that the random numbers drawn here stay the same.
        static constexpr std::array<const char*, 17> kTypes = {
            "conv",       "conv_transpose", "separable_conv", "custom_conv", "batch_norm", "instance_norm",
            "group_norm", "inplace_abn",    "relu",           "leaky_relu",  "elu",        "gelu",
            "silu",       "max_pool",       "avg_pool",       "upsample",    "dropout"};
        Op op = *makeOp(kTypes[static_cast<std::size_t>(between(0, static_cast<int>(kTypes.size()) - 1))]);
        if (auto* up = std::get_if<ConvTranspose>(&op)) {
            up->outChannels = channels();
            up->stride = {between(1, 2)};
            up->kernelSize = {between(1, 3)};
            up->outputPadding = {up->stride[0] == 2 && chance(0.3) ? 1 : 0};
        } else if (auto* separable = std::get_if<SeparableConv>(&op)) {
            separable->outChannels = channels();
            separable->padding = chance(0.5) ? Padding{true, {0}} : Padding{false, {1}};
            separable->depthMultiplier = between(1, 2);
        } else if (auto* custom = std::get_if<CustomConv>(&op)) {
            custom->transformChannels = between(1, 4);
            custom->outChannels = custom->transformChannels * between(1, 3);
            custom->padding.sizes = {1};
            custom->kernel = static_cast<CustomConv::Kernel>(between(0, 2));
            custom->implementation = static_cast<CustomConv::Implementation>(between(0, 3));
        } else if (auto* norm = std::get_if<Norm>(&op)) {
            norm->affine = chance(0.7);
            if (norm->kind == Norm::Kind::Group && shape_[1] % 2 == 0) {
                norm->numGroups = 2;
            }
        } else if (auto* abn = std::get_if<InplaceAbn>(&op)) {
            abn->activation = static_cast<InplaceAbn::Function>(between(0, 1));
        } else if (auto* act = std::get_if<Activation>(&op)) {
            act->inplace = act->kind != Activation::Kind::Gelu && chance(0.6);
        } else if (auto* pool = std::get_if<Pool>(&op)) {
            pool->kernelSize = {between(2, 3)};
            pool->padding = {chance(0.3) ? 1 : 0};
            if (chance(0.5)) {
                pool->stride = {between(1, 2)};
            }
        } else if (auto* up2 = std::get_if<Upsample>(&op)) {
            up2->mode = chance(0.5) ? Upsample::Mode::Nearest : static_cast<Upsample::Mode>(dims());
            up2->alignCorners = up2->mode != Upsample::Mode::Nearest && chance(0.5);
            if (chance(0.3)) {
                up2->scaleFactor = {1.5};
            }
        } else if (auto* dropout = std::get_if<Dropout>(&op)) {
            dropout->p = between(0, 3) * 0.25;
            dropout->feature = chance(0.4);
        }
        return op;
    }

    void grow(int layers, int depth) {
        const std::size_t wanted = count(experiment_.stack) + static_cast<std::size_t>(layers);
        for (int tries = 0; count(experiment_.stack) < wanted && tries < 8 * layers; ++tries) {
            const double what = std::uniform_real_distribution<>(0, 1)(random_);
            if (what < 0.10) {
                residual();
            } else if (what < 0.18) {
                uShape(depth);
            } else if (what < 0.28 && depth < 2) {
                block(std::max(2, layers / 3), depth);
            } else if (what < 0.5) {
                conv(channels());
            } else {
                attempt(randomOp());
            }
        }
    }

    static std::size_t count(const std::vector<Layer>& layers) {
        std::size_t n = layers.size();
        for (const Layer& layer : layers) {
            if (const auto* block = std::get_if<Block>(&layer.op)) {
                n += count(block->layers);
            }
        }
        return n;
    }

    void residual() {
        const std::string id = freshId();
        const std::int64_t width = shape_[1];
        if (!conv(width, true, id)) {
            return;
        }
        conv(width, true);
        attempt(activation(Activation::Kind::Relu, chance(0.5)));
        conv(width, true);
        attempt(Op(Merge{chance(0.8) ? Merge::Kind::Add : Merge::Kind::Concat, {id}}));
    }

    /// Downsampling by a strided convolution, some layers, upsampling, and the skip connection.
    void uShape(int depth) {
        const std::string id = freshId();
        if (!conv(channels(), true, id)) {
            return;
        }
        Conv down;
        down.outChannels = channels();
        down.kernelSize = {2};
        down.stride = {2};
        if (!attempt(Op(down))) {
            return;
        }
        if (depth < 2 && chance(0.5)) {
            block(2, depth);
        }
        ConvTranspose up;
        up.outChannels = channels();
        up.stride = {2};
        attempt(Op(up));
        attempt(Op(Merge{Merge::Kind::Concat, {id}}));
    }

    void block(int layers, int depth) {
        Block made;
        made.checkpoint = limits_.checkpoint && chance(0.6);
        if (chance(0.6)) {
            made.name = "b" + std::to_string(++ids_);
        }
        if (!attempt(Layer{chance(0.3) ? freshId() : "", made})) {
            return;
        }
        ++open_;
        grow(layers, depth + 1);
        --open_;
    }

    /// Ends the stack so that a random loss fits; the mean always fits.
    void finish() {
        std::vector<Loss> losses(limits_.losses.begin(), limits_.losses.end());
        const Loss loss = losses[static_cast<std::size_t>(between(0, static_cast<int>(losses.size()) - 1))];
        const Shape input = *inputShape(experiment_);
        if (loss != Loss::Mean && !std::equal(shape_.begin() + 2, shape_.end(), input.begin() + 2)) {
            Upsample back;
            back.size.assign(input.begin() + 2, input.end());
            attempt(Op(back));
        }
        Target target;
        if (loss != Loss::Mse && loss != Loss::Mean) {
            target.kind = chance(0.5) ? Target::Kind::Classes : Target::Kind::Threshold;
        }
        if (target.kind == Target::Kind::Classes) {
            target.classes = between(2, 4);
        }
        Conv last;
        last.kernelSize = {1};
        last.outChannels = loss == Loss::Mse                      ? input[1]
                           : target.kind == Target::Kind::Classes ? target.classes
                                                                  : 2;
        attempt(Op(last));
        Experiment ended = experiment_;
        ended.loss = loss;
        ended.target = target;
        if (inferShapes(ended)) {
            experiment_ = ended;
        }
    }

    /// Deep supervision in one of eight stacks, and in one of eight a second path beside a layer, wherever
    /// they fit; with separate random numbers, so that everything else stays the same.
    void sidePaths() {
        std::mt19937_64 random(experiment_.step.seed);
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        const bool heads = below(8) == 0 && !limits_.without.contains("head");
        const bool branches = below(8) == 0 && !limits_.without.contains("branch");
        for (int tries = 0; tries < 4; ++tries) {
            for (const bool head : {true, false}) {
                Experiment more = experiment_;
                if (!(head ? heads : branches)) {
                    continue;
                }
                std::vector<Layer>* const into = &listIn(more, random);
                if (into->empty()) {
                    continue;
                }
                if (head) {
                    addHead(more, *into, below(into->size() + 1), random());
                } else {
                    addBranch(*into, below(into->size()), random());
                }
                if (const auto changed = inferShapes(more); changed && small(*changed)) {
                    experiment_ = more;
                }
            }
        }
    }

    static void addHead(const Experiment& whole, std::vector<Layer>& into, std::size_t at,
                        std::uint64_t random) {
        Head head;
        head.outChannels = whole.loss == Loss::Mean ? static_cast<std::int64_t>(1 + random % 4)
                                                    : inferShapes(whole)->output[1];
        head.weight = 0.25 * static_cast<double>(random / 4 % 5);
        head.bias = random / 32 % 3 != 0;
        into.insert(into.begin() + static_cast<std::ptrdiff_t>(at), Layer{"", head});
    }

    /// After the layer at `at`: x + g(x), or x beside g(x), with g two layers. In half of them g halves x's
    /// sizes: the branch goes back to another size than the current one, and halves it as well; then some go
    /// up again, so that what comes next may want the size as it was.
    void addBranch(std::vector<Layer>& into, std::size_t at, std::uint64_t random) {
        if (into[at].id.empty()) {
            into[at].id = freshId();
        }
        const std::string from = into[at].id, other = freshId();
        const bool add = random / 8 % 2 == 0, halves = random / 16 % 2 == 0;
        Conv conv, back;
        conv.outChannels = 1 + static_cast<std::int64_t>(random % 4);
        conv.kernelSize = {1};
        back = conv;
        if (halves) {
            conv.stride = back.stride = {2};
            back.kernelSize = {3};
            back.padding.sizes = {1};
        }
        std::vector<Layer> more = {{"", conv},
                                   {other, activation(Activation::Kind::Silu, random / 4 % 2 == 0)},
                                   {"", Merge{Merge::Kind::Branch, {from}}}};
        if (add || halves) {
            more.push_back({"", back});
        }
        more.push_back({"", Merge{add ? Merge::Kind::Add : Merge::Kind::Concat, {other}}});
        if (halves && random / 32 % 2 == 0) {
            more.push_back({"", Upsample{}});
        }
        into.insert(into.begin() + static_cast<std::ptrdiff_t>(at) + 1, more.begin(), more.end());
    }

    /// In three of four stacks up to four layers that keep sizes, and merges that broadcast size 1, wherever
    /// they fit; with separate random numbers, as in sidePaths().
    void otherLayers() {
        std::mt19937_64 random(experiment_.step.seed + 1);
        const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
        const std::size_t tries = below(4) == 0 ? 0 : 2 + 2 * below(3);
        for (std::size_t n = 0; n < tries; ++n) {
            Experiment more = experiment_;
            std::vector<Layer>& into = listIn(more, random);
            const std::size_t at = below(into.size() + 1);
            const std::vector<Layer> added =
                below(2) == 0 ? std::vector<Layer>{{"", otherOp(random)}} : otherMerge(into, at, random);
            take(more, into, at, added);
        }
    }

    /// Replaces the experiment with `more` if that is wanted and valid.
    void take(Experiment& more, std::vector<Layer>& into, std::size_t at, const std::vector<Layer>& added) {
        if (std::any_of(added.begin(), added.end(), [&](const Layer& layer) {
                return limits_.without.contains(std::string(typeName(layer.op)));
            })) {
            return;
        }
        into.insert(into.begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
        if (const auto changed = inferShapes(more); changed && small(*changed)) {
            experiment_ = std::move(more);
        }
    }

    /// Makes half of the sums in-place on one of the two tensors, if the stack stays valid.
    void sumsInPlace(std::vector<Layer>& list, std::mt19937_64& random) {
        for (std::size_t at = 0; at < list.size(); ++at) {
            if (auto* const block = std::get_if<Block>(&list[at].op)) {
                sumsInPlace(block->layers, random);
            }
            auto* const sum = std::get_if<Merge>(&list[at].op);
            const std::uint64_t how = random() % 4;
            if (!sum || sum->kind != Merge::Kind::Add || how > 1) {
                continue;
            }
            const std::vector<Layer> before = list;
            sum->inplace = true;
            if (how == 1 && at > 0) {  // goes back to the other one
                const std::string other = std::exchange(sum->with.front(), list[at - 1].id);
                if (list[at - 1].id.empty()) {
                    sum->with.front() = list[at - 1].id = freshId();
                }
                list.insert(list.begin() + static_cast<std::ptrdiff_t>(at),
                            Layer{"", Merge{Merge::Kind::Branch, {other}}});
            }
            if (const auto info = inferShapes(experiment_); !info || !small(*info)) {
                list = before;
            }
        }
    }

    /// In two of three stacks up to three pads, crops, norms over samples and shared layers, wherever they
    /// fit; with separate random numbers, as in sidePaths().
    void moreLayers() {
        std::mt19937_64 random(experiment_.step.seed + 3);
        for (std::size_t tries = 2 * (random() % 3); tries > 0; --tries) {
            Experiment more = experiment_;
            std::vector<Layer>& into = listIn(more, random);
            const std::size_t at = static_cast<std::size_t>(random() % (into.size() + 1));
            const std::vector<Layer> added = moreOps(more, into, at, random);
            take(more, into, at, added);
        }
    }

    /// The input of the layer at `at` of a list; no axes if it is unknown.
    static Shape shapeAt(const Experiment& whole, std::vector<Layer>& into, std::size_t at) {
        const auto marked = into.insert(into.begin() + static_cast<std::ptrdiff_t>(at), Layer{"", Scale{7}});
        Shape found;
        if (const auto info = inferShapes(whole)) {
            const LayerInfo* last = nullptr;
            for (const LayerInfo& layer : info->layers) {
                last = layer.type == "scale" && opAt(whole.stack, layer.path) == Op(Scale{7}) ? &layer : last;
            }
            found = last ? last->input : found;
        }
        into.erase(marked);
        return found;
    }

    static Op opAt(const std::vector<Layer>& layers, const std::vector<int>& path) {
        const std::vector<Layer>* list = &layers;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            list = &std::get<Block>((*list)[static_cast<std::size_t>(path[i])].op).layers;
        }
        return (*list)[static_cast<std::size_t>(path.back())].op;
    }

    /// A layer, or two that compensate each other's change of size.
    std::vector<Layer> moreOps(const Experiment& whole, std::vector<Layer>& into, std::size_t at,
                               std::mt19937_64& random) {
        const Shape shape = shapeAt(whole, into, at);
        const auto upTo = [&](std::int64_t most) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
        };
        if (shape.size() < 3) {
            return {};
        }
        const auto axes = static_cast<std::int64_t>(shape.size()) - 2;
        LayerNorm norm;
        norm.normalizedShape.assign(shape.end() - 1 - upTo(axes), shape.end());
        norm.affine = upTo(2) > 0;
        LocalResponseNorm response;
        response.size = 1 + upTo(4);
        Pad pad;
        Crop crop;
        pad.mode = static_cast<PaddingMode>(upTo(3));
        pad.padding.clear();
        crop.start.clear(), crop.size.clear();
        for (std::size_t axis = shape.size() - 1; axis > 1; --axis) {
            pad.padding.insert(pad.padding.end(), {upTo(1), upTo(1)});
        }
        for (std::size_t axis = 2; axis < shape.size(); ++axis) {
            const std::size_t low = pad.padding.size() - 2 * (axis - 1);
            crop.start.push_back(pad.padding[low]);
            crop.size.push_back(shape[axis]);
        }
        if (pad.mode == PaddingMode::Zeros && upTo(1) == 0) {
            pad.padding.insert(pad.padding.end(), {upTo(1), upTo(1), 0, 0});
        }
        pad.value = pad.mode == PaddingMode::Zeros ? 0.5 : 0;
        Pool pool;
        pool.kind = static_cast<Pool::Kind>(upTo(1));
        pool.kernelSize = {3}, pool.stride = {2}, pool.ceilMode = true;
        switch (random() % 6) {
            case 0:
                return {{"", norm}};
            case 4:
                return {{"", pool}};
            case 1:
                return {{"", response}};
            case 2:
                return {{"", pad}};
            case 3:
                if (upTo(2) > 0) {
                    return {{"", pad}, {"", crop}};
                }
                return {{"", pad}, {"", crop}, {"", activation(Activation::Kind::Silu, false)}};
            default:
                break;
        }
        if (at == 0) {
            return {};
        }
        if (into[at - 1].id.empty()) {
            into[at - 1].id = freshId();
        }
        return {{"", otherOp(random)}, {"", Shared{into[at - 1].id}}};
    }

    /// In half of the stacks up to two series of layers without a notion of channels and space, wherever they
    /// fit; with separate random numbers, as in sidePaths().
    void tensorLayers() {
        std::mt19937_64 random(experiment_.step.seed + 4);
        RandomSeries series(random, [this] { return freshId(); });
        for (std::size_t tries = 2 * (random() % 3); tries > 0; --tries) {
            addSeries(random, [&](const Shape& shape, Layer& before) { return series.plain(shape, before); });
        }
    }

    /// In half of the stacks one series of layers as in window transformers; with separate random numbers.
    void windowLayers() {
        std::mt19937_64 random(experiment_.step.seed + 5);
        RandomSeries series(random, [this] { return freshId(); }, limits_.classTokens);
        for (std::size_t tries = 2 * (random() % 2); tries > 0; --tries) {
            addSeries(random,
                      [&](const Shape& shape, Layer& before) { return series.windows(shape, before); });
        }
    }

    /// In half of the stacks two series with values along some axes; with separate random numbers.
    void reducedLayers() {
        std::mt19937_64 random(experiment_.step.seed + 6);
        RandomSeries series(random, [this] { return freshId(); });
        for (std::size_t tries = 4 * (random() % 2); tries > 0; --tries) {
            addSeries(
                random, [&](const Shape& shape, Layer& before) { return series.reduced(shape, before); },
                true);
        }
    }

    /// Inserts the result of `make` for the shape at a position and for the layer before it; if it may have
    /// parameters (`trained`), only where the next layer takes it.
    template <class Make>
    void addSeries(std::mt19937_64& random, const Make& make, bool trained = false) {
        Experiment more = experiment_;
        std::vector<Layer>& into = listIn(more, random);
        const std::size_t at = static_cast<std::size_t>(random() % (into.size() + 1));
        const Shape shape = shapeAt(more, into, at);
        const bool dropped = trained && at < into.size() && dropsInput(into[at].op);
        const std::vector<Layer> added =
            shape.size() < 3 || at == 0 || dropped ? std::vector<Layer>() : make(shape, into[at - 1]);
        take(more, into, at, added);
    }

    /// Whether a layer takes nothing of the one before it, whose parameters then have no gradient.
    static bool dropsInput(const Op& op) {
        const auto* const merge = std::get_if<Merge>(&op);
        return (merge != nullptr && merge->kind == Merge::Kind::Branch) ||
               std::holds_alternative<RelativePositionBias>(op) || std::holds_alternative<WindowMask>(op);
    }

    /// The stack, or one of its blocks.
    static std::vector<Layer>& listIn(Experiment& whole, std::mt19937_64& random) {
        std::vector<Layer>* into = &whole.stack;
        while (random() % 3 != 0) {
            std::vector<Block*> inside;
            for (Layer& layer : *into) {
                if (auto* const found = std::get_if<Block>(&layer.op)) {
                    inside.push_back(found);
                }
            }
            if (inside.empty()) {
                break;
            }
            into = &inside[static_cast<std::size_t>(random() % inside.size())]->layers;
        }
        return *into;
    }

    Op otherOp(std::mt19937_64& random) const {
        static constexpr std::array<const char*, 9> kTypes = {
            "prelu", "sigmoid", "tanh", "relu6", "hardswish", "hardsigmoid", "mish", "softmax", "scale"};
        Op op = *makeOp(kTypes[static_cast<std::size_t>(random() % kTypes.size())]);
        const bool other = random() % 2 == 0;
        if (auto* activation = std::get_if<Activation>(&op)) {
            activation->inplace = other && factsOf(activation->kind).hasInplaceForm;
        } else if (auto* prelu = std::get_if<Prelu>(&op)) {
            prelu->numParameters = other ? 1 + static_cast<std::int64_t>(random() % 4) : 1;
        } else if (auto* softmax = std::get_if<Softmax>(&op)) {
            softmax->dim = other ? -1 : 1;
        } else if (auto* scale = std::get_if<Scale>(&op)) {
            scale->value = 0.5;
        }
        return op;
    }

    /// Merges the output before `at` with a tensor derived from it: with one channel, with one position (like
    /// squeeze-and-excitation), or with itself; or joins it with two activations.
    std::vector<Layer> otherMerge(std::vector<Layer>& into, std::size_t at, std::mt19937_64& random) {
        if (at == 0) {
            return {};
        }
        if (into[at - 1].id.empty()) {
            into[at - 1].id = freshId();
        }
        const std::string from = into[at - 1].id, gate = freshId();
        constexpr std::array kKinds = {Merge::Kind::Add, Merge::Kind::Sub, Merge::Kind::Mul};
        const Merge::Kind kind = kKinds[static_cast<std::size_t>(random() % kKinds.size())];
        const Layer merged = {"", Merge{kind, {from}}};
        Conv channel;
        channel.outChannels = 1;
        channel.kernelSize = {1};
        Upsample nearest;
        nearest.size = {1};
        AdaptivePool average, largest;
        largest.kind = AdaptivePool::Kind::Max;
        const std::array<Op, 3> places = {Op(nearest), Op(average), Op(largest)};
        switch (random() % 5) {
            case 0:
                return {{"", channel}, {"", otherOp(random)}, merged};
            case 1:
                return {{gate, channel}, {"", Merge{Merge::Kind::Branch, {from}}}, {"", Merge{kind, {gate}}}};
            case 2:
                return {{"", places[static_cast<std::size_t>(random() % places.size())]},
                        {"", otherOp(random)},
                        merged};
            case 3:
                return {{gate, otherOp(random)},
                        {"", otherOp(random)},
                        {"", Merge{Merge::Kind::Concat, {from, gate}}}};
            default:
                return {merged};
        }
    }

    /// In one of four stacks the head of a classifier, with a matching loss; with separate random numbers.
    void classifier() {
        std::mt19937_64 random(experiment_.step.seed + 2);
        if (random() % 4 != 0 || limits_.without.contains("linear")) {
            return;
        }
        Experiment more = experiment_;
        const std::size_t before = more.stack.size();
        const std::size_t loss = static_cast<std::size_t>(random() % 3);
        const auto add = [&](Op op) { more.stack.push_back({"", std::move(op)}); };
        AdaptivePool pool;
        pool.kind = random() % 2 == 0 ? AdaptivePool::Kind::Avg : AdaptivePool::Kind::Max;
        pool.outputSize = {1 + static_cast<std::int64_t>(random() % 3)};
        if (random() % 4 != 0) {
            add(pool);
        }
        add(Flatten{});
        hiddenLayers(more.stack, random);
        more.target.kind = Target::Kind::Classes;
        more.target.classes = 2 + static_cast<std::int64_t>(random() % 3);
        more.loss = std::array{Loss::Mean, Loss::CrossEntropy, Loss::Mse}[loss];
        const std::array<std::int64_t, 3> features = {5, more.target.classes, 1};
        add(Linear{features[loss], random() % 3 != 0});
        more.stack.erase(
            std::remove_if(more.stack.begin() + static_cast<std::ptrdiff_t>(before), more.stack.end(),
                           [&](const Layer& layer) {
                               return limits_.without.contains(std::string(typeName(layer.op)));
                           }),
            more.stack.end());
        if (const auto changed = inferShapes(more);
            limits_.losses.contains(more.loss) && changed && small(*changed)) {
            experiment_ = more;
        }
    }

    void hiddenLayers(std::vector<Layer>& stack, std::mt19937_64& random) {
        const std::string id = freshId();
        if (random() % 4 == 0) {  // in place on a view, if the rules allow it
            stack.push_back({"", activation(Activation::Kind::LeakyRelu, true)});
        }
        if (random() % 2 == 0) {
            return;
        }
        stack.push_back({id, Linear{6, random() % 2 == 0}});
        if (random() % 2 == 0 && experiment_.step.batchSize > 1) {
            stack.push_back({"", Norm{}});
        }
        stack.push_back({"", otherOp(random)});
        Dropout dropout;
        dropout.feature = random() % 2 == 0;
        if (random() % 2 == 0) {
            stack.push_back({"", dropout});
        }
        constexpr std::array kKinds = {Merge::Kind::Add, Merge::Kind::Mul, Merge::Kind::Concat};
        if (random() % 2 == 0) {
            stack.push_back({"", Merge{kKinds[static_cast<std::size_t>(random() % kKinds.size())], {id}}});
        }
    }

    void optimizer() {
        Optimizer o = makeOptimizer(static_cast<Optimizer::Kind>(between(0, 2)));
        o.lr = 1e-3 * between(1, 9);
        if (o.kind == Optimizer::Kind::Sgd) {
            o.momentum = between(0, 2) * 0.45;
            o.nesterov = o.momentum > 0 && chance(0.5);
        } else {
            o.amsgrad = chance(0.3);
            o.beta1 = chance(0.3) ? 0.8 : 0.9;
        }
        if (chance(0.4)) {
            o.weightDecay = 0.125;
        }
        experiment_.optimizer = o;
    }

    void levers() {
        if (dims() == 3 && chance(0.5)) {
            const auto shape = std::get<SyntheticInput>(experiment_.input).shape;
            ScanInput scan;
            scan.patch.assign(shape.begin() + 1, shape.end());
            for (std::int64_t c = 0; c < shape[0]; ++c) {
                scan.scans.push_back(
                    {"scan" + std::to_string(c) + ".nii.gz", chance(0.2) ? "1.2.3" : "", between(0, 2)});
            }
            if (chance(0.3)) {
                scan.scans.clear(), scan.cohort = "cases", scan.channels = shape[0];
            }
            scan.normalize.kind = static_cast<Normalize::Kind>(between(0, 3));
            if (scan.normalize.kind == Normalize::Kind::Window) {
                scan.normalize.low = -1000, scan.normalize.high = between(-900, 3000) + 0.1;
            }
            scan.sampling = static_cast<ScanInput::Sampling>(between(0, 1));
            experiment_.input = scan;
        }
        Step& step = experiment_.step;
        step.microBatches = chance(0.5) ? step.batchSize : 1;
        step.precision = static_cast<Precision>(between(0, 3));
        step.channelsLast = chance(0.5);
        step.checkpoint.kind = static_cast<Checkpointing::Kind>(between(0, 3));
        if (step.checkpoint.kind == Checkpointing::Kind::Segments) {
            step.checkpoint.segments = between(1, 9);
        }
        if (chance(0.5)) {
            experiment_.windows = {{between(8, 64)}, between(0, 9) * 0.1, Windows::Blend::Constant};
        }
        for (int n = between(0, 3); n > 0; --n) {
            experiment_.data.augment.push_back(
                {static_cast<Augmentation::Kind>(between(0, 7)), between(0, 4) * 0.25, between(0, 30) * 0.5});
        }
        experiment_.data.workers = between(0, 8);
        experiment_.data.prefetch = between(1, 4);
        experiment_.data.pinned = chance(0.5);
        experiment_.data.readDelayMs = between(0, 3) * 0.7;
        Backend& backend = experiment_.backend;
        backend = {between(0, 8), chance(0.5), chance(0.5), chance(0.5), chance(0.5), chance(0.5), {}, {}};
        if (chance(0.5)) {
            backend.workspaceLimit = std::int64_t{between(0, 1 << 20)} << 10;
        }
        if (chance(0.5)) {
            backend.allocConf = "max_split_size_mb:128";
        }
    }

    std::mt19937_64 random_;
    RandomLimits limits_;
    Experiment experiment_;
    Shape shape_;
    int open_ = 0;
    int ids_ = 0;
};

inline Experiment randomExperiment(std::uint64_t seed, const RandomLimits& limits = {}) {
    Experiment made = RandomExperiment(seed, limits).make();
    // From the seed itself, so that the other random numbers stay the same.
    made.step.keepOutput = seed % 5 == 2;
    made.step.keepGradients = seed % 7 == 3;
    made.optimizer.foreach = seed % 3 == 1;
    made.step.clipGradients = seed % 4 == 3 ? 12 : 0;
    made.step.softTargets = seed % 6 == 4 && (made.loss == Loss::CrossEntropy || made.loss == Loss::Dice ||
                                              made.loss == Loss::DiceCrossEntropy);
    return made;
}

}  // namespace highwater::stack::testing
