#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/stack/nnunet/plans.h"

namespace highwater::stack {

namespace {

using Layers = std::vector<Layer>;

bool isOne(const Sizes& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t s) { return s == 1; });
}

/// Returns one number if all axes are equal.
Sizes brief(const Sizes& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t s) { return s == sizes[0]; })
               ? Sizes{sizes[0]}
               : sizes;
}

class Builder {
public:
    explicit Builder(const NnunetNetwork& network) : n_(network) {}

    Layers layers(std::int64_t classes, bool deepSupervision) {
        encoder();
        const std::size_t stages = n_.stages.size();
        for (std::size_t level = stages - 1; level-- > 0;) {
            const bool supervised = deepSupervision && level > 0 && level + 2 < stages;
            decoderStage(level, supervised ? classes : 0);
        }
        all_.push_back({"", conv(classes, Sizes(n_.stages[0].kernel.size(), 1), {}, true)});
        return std::move(all_);
    }

private:
    Conv conv(std::int64_t out, const Sizes& kernel, const Sizes& stride, bool bias) const {
        Conv made;
        made.dims = static_cast<int>(kernel.size());
        made.outChannels = out;
        made.kernelSize = brief(kernel);
        if (!stride.empty()) {
            made.stride = brief(stride);
        }
        made.padding.sizes.clear();
        for (const std::int64_t k : made.kernelSize) {
            made.padding.sizes.push_back((k - 1) / 2);
        }
        made.bias = bias;
        return made;
    }

    void addNorm(Layers& to) const {
        if (n_.norm) {
            to.push_back({"", *n_.norm});
        }
    }
    void addNonlin(Layers& to) const {
        if (n_.nonlin) {
            to.push_back({"", *n_.nonlin});
        }
    }

    /// Adds convolution, dropout, norm, nonlinearity.
    void addUnit(Layers& to, std::int64_t out, const Sizes& kernel, const Sizes& stride) const {
        to.push_back({"", conv(out, kernel, stride, n_.bias)});
        if (n_.dropout) {
            to.push_back({"", *n_.dropout});
        }
        if (n_.nonlinFirst) {
            addNonlin(to);
        }
        addNorm(to);
        if (!n_.nonlinFirst) {
            addNonlin(to);
        }
    }

    void addUnits(Layers& to, std::int64_t count, const NnunetNetwork::Stage& stage,
                  const Sizes& firstStride) const {
        for (std::int64_t i = 0; i < count; ++i) {
            addUnit(to, stage.features, stage.kernel, i == 0 ? firstStride : Sizes{});
        }
    }

    static Layer block(std::string id, std::string name, Layers layers) {
        Block made;
        made.name = std::move(name);
        made.layers = std::move(layers);
        return {std::move(id), std::move(made)};
    }

    void encoder() {
        std::int64_t channels = 0;
        std::string input;
        if (n_.residual) {
            Layers stem;
            channels = n_.stemChannels > 0 ? n_.stemChannels : n_.stages[0].features;
            addUnit(stem, channels, n_.stages[0].kernel, {});
            all_.push_back(block(input = "stem", "stem", std::move(stem)));
        }
        for (std::size_t s = 0; s < n_.stages.size(); ++s) {
            const NnunetNetwork::Stage& stage = n_.stages[s];
            const bool bottom = s + 1 == n_.stages.size();
            const std::string name = fmt::format("encoder {}", s + 1), id = skip(s);
            Layers inside;
            if (n_.residual) {
                addResiduals(inside, stage, channels, input, id);
            } else {
                addUnits(inside, stage.layers, stage, stage.stride);
            }
            all_.push_back(block(bottom ? "" : id, name, std::move(inside)));
            channels = stage.features;
            input = id;
        }
    }

    /// BasicBlockD of ResNet-D, each as one block; `input` is the name of the first one's input.
    void addResiduals(Layers& to, const NnunetNetwork::Stage& stage, std::int64_t channels, std::string input,
                      const std::string& id) const {
        for (std::int64_t i = 0; i < stage.layers; ++i) {
            const bool last = i + 1 == stage.layers;
            const std::string mine = fmt::format("{}.{}", id, i + 1);
            Layers inside = residual(stage, i == 0 ? stage.stride : Sizes{}, channels, input, mine);
            to.push_back(block(last ? "" : mine, fmt::format("residual {}", i + 1), std::move(inside)));
            channels = stage.features;
            input = mine;
        }
    }

    Layers residual(const NnunetNetwork::Stage& stage, const Sizes& stride, std::int64_t channels,
                    const std::string& input, const std::string& id) const {
        Layers made;
        std::string back = input;
        if (!stride.empty() && !isOne(stride)) {
            Pool pool;
            pool.kind = Pool::Kind::Avg;
            pool.kernelSize = brief(stride);
            made.push_back({"", pool});
        }
        if (channels != stage.features) {
            made.push_back({"", conv(stage.features, Sizes(stage.kernel.size(), 1), {}, false)});
            addNorm(made);
        }
        if (!made.empty()) {
            back = made.back().id = id + ".skip";
            made.push_back({"", Merge{Merge::Kind::Branch, {input}}});
        }
        addUnit(made, stage.features, stage.kernel, stride);
        made.push_back({"", conv(stage.features, stage.kernel, {}, n_.bias)});
        addNorm(made);
        made.push_back({"", Merge{Merge::Kind::Add, {back}}});
        addNonlin(made);
        return made;
    }

    /// Upsamples from the stage below and concatenates the encoder's output. `classes` of its head, or 0 if
    /// it has none.
    void decoderStage(std::size_t level, std::int64_t classes) {
        const NnunetNetwork::Stage& stage = n_.stages[level];
        const std::size_t fromBottom = n_.stages.size() - 2 - level;
        ConvTranspose up;
        up.dims = static_cast<int>(stage.kernel.size());
        up.outChannels = stage.features;
        up.kernelSize = up.stride = brief(n_.stages[level + 1].stride);
        up.bias = n_.bias;
        Layers inside{{"", up}, {"", Merge{Merge::Kind::Concat, {skip(level)}}}};
        addUnits(inside, n_.decoder[fromBottom], stage, {});
        if (classes > 0) {
            inside.push_back({"", Head{classes, std::ldexp(1.0, -static_cast<int>(level)), true}});
        }
        all_.push_back(block("", fmt::format("decoder {}", level + 1), std::move(inside)));
    }

    static std::string skip(std::size_t level) { return fmt::format("encoder{}", level + 1); }

    const NnunetNetwork& n_;
    Layers all_;
};

}  // namespace

std::vector<Layer> nnunetLayers(const NnunetNetwork& network, std::int64_t classes, bool deepSupervision) {
    return Builder(network).layers(classes, deepSupervision);
}

}  // namespace highwater::stack
