#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// Reshapes N, C, spatial to N, C x spatial, as a view.
struct Flatten {
    bool operator==(const Flatten&) const = default;
};

template <>
struct About<Flatten> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"flatten"};
    static constexpr Group group = Group::Classifier;
    static Lies lies(const Flatten&, bool) { return Lies::OnInput; }
    static Axes axes(const Flatten&) { return kAnyAxes; }
    static base::Result<LayerRule> rule(const Flatten& op, const Shape& input, bool train);
    static std::int64_t sizeAlong(const Flatten&, std::int64_t, int, std::size_t) { return 1; }
    static python::Module module(const Flatten&, const python::Place&) { return {"nn.Flatten"}; }
};

}  // namespace highwater::stack
