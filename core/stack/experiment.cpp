#include "core/stack/experiment.h"

#include <algorithm>
#include <array>

#include "core/stack/activations.h"

namespace highwater::stack {

namespace {

struct NameOf {
    std::string_view operator()(const Conv&) const { return "conv"; }
    std::string_view operator()(const ConvTranspose&) const { return "conv_transpose"; }
    std::string_view operator()(const SeparableConv&) const { return "separable_conv"; }
    std::string_view operator()(const CustomConv&) const { return "custom_conv"; }
    std::string_view operator()(const Norm& n) const {
        constexpr std::array<std::string_view, 3> names = {"batch_norm", "instance_norm", "group_norm"};
        return names[static_cast<std::size_t>(n.kind)];
    }
    std::string_view operator()(const LayerNorm&) const { return "layer_norm"; }
    std::string_view operator()(const LocalResponseNorm&) const { return "local_response_norm"; }
    std::string_view operator()(const InplaceAbn&) const { return "inplace_abn"; }
    std::string_view operator()(const Activation& a) const { return factsOf(a.kind).name; }
    std::string_view operator()(const Prelu&) const { return "prelu"; }
    std::string_view operator()(const Softmax&) const { return "softmax"; }
    std::string_view operator()(const Pool& p) const {
        return p.kind == Pool::Kind::Max ? "max_pool" : "avg_pool";
    }
    std::string_view operator()(const AdaptivePool& p) const {
        return p.kind == AdaptivePool::Kind::Max ? "adaptive_max_pool" : "adaptive_avg_pool";
    }
    std::string_view operator()(const Pad&) const { return "pad"; }
    std::string_view operator()(const Crop&) const { return "crop"; }
    std::string_view operator()(const Upsample&) const { return "upsample"; }
    std::string_view operator()(const Dropout&) const { return "dropout"; }
    std::string_view operator()(const StochasticDepth&) const { return "stochastic_depth"; }
    std::string_view operator()(const Scale& s) const {
        return s.kind == Scale::Kind::Scale ? "scale" : "offset";
    }
    std::string_view operator()(const Learned& l) const {
        constexpr std::array<std::string_view, 3> names = {"layer_scale", "position_embedding",
                                                           "class_token"};
        return names[static_cast<std::size_t>(l.kind)];
    }
    std::string_view operator()(const Flatten&) const { return "flatten"; }
    std::string_view operator()(const Reshape&) const { return "reshape"; }
    std::string_view operator()(const Permute&) const { return "permute"; }
    std::string_view operator()(const Select&) const { return "select"; }
    std::string_view operator()(const Slice&) const { return "slice"; }
    std::string_view operator()(const Roll&) const { return "roll"; }
    std::string_view operator()(const RelativePositionBias&) const { return "relative_position_bias"; }
    std::string_view operator()(const WindowMask&) const { return "window_mask"; }
    std::string_view operator()(const Unknown&) const { return "unknown"; }
    std::string_view operator()(const Copy& c) const {
        return c.kind == Copy::Kind::Clone ? "clone" : "contiguous";
    }
    std::string_view operator()(const Linear&) const { return "linear"; }
    std::string_view operator()(const Head&) const { return "head"; }
    std::string_view operator()(const Shared&) const { return "shared"; }
    std::string_view operator()(const Merge& m) const {
        constexpr std::array<std::string_view, 7> names = {
            "add", "sub", "mul", "concat", "matmul", "scaled_dot_product_attention", "branch"};
        return names[static_cast<std::size_t>(m.kind)];
    }
    std::string_view operator()(const Block&) const { return "block"; }
};

Op norm(Norm::Kind kind) {
    Norm made;
    made.kind = kind;
    made.affine = kind != Norm::Kind::Instance;
    return made;
}

template <class T>
Op kindOf(typename T::Kind kind) {
    T made;
    made.kind = kind;
    return made;
}

std::vector<Op> makeDefaults() {
    std::vector<Op> all;
    all.emplace_back(std::in_place_type<Conv>);
    all.emplace_back(std::in_place_type<ConvTranspose>);
    all.emplace_back(std::in_place_type<SeparableConv>);
    all.emplace_back(std::in_place_type<CustomConv>);
    all.emplace_back(norm(Norm::Kind::Batch));
    all.emplace_back(norm(Norm::Kind::Instance));
    all.emplace_back(norm(Norm::Kind::Group));
    all.emplace_back(std::in_place_type<LayerNorm>);
    all.emplace_back(std::in_place_type<LocalResponseNorm>);
    all.emplace_back(std::in_place_type<InplaceAbn>);
    all.emplace_back(kindOf<Activation>(Activation::Kind::Relu));
    all.emplace_back(kindOf<Activation>(Activation::Kind::LeakyRelu));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Elu));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Gelu));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Silu));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Sigmoid));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Tanh));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Relu6));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Hardswish));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Hardsigmoid));
    all.emplace_back(kindOf<Activation>(Activation::Kind::Mish));
    all.emplace_back(std::in_place_type<Prelu>);
    all.emplace_back(std::in_place_type<Softmax>);
    all.emplace_back(kindOf<Pool>(Pool::Kind::Max));
    all.emplace_back(kindOf<Pool>(Pool::Kind::Avg));
    all.emplace_back(kindOf<AdaptivePool>(AdaptivePool::Kind::Avg));
    all.emplace_back(kindOf<AdaptivePool>(AdaptivePool::Kind::Max));
    all.emplace_back(std::in_place_type<Pad>);
    all.emplace_back(std::in_place_type<Crop>);
    all.emplace_back(std::in_place_type<Upsample>);
    all.emplace_back(std::in_place_type<Dropout>);
    all.emplace_back(std::in_place_type<StochasticDepth>);
    all.emplace_back(kindOf<Scale>(Scale::Kind::Scale));
    all.emplace_back(kindOf<Scale>(Scale::Kind::Offset));
    all.emplace_back(kindOf<Learned>(Learned::Kind::LayerScale));
    all.emplace_back(kindOf<Learned>(Learned::Kind::PositionEmbedding));
    all.emplace_back(kindOf<Learned>(Learned::Kind::ClassToken));
    all.emplace_back(std::in_place_type<Flatten>);
    all.emplace_back(std::in_place_type<Reshape>);
    all.emplace_back(std::in_place_type<Permute>);
    all.emplace_back(std::in_place_type<Select>);
    all.emplace_back(std::in_place_type<Slice>);
    all.emplace_back(std::in_place_type<Roll>);
    all.emplace_back(kindOf<Copy>(Copy::Kind::Clone));
    all.emplace_back(kindOf<Copy>(Copy::Kind::Contiguous));
    all.emplace_back(std::in_place_type<Linear>);
    all.emplace_back(std::in_place_type<RelativePositionBias>);
    all.emplace_back(std::in_place_type<WindowMask>);
    all.emplace_back(std::in_place_type<Unknown>);
    all.emplace_back(std::in_place_type<Head>);
    all.emplace_back(std::in_place_type<Shared>);
    all.emplace_back(kindOf<Merge>(Merge::Kind::Add));
    all.emplace_back(kindOf<Merge>(Merge::Kind::Sub));
    all.emplace_back(kindOf<Merge>(Merge::Kind::Mul));
    all.emplace_back(kindOf<Merge>(Merge::Kind::Concat));
    all.emplace_back(kindOf<Merge>(Merge::Kind::Matmul));
    all.emplace_back(kindOf<Merge>(Merge::Kind::Attention));
    all.emplace_back(kindOf<Merge>(Merge::Kind::Branch));
    all.emplace_back(std::in_place_type<Block>);
    return all;
}

