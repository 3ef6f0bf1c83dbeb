#pragma once

#include <string>
#include <string_view>

/// What others have written, made safe to print: names, messages, paths.
namespace highwater::base {

enum class LineBreaks { Keep, Replace };

/// Valid UTF-8 that a terminal shows and does not obey. Control characters become spaces, line breaks too
/// unless they are kept. Bytes that are not UTF-8, and those of U+0080 to U+009F, of line separators and of
/// characters that override the direction of text, become U+FFFD.
std::string printable(std::string_view text, LineBreaks lineBreaks = LineBreaks::Keep);
/// Whether printable() would leave the text as it is, on one line.
bool isOneLine(std::string_view text);
/// JSON text that stays the same value: what a terminal would obey is escaped (\u009b). Line breaks stay.
std::string printableJson(std::string_view json);

/// One field of RFC 4180 CSV: quoted if it contains a comma, a quote or a line break. A spreadsheet would
/// compute text that begins with =, +, -, @, a tab or a line break, so that gets an apostrophe in front,
/// unless it is a number.
std::string csvField(std::string_view text);

}  // namespace highwater::base
