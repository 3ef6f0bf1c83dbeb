#pragma once

#include <string>

#include "core/layers/about.h"

namespace highwater::stack {

/// Applies the layer with the id `with` again, sharing its parameters: one module that is called twice.
struct Shared {
    std::string with;
    bool operator==(const Shared&) const = default;
};

template <>
struct About<Shared> : AboutMost {
    static constexpr std::array<std::string_view, 1> names = {"shared"};
    static constexpr Group group = Group::Again;
    static void words(const Shared& op, Words& w) {
        w.add("of " + (op.with.empty() && w.brief ? "?" : op.with));
    }
    template <class V>
    static void fields(V& v, const Shared&) {
        v.output("with", &Shared::with,
                 "The id of the earlier layer that is used again, with its parameters");
    }
};

}  // namespace highwater::stack
