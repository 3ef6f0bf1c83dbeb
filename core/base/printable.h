#pragma once

#include <string>
#include <string_view>

/// Makes text from others safe to print: names, messages, paths.
namespace highwater::base {

enum class LineBreaks { Keep, Replace };

/// Valid UTF-8 without control sequences for a terminal. Control characters become spaces, including line
/// breaks unless they are kept. Bytes that are not UTF-8, and those of U+0080 to U+009F, of line separators
/// and of characters that override the direction of text, become U+FFFD.
std::string printable(std::string_view text, LineBreaks lineBreaks = LineBreaks::Keep);
/// Whether printable() would leave the text unchanged, on one line.
bool isOneLine(std::string_view text);
/// JSON text with the same value, in which characters that a terminal would interpret are escaped (\u009b).
/// Line breaks stay.
std::string printableJson(std::string_view json);

/// One field of RFC 4180 CSV: quoted if it contains a comma, a quote or a line break. A spreadsheet would
/// evaluate text that begins with =, +, -, @, a tab or a line break, so such text gets an apostrophe in
/// front, unless it is a number.
std::string csvField(std::string_view text);

}  // namespace highwater::base
