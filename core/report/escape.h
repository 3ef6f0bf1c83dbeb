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

}  // namespace highwater::report
