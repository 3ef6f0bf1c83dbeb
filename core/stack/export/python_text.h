#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/stack/experiment.h"

/// Python as text: literals, names, calls. Private to core/stack.
namespace highwater::stack::python {

/// Lines are at most this long, unless one word is longer.
constexpr std::size_t kLineLength = 99;

/// "text", with whatever is not printable ASCII escaped.
std::string literal(std::string_view text);
/// The shortest text that Python reads as the same double.
std::string literal(double value);
std::string literal(bool value);
/// 3 where all are equal or there is one, otherwise (1, 3, 3).
std::string sizes(const Sizes& sizes);
/// A tuple, of one entry too.
std::string tuple(const std::vector<std::string>& entries);

/// What Python takes as a name: lower case letters, digits and underscores; "" of a text without any.
std::string identifier(std::string_view text);

/// Names that are given once. Python's words, builtins that the program uses and what torch.nn.Module calls
/// its own are taken from the start.
class Names {
public:
    Names();
    /// The text as a name, `fallback` where nothing is left of it; with a number where it is taken.
    std::string give(std::string_view text, std::string_view fallback);

private:
    std::set<std::string, std::less<>> taken_;
};

/// before(a, b)after at this indentation; over several lines where one is too short.
std::string call(int indent, const std::string& before, const std::vector<std::string>& arguments,
                 const std::string& after = "");

/// A text's lines, each indented; empty ones stay empty.
std::string indented(int indent, std::string_view text);

/// Replaces every `from` in `text`.
std::string replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace highwater::stack::python
