#pragma once

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/layers/rules.h"
#include "core/layers/softmax.h"

namespace highwater::stack {

/// One value of each group along axes: torch.sum, torch.mean, torch.var, torch.amax,
/// torch.linalg.vector_norm.
struct Reduce {
    enum class Kind { Sum, Mean, Var, Max, Norm };
    Kind kind = Kind::Sum;
    Sizes dim = {1};  ///< not the batch; negative: counted from the end
    bool keepdim = true;
    int correction = 1;  ///< Var only: what is subtracted from the number of values that it divides by
    bool operator==(const Reduce&) const = default;
};

template <>
struct About<Reduce> : AboutMost {
    static constexpr std::array<std::string_view, 5> names = {"sum", "mean", "var", "amax", "vector_norm"};
    static constexpr Group group = Group::Resolution;
    static bool mixesAxes(const Reduce&) { return true; }
    static bool savesResult(const Reduce& op) {
        return op.kind == Reduce::Kind::Norm || op.kind == Reduce::Kind::Max;
    }
    static Axes axes(const Reduce&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Reduce& op, const Shape& input, bool) {
        const std::vector<bool> reduced = reducedAxes(op.dim, input.size());
        Shape output;
        for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
            if (!reduced[axis] || op.keepdim) {
                output.push_back(reduced[axis] ? 1 : input[axis]);
            }
        }
        if (output.size() < 2) {
            return base::Error{
                fmt::format("dim {} does not fit its input {}; give different axes from 1 to {}, and leave "
                            "one if keepdim is off",
                            base::formatShape(op.dim), base::formatShape(input), input.size() - 1)};
        }
        return LayerRule{std::move(output), 0};
    }
    static std::int64_t sizeAlong(const Reduce& op, std::int64_t size, int dims, std::size_t axis) {
        const std::vector<bool> reduced = reducedAxes(op.dim, static_cast<std::size_t>(dims) + 2);
        return axis + 2 < reduced.size() && reduced[axis + 2] ? 1 : size;
    }
    static void words(const Reduce& op, Words& w) {
        w.add("over " + listText(op.dim));
        w.addIf(!op.keepdim, "without keepdim");
    }
    static python::Module module(const Reduce& op, const python::Place&) {
        constexpr std::array functions = {"torch.sum", "torch.mean", "torch.var", "torch.amax",
                                          "torch.linalg.vector_norm"};
        python::Module made{"Reduce",
                            {functions[static_cast<std::size_t>(op.kind)], python::tuple(op.dim),
                             python::literal(op.keepdim)}};
        return made.add("correction", std::int64_t{op.correction}, std::int64_t{1});
    }
    template <class Ops>
    static typename Ops::Tensor made(const Reduce& op, Ops& ops, const typename Ops::Tensor& x) {
        return op.kind == Reduce::Kind::Sum    ? ops.sum(x, op.dim, op.keepdim)
               : op.kind == Reduce::Kind::Mean ? ops.mean(x, op.dim, op.keepdim)
               : op.kind == Reduce::Kind::Var  ? ops.var(x, op.dim, op.correction, op.keepdim)
               : op.kind == Reduce::Kind::Max  ? ops.amax(x, op.dim, op.keepdim)
                                               : ops.vectorNorm(x, op.dim, op.keepdim);
    }
    template <class V>
    static void fields(V& v, const Reduce& of) {
        v.sizes("dim", &Reduce::dim, listOf(-kMostAxes, kMostAxes - 1),
                "The axes that become one value; -1 is the last");
        v.toggle("keepdim", &Reduce::keepdim, "Keep these axes, with one element each");
        if (of.kind == Reduce::Kind::Var) {
            v.integer("correction", &Reduce::correction, {0, 1},
                      "1: divides by one less than the number of values; 0: by their number");
        }
    }
};

}  // namespace highwater::stack
