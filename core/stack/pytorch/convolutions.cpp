#include <algorithm>

#include "core/layers/limits.h"
#include "core/stack/pytorch/operators.h"

namespace highwater::stack::pytorch {

namespace {

/// Padding of the input by the module's padding_mode: the padded tensor, the amounts, and the mode.
struct Padded {
    Ref source = 0;
    base::Json padding;
    std::string mode;
};

/// torch.nn.functional.pad's numbers as (before, after) for each axis, first axis first.
std::vector<std::pair<std::int64_t, std::int64_t>> axesFirst(const Whole& pad) {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (std::size_t i = 0; i + 1 < pad.size(); i += 2) {
        pairs.emplace(pairs.begin(), pad[i], pad[i + 1]);
    }
    return pairs;
}

bool anyOf(const Whole& sizes) {
    return std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size != 0; });
}

/// The call that padded this convolution's input, if nothing else reads the result.
const Call* paddingBefore(Converter& c) {
    const NamedValue& input = c.graph.values[c.tensor("input")];
    const bool plain = c.text("padding").empty() && !anyOf(c.integers("padding"));
    if (!input.madeBy || input.users != 1 || !plain || c.call.scopes.empty() ||
        !c.call.scopes.back().kind.starts_with("torch.nn.modules.conv.")) {
        return nullptr;
    }
    const Call& before = c.graph.calls[*input.madeBy];
    const bool same = !before.scopes.empty() && before.scopes.back() == c.call.scopes.back();
    return before.name == "pad" && same ? &before : nullptr;
}

std::optional<Padded> paddingOf(Converter& c) {
    const Call* before = paddingBefore(c);
    if (!before) {
        return std::nullopt;
    }
    Converter pad(c.graph, c.values, *before);
    const auto pairs = axesFirst(pad.integers("pad"));
    const Whole kernel = spatial(c.shape(c.tensor("weight")));
    const Whole dilation = spread(c.integers("dilation"), pairs.size());
    Padded padded{pad.tensor("self"), {}, pad.text("mode")};
    if (pad.failed() || padded.mode == "constant" || pairs.empty() || kernel.size() != pairs.size() ||
        dilation.size() != pairs.size() ||
        std::any_of(dilation.begin(), dilation.end(), [](std::int64_t each) { return each > kMostExtent; })) {
        return std::nullopt;
    }
    Whole low;
    bool even = true, same = true;
    for (std::size_t axis = 0; axis < pairs.size(); ++axis) {
        const std::int64_t reach = dilation[axis] * (kernel[axis] - 1);
        low.push_back(pairs[axis].first);
        even = even && pairs[axis].first == pairs[axis].second;
        same = same && pairs[axis] == std::pair(reach / 2, reach - reach / 2);
    }
    padded.padding = even ? oneOrList(low) : base::Json("same");
    return even || same ? std::optional(padded) : std::nullopt;
}

bool isWeight(Converter& c, const Shape& weight) {
    if (weight.size() < 3) {
        c.refuse(c.call.name + " with a weight of too few axes");
        return false;
    }
    return true;
}

const Call* makerOf(const Converter& c, Ref ref) {
    const auto made = c.graph.values[ref].madeBy;
    return made ? &c.graph.calls[*made] : nullptr;
}

const Constant* parameterAt(const Converter& c, Ref ref) {
    const auto* const constant = std::get_if<Constant>(&c.values.held(ref));
    return constant && !constant->parameter.empty() ? constant : nullptr;
}

/// Goes back over views.
const Call* behindViews(Converter& c, Ref ref) {
    constexpr int kMostPassed = 8;
    const Call* call = makerOf(c, ref);
    for (int i = 0;
         i < kMostPassed && call && (call->name.starts_with("view") || call->name.starts_with("reshape"));
         ++i) {
        call = makerOf(c, Converter(c.graph, c.values, *call).source());
    }
    return call;
}

