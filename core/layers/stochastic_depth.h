#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// The input times 0 or 1, drawn for each sample (Row) or once (Batch): torchvision.ops.StochasticDepth
/// (arXiv 1603.09382). Only in training.
struct StochasticDepth {
    enum class Mode { Row, Batch };
    double p = 0.5;  ///< the probability of 0
    Mode mode = Mode::Row;
    bool scaleByKeep = true;  ///< samples that are not zeroed are divided by 1 - p
    bool operator==(const StochasticDepth&) const = default;
};

template <>
struct About<StochasticDepth> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"stochastic_depth"};
    static constexpr Group group = Group::Regularization;
    static constexpr std::array<std::string_view, 2> modes = {"row", "batch"};
    static Lies lies(const StochasticDepth& op, bool train) {
        return op.p == 0 || !train ? Lies::OnInput : Lies::Apart;
    }
    static bool drawsRandomly(const StochasticDepth& op) { return op.p > 0; }
    static Axes axes(const StochasticDepth&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const StochasticDepth& op, const Shape& input, bool train);
    static void words(const StochasticDepth& op, Words& w);
    static python::Module module(const StochasticDepth& op, const python::Place& at);
    template <class V>
    static void fields(V& v, const StochasticDepth&) {
        using T = StochasticDepth;
        v.number("p", &T::p, 0, 1, "The probability that a sample is set to zero while training");
        v.choice("mode", &T::mode, modes, "row: drawn for each sample; batch: once for all");
        v.toggle("scale_by_keep", &T::scaleByKeep, "Divide the samples that are not set to zero by 1 - p");
    }
};

}  // namespace highwater::stack
