#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

struct Activation {
    enum class Kind {
        Relu,
        LeakyRelu,
        Elu,
        Selu,
        Gelu,
        Silu,
        Sigmoid,
        Tanh,
        Relu6,
        Hardtanh,
        Hardswish,
        Hardsigmoid,
        Mish,
        Softplus,
        ClampMin,
        Sqrt
    };
    Kind kind = Kind::Relu;
    bool inplace = false;         ///< for kinds that have an in-place form
    double negativeSlope = 0.01;  ///< leaky_relu only
    double low = -1, high = 1;    ///< hardtanh: min_val and max_val; clamp_min: min and nothing
    bool operator==(const Activation&) const = default;
};

/// The tensor that autograd saves for an activation's backward (PyTorch's tools/autograd/derivatives.yaml,
/// 1.13 to 2.15).
enum class Kept { Input, Result, CopyOfInput };

struct ActivationFacts {
    std::string_view name;    ///< its type in files and on screen
    const char* module;       ///< name in torch.nn
    bool hasInplaceForm;      ///< torch.nn's module has `inplace`
    Kept kept = Kept::Input;  ///< out of place: Input or Result
    Kept keptInPlace = Kept::CopyOfInput;
};
/// In the order of Activation::Kind.
inline constexpr std::array<ActivationFacts, 16> kActivations = {{
    {"relu", "nn.ReLU", true, Kept::Result, Kept::Result},
    {"leaky_relu", "nn.LeakyReLU", true, Kept::Input, Kept::Result},
    {"elu", "nn.ELU", true, Kept::Input, Kept::Result},
    {"selu", "nn.SELU", true, Kept::Input, Kept::Result},
    {"gelu", "nn.GELU", false},
    {"silu", "nn.SiLU", true},
    {"sigmoid", "nn.Sigmoid", false, Kept::Result},
    {"tanh", "nn.Tanh", false, Kept::Result},
    {"relu6", "nn.ReLU6", true},
    {"hardtanh", "nn.Hardtanh", true},
    {"hardswish", "nn.Hardswish", true},
    {"hardsigmoid", "nn.Hardsigmoid", true},
    {"mish", "nn.Mish", true},
    {"softplus", "nn.Softplus", false},
    {"clamp_min", "ClampMin", false},
    {"sqrt", "Sqrt", false, Kept::Result},
}};

inline const ActivationFacts& factsOf(Activation::Kind kind) {
    return kActivations[static_cast<std::size_t>(kind)];
}
/// What this activation saves, in place or not.
Kept keptBy(const Activation& activation);

template <>
struct About<Activation> : AboutMost {
    static constexpr auto names = [] {
        std::array<std::string_view, kActivations.size()> all;
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = kActivations[i].name;
        }
        return all;
    }();
    static constexpr Group group = Group::Activation;
    static bool worksInPlace(const Activation& op) { return op.inplace; }
    static bool savesResult(const Activation& op) { return keptBy(op) == Kept::Result; }
    static Axes axes(const Activation&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Activation& op, const Shape& input, bool train);
    static void words(const Activation& op, Words& w);
    static python::Module module(const Activation& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Activation& of) {
        using T = Activation;
        if (factsOf(of.kind).hasInplaceForm) {
            v.toggle("inplace", &T::inplace, "Overwrite the input instead of keeping both: saves one output");
        }
        if (of.kind == T::Kind::LeakyRelu) {
            v.number("negative_slope", &T::negativeSlope, -kMostNumber, kMostNumber, "The slope below zero");
        }
        if (of.kind == T::Kind::Hardtanh) {
            v.number("min_val", &T::low, -kMostNumber, kMostNumber, "The smallest output");
            v.number("max_val", &T::high, -kMostNumber, kMostNumber, "The largest output");
        }
        if (of.kind == T::Kind::ClampMin) {
            v.number("min", &T::low, -kMostNumber, kMostNumber, "The smallest output");
        }
    }
};

}  // namespace highwater::stack
