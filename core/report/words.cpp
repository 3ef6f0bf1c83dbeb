#include "core/report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/base/overloaded.h"
#include "core/base/paths.h"
#include "core/base/text.h"

namespace highwater::report {
namespace {

using Words = std::vector<std::string>;

bool allAre(const stack::Sizes& sizes, std::int64_t value) {
    return std::all_of(sizes.begin(), sizes.end(), [value](std::int64_t s) { return s == value; });
}

/// "3" if all axes are equal, otherwise "1 × 3 × 3".
std::string sizesText(const stack::Sizes& sizes) {
    return !sizes.empty() && allAre(sizes, sizes.front()) ? fmt::format("{}", sizes.front())
                                                          : base::formatShape(sizes);
}

void addSizes(Words& words, const char* name, const stack::Sizes& sizes, std::int64_t usual) {
    if (!sizes.empty() && !allAre(sizes, usual)) {
        words.push_back(fmt::format("{} {}", name, sizesText(sizes)));
    }
}

void addPadding(Words& words, const stack::Padding& padding, stack::PaddingMode mode) {
    constexpr std::array<const char*, 4> kModes = {"", " (reflect)", " (replicate)", " (circular)"};
    if (padding.same) {
        words.push_back(std::string("padding same") + kModes[static_cast<std::size_t>(mode)]);
    } else if (!allAre(padding.sizes, 0)) {
        words.push_back("padding " + sizesText(padding.sizes) + kModes[static_cast<std::size_t>(mode)]);
    }
}

void addIf(Words& words, bool yes, std::string text) {
    if (yes) {
        words.push_back(std::move(text));
    }
}

Words start(std::int64_t channels, const stack::Sizes& kernel) {
    return {fmt::format("{} channels", channels), "kernel " + sizesText(kernel)};
}

/// Of a conv, conv_transpose or separable_conv.
template <class C>
Words convWords(const C& c) {
    Words w = start(c.outChannels, c.kernelSize);
    addSizes(w, "stride", c.stride, 1);
    if constexpr (requires { c.outputPadding; }) {
        addSizes(w, "padding", c.padding, 0);
        addSizes(w, "output padding", c.outputPadding, 0);
    } else {
        addPadding(w, c.padding, c.paddingMode);
    }
    addSizes(w, "dilation", c.dilation, 1);
    if constexpr (requires { c.depthMultiplier; }) {
        addIf(w, c.depthMultiplier != 1, fmt::format("depth multiplier {}", c.depthMultiplier));
    } else {
        addIf(w, c.groups != 1, fmt::format("{} groups", c.groups));
    }
    addIf(w, !c.bias, "no bias");
    return w;
}

/// "-1, 8, 48"
std::string tensorText(const stack::Sizes& sizes) {
    return fmt::format("{}", fmt::join(sizes, ", "));
}

Words wordsOf(const stack::Op& op, bool byBlock) {
    using namespace stack;
    return std::visit(
        base::Overloaded{
            [](const Conv& c) { return convWords(c); },
            [](const ConvTranspose& c) { return convWords(c); },
            [](const SeparableConv& c) { return convWords(c); },
            [](const CustomConv& c) {
                constexpr std::array<const char*, 3> kKernels = {"gaussian", "laplacian", "random"};
                constexpr std::array<const char*, 4> kWays = {"naive", "two-step", "cached", "fused"};
                Words w = start(c.outChannels, c.kernelSize);
                w.push_back(fmt::format("{} transform channels", c.transformChannels));
                w.push_back(kKernels[static_cast<std::size_t>(c.kernel)]);
                addPadding(w, c.padding, PaddingMode::Zeros);
                addIf(w, !c.bias, "no bias");
                w.push_back(kWays[static_cast<std::size_t>(c.implementation)]);
                return w;
            },
            [](const Norm& n) {
                Words w;
                addIf(w, n.kind == Norm::Kind::Group, fmt::format("{} groups", n.numGroups));
                addIf(w, n.affine != (n.kind != Norm::Kind::Instance), n.affine ? "affine" : "not affine");
                addIf(w, n.eps != 1e-5, fmt::format("eps {}", n.eps));
                return w;
            },
            [](const LayerNorm& n) {
                Words w{"over " + base::formatShape(n.normalizedShape)};
                addIf(w, !n.affine, "not affine");
                addIf(w, n.eps != 1e-5, fmt::format("eps {}", n.eps));
                return w;
            },
            [](const LocalResponseNorm& n) {
                const LocalResponseNorm d;
                Words w{"over " + base::counted(n.size, "channel")};
                addIf(w, n.alpha != d.alpha, fmt::format("alpha {}", n.alpha));
                addIf(w, n.beta != d.beta, fmt::format("beta {}", n.beta));
                addIf(w, n.k != d.k, fmt::format("k {}", n.k));
                return w;
            },
            [](const Crop& c) { return Words{sizesText(c.size), "from " + sizesText(c.start)}; },
            [](const Pad& p) {
                constexpr std::array<const char*, 4> kModes = {"constant", "reflect", "replicate",
                                                               "circular"};
                Words w{base::formatShape(p.padding), kModes[static_cast<std::size_t>(p.mode)]};
                addIf(w, p.mode == PaddingMode::Zeros && p.value != 0, fmt::format("value {}", p.value));
                return w;
            },
            [](const InplaceAbn& n) {
                const bool leaky = n.activation == InplaceAbn::Function::LeakyRelu;
                Words w{leaky ? fmt::format("leaky_relu, slope {}", n.negativeSlope) : "elu"};
                addIf(w, n.eps != 1e-5, fmt::format("eps {}", n.eps));
                return w;
            },
            [](const Activation& a) {
                Words w;
                addIf(w, a.kind == Activation::Kind::LeakyRelu, fmt::format("slope {}", a.negativeSlope));
                addIf(w, a.inplace, "in place");
                return w;
            },
            [](const Prelu& p) { return Words{base::counted(p.numParameters, "slope")}; },
            [](const Softmax& s) { return Words{fmt::format("dim {}", s.dim)}; },
            [](const Scale& s) {
                return Words{fmt::format("{} {}", s.kind == Scale::Kind::Scale ? "×" : "+", s.value)};
            },
            [](const Pool& p) {
                Words w{"kernel " + sizesText(p.kernelSize)};
                addIf(w, !p.stride.empty() && p.stride != p.kernelSize, "stride " + sizesText(p.stride));
                addSizes(w, "padding", p.padding, 0);
                addIf(w, p.ceilMode, "ceil_mode");
                return w;
            },
            [](const AdaptivePool& p) { return Words{"to " + sizesText(p.outputSize)}; },
            [](const Flatten&) { return Words{}; },
            [](const Reshape& r) { return Words{"to " + tensorText(r.shape)}; },
            [](const Permute& p) { return Words{"axes " + tensorText(p.dims)}; },
            [](const Select& s) { return Words{fmt::format("place {} of axis {}", s.index, s.dim)}; },
            [](const Slice& s) {
                Words w{fmt::format("places {} to {} of axis {}", s.start, s.end - 1, s.dim)};
                addIf(w, s.step != 1, fmt::format("step {}", s.step));
                return w;
            },
            [](const Roll& r) { return Words{"by " + tensorText(r.shifts), "axes " + tensorText(r.dims)}; },
            [](const RelativePositionBias& b) {
                return Words{"windows of " + base::formatShape(b.windowSize),
                             base::counted(b.numHeads, "head")};
            },
            [](const WindowMask& m) {
                return Words{"windows of " + base::formatShape(m.windowSize),
                             "in " + base::formatShape(m.size),
                             "shifted by " + base::formatShape(m.shiftSize)};
            },
            [](const Unknown& u) { return Words{u.operatorName}; },
            [](const Copy&) { return Words{}; },
            [](const Learned& l) { return Words{"of " + base::formatShape(l.shape)}; },
            [](const StochasticDepth& d) {
                Words w{fmt::format("p {}", d.p)};
                addIf(w, d.mode == StochasticDepth::Mode::Batch, "whole batch");
                addIf(w, !d.scaleByKeep, "not scaled");
                return w;
            },
            [](const Linear& l) {
                Words w{base::counted(l.outFeatures, "feature")};
                addIf(w, !l.bias, "no bias");
                return w;
            },
            [](const Upsample& u) {
                constexpr std::array<const char*, 4> kModes = {"nearest", "linear", "bilinear", "trilinear"};
                Words w;
                if (!u.size.empty()) {
                    w.push_back("to " + sizesText(u.size));
                } else if (!u.scaleFactor.empty() && std::equal(u.scaleFactor.begin() + 1,
                                                                u.scaleFactor.end(), u.scaleFactor.begin())) {
                    w.push_back(fmt::format("× {}", u.scaleFactor.front()));
                } else {
                    w.push_back(fmt::format("× {}", fmt::join(u.scaleFactor, ", ")));
                }
                w.push_back(kModes[static_cast<std::size_t>(u.mode)]);
                addIf(w, u.alignCorners, "corners aligned");
                return w;
            },
            [](const Head& h) {
                Words w = {fmt::format("{} channels", h.outChannels), fmt::format("weight {:g}", h.weight)};
                addIf(w, !h.bias, "no bias");
                return w;
            },
            [](const Dropout& d) {
                Words w{fmt::format("p {}", d.p)};
                addIf(w, d.feature, "whole channels");
                return w;
            },
            [](const Shared& s) { return Words{"of " + s.with}; },
            [](const Merge& m) {
                Words w{fmt::format("with {}", fmt::join(m.with, ", "))};
                addIf(w, m.inplace, "in place");
                addIf(w, m.dim != Merge().dim, fmt::format("dim {}", m.dim));
                addIf(w, m.isCausal, "causal");
                addIf(w, m.scale > 0, fmt::format("scale {:g}", m.scale));
                addIf(w, m.dropoutP > 0, fmt::format("dropout {:g}", m.dropoutP));
                return w;
            },
            [&](const Block& b) {
                Words w;
                addIf(w, b.checkpoint && byBlock, "checkpointed");
                w.push_back(base::counted(std::ssize(b.layers), "layer"));
                return w;
            }},
        op);
}

void list(const std::vector<stack::Layer>& stack, int depth, std::vector<ListedLayer>& out) {
    for (const stack::Layer& layer : stack) {
        out.push_back({&layer, depth});
        if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
            list(block->layers, depth + 1, out);
        }
    }
}

std::string checkpointText(const stack::Checkpointing& c) {
    switch (c.kind) {
        case stack::Checkpointing::Kind::Blocks:
            return "checkpointing by block";
        case stack::Checkpointing::Kind::None:
            return "no checkpointing";
        case stack::Checkpointing::Kind::Sqrt:
            return "checkpointing in √n segments";
        case stack::Checkpointing::Kind::Segments:
            return fmt::format("checkpointing in {} segments", c.segments);
        case stack::Checkpointing::Kind::Plan:
            return fmt::format("checkpointing by a plan of {}",
                               base::counted(static_cast<std::int64_t>(c.plan.size()), "part"));
    }
    return "";
}

std::string targetText(const stack::Target& target) {
    switch (target.kind) {
        case stack::Target::Kind::Input:
            return "the input";
        case stack::Target::Kind::Threshold:
            return fmt::format("labels at {} and above", target.threshold);
        case stack::Target::Kind::Labels:
            return target.labels.empty() ? "each case's label map"
                                         : std::filesystem::path(target.labels).filename().string();
        case stack::Target::Kind::Classes:
            return fmt::format("{} random classes", target.classes);
    }
    return "";
}

std::string optimizerText(const stack::Optimizer& o) {
    constexpr std::array<const char*, 3> kNames = {"SGD", "Adam", "AdamW"};
    std::string text = fmt::format("{}, learning rate {}", kNames[static_cast<std::size_t>(o.kind)], o.lr);
    if (o.kind == stack::Optimizer::Kind::Sgd && o.momentum != 0) {
        text += fmt::format(", {}momentum {}", o.nesterov ? "Nesterov " : "", o.momentum);
    }
    if (o.weightDecay != 0) {
        text += fmt::format(", weight decay {}", o.weightDecay);
    }
    if (o.foreach) {
        text += ", all parameters together";
    }
    return text;
}

std::string patchText(const stack::Input& input) {
    if (const auto* scan = std::get_if<stack::ScanInput>(&input)) {
        return fmt::format("patches of {}", base::formatShape(scan->patch));
    }
    return fmt::format("inputs of {}", base::formatShape(std::get<stack::SyntheticInput>(input).shape));
}

}  // namespace

