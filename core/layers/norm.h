#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

struct Norm {
    enum class Kind { Batch, Instance, Group };
    Kind kind = Kind::Batch;
    std::int64_t numGroups = 1;  ///< group_norm only
    double eps = 1e-5;
    bool affine = true;  ///< PyTorch's default: true for batch and group, false for instance
    bool operator==(const Norm&) const = default;
};

/// The field `eps` of norms.
template <class V, class T>
void epsField(V& v, double T::* member) {
    v.number("eps", member, 0, 1, "Added to the variance, so that nothing is divided by zero");
}
/// Adds eps if it differs from the default, 1e-5.
void epsWords(double eps, Words& w);

template <>
struct About<Norm> : AboutMost {
    static constexpr std::array<std::string_view, 3> names = {"batch_norm", "instance_norm", "group_norm"};
    static constexpr Group group = Group::Normalization;
    static void adjust(Norm& op) { op.affine = op.kind != Norm::Kind::Instance; }
    static bool learns(const Norm& op) { return op.affine; }
    static Axes axes(const Norm& op) { return {op.kind == Norm::Kind::Instance ? 3U : 2U, 5}; }
    static base::Result<LayerRule> rule(const Norm& op, const Shape& input, bool train);
    static void suit(Norm& op, const Shape& input);
    static void words(const Norm& op, Words& w);
    static python::Module module(const Norm& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const Norm& of) {
        using T = Norm;
        if (of.kind == T::Kind::Group) {
            v.integer("num_groups", &T::numGroups, {1, kMostSize},
                      "The number of groups in which channels are normalized; it must divide the channels");
        }
        epsField(v, &T::eps);
        v.toggle("affine", &T::affine, "A learned scale and shift for each channel");
    }
};

}  // namespace highwater::stack
