#pragma once

#include <string>
#include <string_view>

namespace highwater::base {

/// Text for a cell of a Markdown table or for a paragraph: on one line, with the characters escaped that
/// Markdown would interpret.
std::string markdownText(std::string_view text);

}  // namespace highwater::base
