#include "core/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace highwater::base {

namespace {

/// The first character of a text.
struct Character {
    std::size_t length = 0;  ///< in bytes; 0: the text does not begin with well-formed UTF-8
    char32_t point = 0;
};

Character firstCharacter(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return {1, lead};
    }
    const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length == 0 || text.size() < length) {
        return {};
    }
    const unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < least || byte(1) > most) {
        return {};
    }
    char32_t point = lead & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) {
            return {};
        }
        point = point << 6 | (byte(i) & 0x3fU);
    }
    return {length, point};
}

/// Whether a terminal or a line of text would obey the character instead of showing it: control characters,
/// line separators, and overrides of the direction of text (Unicode's Bidi_Control without the plain marks).
bool isObeyed(char32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

/// The text with each byte that must not be shown replaced by what `other` returns for its character.
template <class Other>
std::string filtered(std::string_view text, const Other& other) {
    std::string all;
    all.reserve(text.size());
    while (!text.empty()) {
        const Character first = firstCharacter(text);
        const std::size_t length = std::max<std::size_t>(first.length, 1);
        if (first.length > 0 && !isObeyed(first.point)) {
            all += text.substr(0, length);
        } else {
            all += other(first);
        }
        text.remove_prefix(length);
    }
    return all;
}

/// U+FFFD for each byte, or a space for a control character of ASCII.
std::string replacement(const Character& c) {
    std::string text;
    for (std::size_t i = 0; i < std::max<std::size_t>(c.length, 1); ++i) {
        text += c.length == 1 ? " " : "\uFFFD";
    }
    return text;
}

}  // namespace

std::string printable(std::string_view text, LineBreaks lineBreaks) {
    return filtered(text, [&](const Character& c) {
        return lineBreaks == LineBreaks::Keep && c.point == '\n' ? std::string("\n") : replacement(c);
    });
}

bool isOneLine(std::string_view text) {
    return printable(text, LineBreaks::Replace) == text;
}

std::string printableJson(std::string_view json) {
    return filtered(json, [](const Character& c) {
        return c.length == 0     ? std::string("\uFFFD")
               : c.point == '\n' ? std::string("\n")
                                 : fmt::format("\\u{:04x}", static_cast<unsigned>(c.point));
    });
}

std::string csvField(std::string_view text) {
    double number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isNumber = code != std::errc::invalid_argument && end == text.data() + text.size();
    const bool isFormula = text.size() > 1 && !isNumber &&
                           std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
    std::string field = (isFormula ? "'" : "") + std::string(text);
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
        return field;
    }
    std::string quoted = "\"";
    for (const char c : field) {
        quoted.append(c == '"' ? 2 : 1, c);
    }
    return quoted + '"';
}

}  // namespace highwater::base
