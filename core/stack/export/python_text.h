#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/module.h"

/// Writes Python text: literals, names, calls. Private to core/stack.
namespace highwater::stack::python {

/// Lines are at most this long, unless one word is longer.
constexpr std::size_t kLineLength = 99;

/// Returns "text" in quotes, with characters escaped that are not printable ASCII.
std::string literal(std::string_view text);
/// Converts a text to a Python name of lower-case letters, digits and underscores; "" if it contains none of
/// them.
std::string identifier(std::string_view text);

/// Gives out unique names. Python's keywords, the builtins that the program uses and the attributes of
/// torch.nn.Module count as taken.
class Names {
public:
    Names();
    /// Returns the text as a name, or `fallback` if it has no valid characters; with a number appended if the
    /// name is taken.
    std::string give(std::string_view text, std::string_view fallback);

private:
    std::set<std::string, std::less<>> taken_;
};

/// Returns before(a, b)after at this indentation; split into several lines if it is too long.
std::string call(int indent, const std::string& before, const std::vector<std::string>& arguments,
                 const std::string& after = "");

/// Returns a line with a comment. The text cannot end the comment.
std::string commentLine(int indent, std::string_view text);

/// Indents each line of a text; empty lines stay empty.
std::string indented(int indent, std::string_view text);

/// A function or class followed by two blank lines. `text` ends with one line break.
std::string function(std::string_view text);

/// Replaces every `from` in `text`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace highwater::stack::python
