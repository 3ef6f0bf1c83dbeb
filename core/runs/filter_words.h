#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// The words and signs of a filter's line. Private to core/runs.
namespace highwater::runs {

enum class Sign { Less, AtMost, More, AtLeast, Equal, Unequal };
std::string_view signText(Sign sign);
template <typename T>
bool holds(Sign sign, const T& left, const T& right) {
    switch (sign) {
        case Sign::Less:
            return left < right;
        case Sign::AtMost:
            return left <= right;
        case Sign::More:
            return left > right;
        case Sign::AtLeast:
            return left >= right;
        case Sign::Equal:
            return left == right;
        case Sign::Unequal:
            break;
    }
    return left != right;
}

/// A word, or "word sign word".
struct FilterWord {
    std::string word;
    bool quoted = false;  ///< the word was quoted, so it is not a key
    std::optional<Sign> sign = {};
    std::string value = {};
    std::string whole() const;  ///< in a form that could be typed
};

/// Error, one line: an unterminated quote, or a sign without a word before or after it.
base::Result<std::vector<FilterWord>> filterWords(std::string_view text);

}  // namespace highwater::runs