/// The parameters of weights that are standardized in each forward, as timm's StdConv2d and ScaledStdConv2d
/// do it: batch_norm(weight.reshape(1, filters, -1), weight=(gain * scale).view(-1)). Empty for others.
Roles standardized(Converter& c) {
    const Call* const norm = behindViews(c, c.tensor("weight"));
    if (!norm || norm->name != "batch_norm") {
        return {};
    }
    Converter n(c.graph, c.values, *norm);
    const Shape& rows = n.shape(n.tensor("input"));
    const Constant* const weight = parameterAt(c, n.tensor("input"));
    if (!weight || !n.boolean("training") || n.has("bias") || n.isTensor("running_mean") ||
        rows.size() != 3 || rows[0] != 1 || rows[1] != c.shape(c.tensor("weight"))[0]) {
        return {};
    }
    Roles roles{{"weight", weight->parameter}};
    if (n.has("weight")) {
        const Call* const product = behindViews(c, n.tensor("weight"));
        const Constant* const gain =
            product && product->name == "mul" && !Converter(c.graph, c.values, *product).isTensor("other")
                ? parameterAt(c, Converter(c.graph, c.values, *product).tensor("self"))
                : nullptr;
        if (!gain) {
            return {};
        }
        roles.emplace("gain", gain->parameter);
    }
    return roles;
}

}  // namespace

void conv(Converter& c) {
    const Shape weight = c.shape(c.tensor("weight"));
    if (!isWeight(c, weight)) {
        return;
    }
    Ref source = c.tensor("input");
    const std::string word = c.text("padding");
    base::Json padding = word.empty() ? oneOrList(c.integers("padding")) : base::Json(word);
    std::string mode;
    if (const auto padded = paddingOf(c)) {
        source = padded->source;
        padding = padded->padding;
        mode = padded->mode;
    }
    base::Json layer{
        {"type", "conv"}, {"out_channels", weight[0]}, {"kernel_size", oneOrList(spatial(weight))}};
    c.putSizes(layer, "stride", 1);
    if (padding != "valid" && padding != base::Json::array()) {
        c.put(layer, "padding", padding, 0);
    }
    c.put(layer, "padding_mode", mode, "");
    c.putSizes(layer, "dilation", 1);
    c.put(layer, "groups", c.integer("groups"), 1);
    c.put(layer, "bias", c.has("bias"), true);
    const int value = c.read(source);
    Roles roles = standardized(c);
    if (roles.empty()) {
        roles = c.parameters({"weight", "bias"});
    } else {
        layer["standardize"] = roles.contains("gain") ? "scaled" : "weights";
        roles.merge(c.parameters({"bias"}));
    }
    c.add(layer, {value}, true, {.parameters = std::move(roles)});
}

void convTranspose(Converter& c) {
    const Shape weight = c.shape(c.tensor("weight"));
    const std::int64_t groups = c.integer("groups");
    if (!isWeight(c, weight)) {
        return;
    }
    if (groups < 1 || groups > weight[0]) {
        return c.refuse(c.call.name + " with such groups");
    }
    base::Json layer{{"type", "conv_transpose"},
                     {"out_channels", weight[1] * groups},
                     {"kernel_size", oneOrList(spatial(weight))}};
    c.putSizes(layer, "stride", 1);
    c.putSizes(layer, "padding", 0);
    c.putSizes(layer, "output_padding", 0);
    c.putSizes(layer, "dilation", 1);
    c.put(layer, "groups", groups, 1);
    c.put(layer, "bias", c.has("bias"), true);
    c.plain(layer, {.parameters = c.parameters({"weight", "bias"})});
}

void linear(Converter& c) {
    const Shape weight = c.shape(c.tensor("weight"));
    if (c.shape(c.tensor("input")).size() < 2 || weight.size() != 2) {
        return c.refuse("linear of one axis");
    }
    base::Json layer{{"type", "linear"}, {"out_features", weight[0]}};
    c.put(layer, "bias", c.has("bias"), true);
    c.plain(layer, {.parameters = c.parameters({"weight", "bias"})});
}

}  // namespace highwater::stack::pytorch