/// One default layer of each type, in the order of the "add layer" menu.
const std::vector<Op>& defaults() {
    static const std::vector<Op> all = makeDefaults();
    return all;
}

}  // namespace

std::string_view typeName(const Op& op) {
    return std::visit(NameOf{}, op);
}

bool worksInPlace(const Op& op) {
    const auto* activation = std::get_if<Activation>(&op);
    const auto* merge = std::get_if<Merge>(&op);
    return std::holds_alternative<InplaceAbn>(op) || (activation && activation->inplace) ||
           (merge && merge->inplace);
}

bool readsNothing(const Op& op) {
    return std::holds_alternative<RelativePositionBias>(op) || std::holds_alternative<WindowMask>(op);
}

const std::vector<std::string_view>& typeNames() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const Op& op : defaults()) {
            all.push_back(typeName(op));
        }
        return all;
    }();
    return names;
}

std::optional<Op> makeOp(std::string_view type) {
    const auto& names = typeNames();
    const auto at = std::find(names.begin(), names.end(), type);
    if (at == names.end()) {
        return std::nullopt;
    }
    return defaults()[static_cast<std::size_t>(at - names.begin())];
}

Optimizer makeOptimizer(Optimizer::Kind kind) {
    Optimizer made;
    made.kind = kind;
    made.weightDecay = kind == Optimizer::Kind::AdamW ? 0.01 : 0;
    return made;
}

bool wantsClasses(Loss loss) {
    return loss == Loss::CrossEntropy || loss == Loss::Dice || loss == Loss::DiceCrossEntropy;
}

bool comparesProbabilities(Loss loss) {
    return loss == Loss::Bce || loss == Loss::SigmoidDice || loss == Loss::SigmoidDiceBce;
}

bool usesDice(Loss loss) {
    return loss == Loss::Dice || loss == Loss::DiceCrossEntropy || loss == Loss::SigmoidDice ||
           loss == Loss::SigmoidDiceBce;
}

Loss binaryLoss(Loss loss) {
    return loss == Loss::CrossEntropy       ? Loss::Bce
           : loss == Loss::Dice             ? Loss::SigmoidDice
           : loss == Loss::DiceCrossEntropy ? Loss::SigmoidDiceBce
                                            : loss;
}

}  // namespace highwater::stack
