#pragma once

#include "core/layers/about.h"

namespace highwater::stack {

/// The input times, or plus, a constant.
struct Scale {
    enum class Kind { Scale, Offset };
    double value = 1;
    Kind kind = Kind::Scale;
    bool operator==(const Scale&) const = default;
};

template <>
struct About<Scale> : AboutMost {
    static constexpr std::array<std::string_view, 2> names = {"scale", "offset"};
    static constexpr Group group = Group::Constant;
    static Axes axes(const Scale&) { return kAnyAxes; }
    static void words(const Scale& op, Words& w);
    static python::Module module(const Scale& op, const python::Place&) {
        return {op.kind == Scale::Kind::Scale ? "Scale" : "Offset", {python::literal(op.value)}};
    }
    template <class V>
    static void fields(V& v, const Scale& of) {
        v.number("value", &Scale::value, -kMostNumber, kMostNumber,
                 of.kind == Scale::Kind::Scale
                     ? "A constant that the input is multiplied by; it is not learned"
                     : "A constant that is added to the input; it is not learned");
    }
};

}  // namespace highwater::stack
