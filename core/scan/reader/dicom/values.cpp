#include "core/scan/reader/dicom/values.h"

#include <bit>
#include <cmath>
#include <string_view>

#include "core/base/text.h"

namespace highwater::scan::reader::dicom {
namespace {

std::string_view characters(Bytes value) {
    return {reinterpret_cast<const char*>(value.data()), value.size()};
}

std::string_view trimmed(std::string_view text) {
    return base::trimmed(text, std::string_view(" \0\t\r\n", 5));
}

std::string fromLatin1(std::string_view text) {
    std::string out;
    for (const char letter : text) {
        const auto code = static_cast<unsigned char>(letter);
        if (code < 0x80) {
            out += letter;
        } else {
            out += static_cast<char>(0xC0 | code >> 6);
            out += static_cast<char>(0x80 | (code & 0x3F));
        }
    }
    return out;
}

double loadDouble(const std::byte* at, bool bigEndian) {
    const std::uint64_t first = load32(at, bigEndian), second = load32(at + 4, bigEndian);
    return std::bit_cast<double>(bigEndian ? first << 32 | second : second << 32 | first);
}

std::size_t bytesOf(std::string_view vr) {
    return vr == "US" || vr == "SS" ? 2 : vr == "FD" ? 8 : 4;
}

double loadNumber(const std::byte* at, std::string_view vr, bool bigEndian) {
    if (vr == "US") {
        return load16(at, bigEndian);
    }
    if (vr == "SS") {
        return static_cast<std::int16_t>(load16(at, bigEndian));
    }
    if (vr == "UL") {
        return load32(at, bigEndian);
    }
    if (vr == "SL") {
        return static_cast<std::int32_t>(load32(at, bigEndian));
    }
    return vr == "FL" ? static_cast<double>(std::bit_cast<float>(load32(at, bigEndian)))
                      : loadDouble(at, bigEndian);
}

}  // namespace

std::string textOf(Bytes value, bool latin1, std::size_t most) {
    const std::string_view text = trimmed(characters(value));
    return base::oneLine(latin1 ? fromLatin1(text) : std::string(text), most);
}

bool isLatin1(const DataSet& set) {
    constexpr Tag kCharacterSet = 0x00080005;
    const Element* charset = set.find(kCharacterSet);
    return charset && trimmed(characters(charset->value)) == "ISO_IR 100";
}

std::string textOf(const DataSet& set, Tag tag) {
    constexpr std::size_t kMost = 200;
    const Element* element = set.find(tag);
    return element ? textOf(element->value, isLatin1(set), kMost) : std::string();
}

std::vector<double> parseDecimals(std::string_view text) {
    std::vector<double> out;
    while (!text.empty()) {
        const auto end = std::min(text.find('\\'), text.size());
        std::string_view part = trimmed(text.substr(0, end));
        if (part.starts_with('+')) {
            part.remove_prefix(1);
        }
        double value = 0;
        if (!base::readNumber(part, value) || !std::isfinite(value)) {
            return {};
        }
        out.push_back(value);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::vector<double> numbersOf(const Element& element, std::string_view vr, bool bigEndian) {
    if (vr == "DS" || vr == "IS" || vr == "LO" || vr == "SH") {
        return parseDecimals(characters(element.value));
    }
    if (vr != "US" && vr != "SS" && vr != "UL" && vr != "SL" && vr != "FL" && vr != "FD") {
        return {};
    }
    std::vector<double> out;
    const std::size_t step = bytesOf(vr);
    for (std::size_t at = 0; at + step <= element.value.size(); at += step) {
        const double value = loadNumber(element.value.data() + at, vr, bigEndian);
        if (!std::isfinite(value)) {
            return {};
        }
        out.push_back(value);
    }
    return out;
}

std::vector<double> numbersOf(const DataSet& set, Tag tag, const char* implicitVr) {
    const Element* element = set.find(tag);
    if (!element || element->undefined) {
        return {};
    }
    std::string_view vr(element->vr.data(), 2);
    if (!set.encoding.explicitVr || vr == "UN") {
        vr = implicitVr;
    }
    return numbersOf(*element, vr, set.encoding.bigEndian);
}

std::optional<double> numberOf(const DataSet& set, Tag tag, const char* implicitVr) {
    const auto numbers = numbersOf(set, tag, implicitVr);
    return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

std::optional<std::int64_t> wholeOf(const DataSet& set, Tag tag, const char* implicitVr) {
    const auto number = numberOf(set, tag, implicitVr);
    constexpr double kMost = 9007199254740992;
    if (!number || std::abs(*number) > kMost || *number != std::floor(*number)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*number);
}

Tag privateTag(const DataSet& set, std::uint16_t group, const char* creator, std::uint8_t low) {
    for (const Element& element : set.elements) {
        const Tag number = element.tag & 0xFFFF;
        if (element.tag >> 16 == group && number >= 0x10 && number <= 0xFF &&
            trimmed(characters(element.value)) == creator) {
            return static_cast<Tag>(group) << 16 | number << 8 | low;
        }
    }
    return 0;
}

}  // namespace highwater::scan::reader::dicom
