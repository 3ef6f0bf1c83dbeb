#pragma once

#include <string>
#include <string_view>

namespace highwater::report {

/// The text as UTF-8 that can be shown: control characters other than tab and newline, and bytes that are not
/// UTF-8, become U+FFFD.
std::string wellFormed(std::string_view text);
/// Escapes the well-formed text for HTML, inside an element or a quoted attribute: & < > " ' are escaped.
std::string escape(std::string_view text);
/// Bytes as base64 (RFC 4648), with padding.
std::string base64(std::string_view bytes);
/// One field of RFC 4180 CSV: quoted if it contains a comma, a quote or a line break.
std::string csvField(std::string_view text);

}  // namespace highwater::report
