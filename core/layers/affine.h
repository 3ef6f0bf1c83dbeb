#pragma once

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"

namespace highwater::stack {

/// Learned factors and terms in one operator: torch.addcmul(bias, weight, x), as in ResMLP (arXiv 2105.03404)
/// and the response norm of ConvNeXt V2 (arXiv 2301.00808).
struct Affine {
    Sizes shape = {1};  ///< of both, aligned with the input's last axes
    bool operator==(const Affine&) const = default;
};

template <>
struct About<Affine> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"affine"};
    static constexpr Group group = Group::Learned;
    static bool learns(const Affine&) { return true; }
    static Axes axes(const Affine&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Affine& op, const Shape& input, bool) {
        bool fits = !op.shape.empty() && op.shape.size() <= input.size();
        for (std::size_t i = 1; fits && i <= op.shape.size(); ++i) {
            const std::int64_t size = op.shape[op.shape.size() - i];
            fits = size == 1 || (size == input[input.size() - i] && i < input.size());
        }
        if (!fits) {
            return base::Error{
                fmt::format("shape {} does not fit its input {}; from the end, each size must be the input's "
                            "or 1, and 1 for the batch",
                            base::formatShape(op.shape), base::formatShape(input))};
        }
        const auto count = weightCount({2}, op.shape, static_cast<int>(op.shape.size()));
        return count ? base::Result<LayerRule>(LayerRule{input, *count}) : count.error();
    }
    static std::vector<LearnedTensor> parameters(const Affine& op) { return {{op.shape, 1}, {op.shape, 0}}; }
    static void suit(Affine& op, const Shape& input) {
        if (!input.empty()) {
            op.shape.assign(input.size() - 1, 1);
            op.shape.front() = input[1];
        }
    }
    static void words(const Affine& op, Words& w) { w.add("of " + sizesText(op.shape)); }
    static python::Module module(const Affine& op, const python::Place&) {
        return python::Module{"Affine"}.addAll(op.shape);
    }
    template <class Ops>
    static typename Ops::Tensor made(const Affine&, Ops& ops, const typename Ops::Tensor& x) {
        return ops.addcmul(ops.parameter(1), ops.parameter(0), x);
    }
    template <class V>
    static void fields(V& v, const Affine&) {
        v.sizes("shape", &Affine::shape, listOf(1, kMostSize),
                "The sizes of the learned factors and terms, from the last axis: each the input's, or 1");
    }
};

}  // namespace highwater::stack
