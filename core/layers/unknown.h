#pragma once

#include <string>
#include <vector>

#include "core/layers/about.h"

namespace highwater::stack {

/// Stands for an operator that no layer implements. Its memory is not counted, so a prediction is a lower
/// bound; it cannot run.
struct Unknown {
    std::string operatorName;       ///< PyTorch's name, possibly with the unsupported option
    Sizes shape = {1, 1};           ///< shape of its output for one sample; the first size is multiplied by
                                    ///< the batch
    std::vector<std::string> with;  ///< ids of the other outputs that it reads
    bool operator==(const Unknown&) const = default;
};

template <>
struct About<Unknown> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"unknown"};
    static bool mixesAxes(const Unknown&) { return true; }
    static Axes axes(const Unknown&) { return kAnyAxes; }
    /// For a network input with this many samples.
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
