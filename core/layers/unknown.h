#pragma once

#include <string>
#include <vector>

#include "core/layers/about.h"

namespace highwater::stack {

/// Stands for an operator that no layer says. What it takes is not counted, so that a prediction is a bound
/// from below; it cannot run.
struct Unknown {
    std::string operatorName;       ///< PyTorch's name, or what of it no layer says
    Sizes shape = {1, 1};           ///< of its output for one sample; the first is times the batch
    std::vector<std::string> with;  ///< ids of the other outputs that it reads
    bool operator==(const Unknown&) const = default;
};

template <>
struct About<Unknown> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"unknown"};
    static bool mixesAxes(const Unknown&) { return true; }
    static Axes axes(const Unknown&) { return kAnyAxes; }
    /// For a network's input of so many samples.
    static base::Result<LayerRule> rule(const Unknown& op, std::int64_t samples);
    static void suit(Unknown& op, const Shape& input) {
        if (!input.empty()) {
            op.shape = input;
            op.shape.front() = 1;
        }
    }
    static void words(const Unknown& op, Words& w) {
        w.add(op.operatorName);
        w.addIf(w.brief, "not counted");
    }
    template <class V>
    static void fields(V& v, const Unknown&) {
        using T = Unknown;
        v.text("operator", &T::operatorName, "The operator that this stands for; its memory is not counted",
               "PyTorch's name");
        v.sizes("shape", &T::shape, listOf(1, kMostSize),
                "Its output's sizes for one sample; the first is times the batch");
        v.outputs("with", &T::with, 0, kMostJoined,
                  "The ids of the other outputs that it reads, with commas between");
    }
};

}  // namespace highwater::stack
