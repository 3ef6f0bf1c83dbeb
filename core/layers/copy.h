#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// A copy of the input with contiguous axes. Contiguous: copies only if the input is not contiguous already.
struct Copy {
    enum class Kind { Clone, Contiguous };
    Kind kind = Kind::Clone;
    bool operator==(const Copy&) const = default;
};

template <>
struct About<Copy> : AboutMost {
    static constexpr std::array<std::string_view, 2> names = {"clone", "contiguous"};
    static constexpr Group group = Group::Axes;
    static Lies lies(const Copy& op, bool) {
        return op.kind == Copy::Kind::Contiguous ? Lies::OnInput : Lies::Apart;
    }
    static Axes axes(const Copy&) { return kAnyAxes; }
    static python::Module module(const Copy& op, const python::Place&) {
        return {op.kind == Copy::Kind::Clone ? "Clone" : "Contiguous"};
    }
};

}  // namespace highwater::stack
