#pragma once

#include <algorithm>
#include <string_view>

#include "core/base/text.h"

/// Compares words ignoring the case of A to Z. Private to core/runs.
namespace highwater::runs {

inline bool alike(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return base::lowered(x) == base::lowered(y); });
}

inline bool holds(std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(),
                       [](char x, char y) { return base::lowered(x) == base::lowered(y); }) != text.end() ||
           part.empty();
}

}  // namespace highwater::runs
