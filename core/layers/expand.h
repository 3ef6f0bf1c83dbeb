#pragma once

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/about.h"

namespace highwater::stack {

/// Repeats the input along axes of one element, without copies: torch.Tensor.expand.
struct Expand {
    Sizes shape = {-1, 1};  ///< the first is -1: the batch; each other the input's, or its number of copies
    bool operator==(const Expand&) const = default;
};

template <>
struct About<Expand> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"expand"};
    static constexpr Group group = Group::Axes;
    static Lies lies(const Expand&, bool) { return Lies::InInput; }
    static Axes axes(const Expand&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Expand& op, const Shape& input, bool) {
        bool fits = op.shape.size() == input.size() && op.shape.front() == -1;
        for (std::size_t i = 1; fits && i < input.size(); ++i) {
            fits = op.shape[i] >= 1 && (op.shape[i] == input[i] || input[i] == 1);
        }
        if (!fits) {
            return base::Error{
                fmt::format("shape {} does not repeat its input {}; it begins with -1, and each other size "
                            "is the input's, or any where the input's is 1",
                            base::formatShape(op.shape), base::formatShape(input))};
        }
        Shape output = op.shape;
        output.front() = input.front();
        return LayerRule{std::move(output), 0};
    }
    static std::int64_t sizeAlong(const Expand& op, std::int64_t size, int, std::size_t axis) {
        return axis + 2 < op.shape.size() ? op.shape[axis + 2] : size;
    }
    static void suit(Expand& op, const Shape& input) {
        if (!input.empty()) {
            op.shape = input;
            op.shape.front() = -1;
        }
    }
    static void words(const Expand& op, Words& w) { w.add("to " + listText(op.shape)); }
    static python::Module module(const Expand& op, const python::Place&) {
        return python::Module{"Expand"}.addAll(op.shape);
    }
    template <class Ops>
    static typename Ops::Tensor made(const Expand& op, Ops& ops, const typename Ops::Tensor& x) {
        return ops.expand(x, op.shape);
    }
    template <class V>
    static void fields(V& v, const Expand&) {
        v.sizes("shape", &Expand::shape, listOf(-1, kMostSize),
                "The new sizes, -1 first: the batch. An axis of one element is repeated without a copy");
    }
};

}  // namespace highwater::stack