std::string optionsText(const stack::Layer& layer, stack::Checkpointing::Kind checkpointing) {
    Words words = wordsOf(layer.op, checkpointing == stack::Checkpointing::Kind::Blocks);
    addIf(words, !layer.id.empty(), "named " + layer.id);
    return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<ListedLayer> listed(const std::vector<stack::Layer>& stack) {
    std::vector<ListedLayer> out;
    list(stack, 0, out);
    return out;
}

std::string precisionText(stack::Precision precision) {
    const std::string name(stack::precisionName(precision));
    return stack::isTrueHalf(precision) ? name.substr(0, 4) + " throughout, parameters too" : name;
}

std::string setupText(const stack::Experiment& e) {
    constexpr std::array kLosses = {"mean squared error",
                                    "cross entropy",
                                    "dice",
                                    "dice and cross entropy",
                                    "binary cross entropy",
                                    "sigmoid dice",
                                    "sigmoid dice and binary cross entropy",
                                    "mean"};
    static_assert(kLosses.size() == stack::kLossNames.size());
    const stack::Step& s = e.step;
    std::string text = fmt::format("Batches of {}, {}; {}{}; {}.", s.batchSize, patchText(e.input),
                                   precisionText(s.precision), s.channelsLast ? ", channels last" : "",
                                   checkpointText(s.checkpoint));
    if (s.microBatches > 1) {
        text.insert(text.size() - 1, fmt::format("; {} micro-batches", s.microBatches));
    }
    if (s.train && s.keepOutput) {
        text.insert(text.size() - 1, "; outputs kept through backward");
    }
    if (s.train && s.clipGradients > 0) {
        text.insert(text.size() - 1, fmt::format("; gradients clipped at a norm of {}", s.clipGradients));
    }
    if (s.train && s.keepGradients) {
        text.insert(text.size() - 1, "; gradients kept between steps");
    }
    text += fmt::format(" {}; {}{}.", s.train ? optimizerText(e.optimizer) : "Forward only",
                        std::string("loss: ") + kLosses[static_cast<std::size_t>(e.loss)],
                        e.loss == stack::Loss::Mean ? ""
                                                    : " against " + targetText(e.target) +
                                                          (s.softTargets ? " as probabilities" : ""));
    return text + fmt::format(" Seed {}.", s.seed);
}

namespace {

std::string cohortText(const std::string& folder, std::int64_t cases) {
    const std::filesystem::path path = std::filesystem::path(folder + "/").parent_path();
    const std::string text = "the cohort " + path.filename().string();
    return cases == 0 ? text : text + ", " + base::counted(cases, "case");
}

}  // namespace

std::string inputText(const Facts& facts) {
    const auto* scan = std::get_if<stack::ScanInput>(&facts.run->experiment.input);
    if (!scan) {
        return "random values";
    }
    if (!scan->cohort.empty()) {
        return cohortText(scan->cohort, facts.result().cases);
    }
    std::vector<std::string> names;
    for (const stack::ScanSource& source : scan->scans) {
        names.push_back(source.path == base::kHeadPhantom
                            ? "the head phantom"
                            : std::filesystem::path(source.path).filename().string());
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string commandLine(const Facts& facts) {
    const wire::Environment& environment = facts.environment();
    std::string text = "highwater-cli run experiment.json";
    if (!environment.device.empty()) {
        text += " --device " + environment.device;
    }
    if (const std::string& host = facts.run->summary.host; !host.empty()) {
        text += " --host " + host;
    }
    if (facts.started) {
        text += fmt::format(" --steps {} --warmup {}", facts.started->steps, facts.started->warmup);
    }
    if (facts.budget) {
        text += fmt::format(" --budget {}", *facts.budget);
    }
    return text;
}

}  // namespace highwater::report
