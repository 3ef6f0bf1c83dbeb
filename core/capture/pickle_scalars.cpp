#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/capture/pickle_opcodes.h"
#include "core/capture/pickle_reader.h"

/// PickleReader's numbers, texts and memo entries.
namespace highwater::capture {

using namespace opcode;
using Kind = Value::Kind;

namespace {

constexpr std::size_t kMostLine = 32 * 1024;

void appendUtf8(std::string& out, std::uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (code & 0x3f));
    } else {
        out += static_cast<char>(0xf0 | code >> 18);
        out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
        out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (code & 0x3f));
    }
}

/// Decodes Python's raw-unicode-escape: Latin-1 with \uXXXX and \UXXXXXXXX.
std::string rawUnicode(std::string_view line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char next = i + 1 < line.size() ? line[i + 1] : '\0';
        const std::size_t digits = next == 'u' ? 4 : next == 'U' ? 8 : 0;
        std::uint32_t code = static_cast<unsigned char>(line[i]);
        if (line[i] == '\\' && digits != 0 && i + 1 + digits < line.size()) {
            const char* first = line.data() + i + 2;
            const auto [end, error] = std::from_chars(first, first + digits, code, 16);
            if (error == std::errc() && end == first + digits && code <= 0x10ffff) {
                i += 1 + digits;
            } else {
                code = '\\';
            }
        }
        appendUtf8(text, code);
    }
    return text;
}

/// Decodes Python 2's repr() of a string, with the escapes that occur in names and paths.
std::string unquoted(std::string_view line) {
    if (line.size() < 2 || (line.front() != '\'' && line.front() != '"') || line.back() != line.front()) {
        return std::string(line);
    }
    line = line.substr(1, line.size() - 2);
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\' && i + 1 < line.size()) {
            ++i;
        }
        text += line[i];
    }
    return text;
}

}  // namespace

PickleReader::Step PickleReader::number(std::uint8_t code) {
    switch (code) {
        case kBinInt1:
            return push(Value::integer(static_cast<std::int64_t>(little(1))));
        case kBinInt2:
            return push(Value::integer(static_cast<std::int64_t>(little(2))));
        case kBinInt:
            return push(Value::integer(static_cast<std::int32_t>(little(4))));
        case kNewTrue:
        case kNewFalse:
            return push({Kind::Boolean, code == kNewTrue});
        case kLong1:
            return longNumber(little(1));
        case kLong4: {
            const auto length = static_cast<std::int32_t>(little(4));
            return length < 0 ? failHere("a number has a negative length")
                              : longNumber(static_cast<std::uint64_t>(length));
        }
        default:
            return lineNumber(code);
    }
}

/// Reads an integer of `length` bytes: two's complement, lowest byte first.
PickleReader::Step PickleReader::longNumber(std::uint64_t length) {
    if (length > source_.left()) {
        return failHere("the pickle is truncated");
    }
    if (length > 9) {
        source_.skip(length);
        return push({Kind::Other, 0});
    }
    const auto bytes = static_cast<int>(std::min<std::uint64_t>(length, 8));
    std::uint64_t bits = little(bytes);
    if (length == 9) {
        return little(1) == 0 ? push(store_.unsignedInteger(bits)) : push({Kind::Other, 0});
    }
    if (bytes > 0 && bytes < 8 && bits >> (8 * bytes - 1) != 0) {
        bits |= ~std::uint64_t{0} << (8 * bytes);
    }
    return push(store_.integer(static_cast<std::int64_t>(bits)));
}

PickleReader::Step PickleReader::lineNumber(std::uint8_t code) {
    std::string_view digits;
    if (!line(digits)) {
        return Step::Fail;
    }
    if (code == kInt && (digits == "00" || digits == "01")) {
        return push({Kind::Boolean, digits == "01"});
    }
    if (code == kLong && !digits.empty() && digits.back() == 'L') {
        digits.remove_suffix(1);
    }
    std::int64_t value = 0;
    std::uint64_t large = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value);
    if (read.ptr != end || digits.empty()) {
        return failHere("a number is not valid");
    }
    if (read.ec == std::errc()) {
        return push(store_.integer(value));
    }
    const auto wide = std::from_chars(digits.data(), end, large);
    return push(wide.ec == std::errc() ? store_.unsignedInteger(large) : Value(Kind::Other, 0));
}

/// Reads up to the next line break, which is skipped.
bool PickleReader::line(std::string_view& text) {
    source_.fill(kMostLine);
    const auto* const last = std::min(source_.end, source_.at + kMostLine);
    const auto* const found = std::find(source_.at, last, std::uint8_t{'\n'});
    if (found == last) {
        failHere(last == source_.end ? "the pickle is truncated" : "a line is too long");
        return false;
    }
    text = {reinterpret_cast<const char*>(source_.at), static_cast<std::size_t>(found - source_.at)};
    source_.at = found + 1;
    return true;
}

PickleReader::Step PickleReader::text(std::uint8_t code) {
    switch (code) {
        case kShortBinUnicode:
        case kShortBinString:
            return longText(little(1), true);
        case kBinUnicode:
        case kBinString:
            return longText(little(4), true);
        case kBinUnicode8:
            return longText(little(8), true);
        case kShortBinBytes:
            return longText(little(1), false);
        case kBinBytes:
            return longText(little(4), false);
        case kBinBytes8:
        case kByteArray8:
            return longText(little(8), false);
        default:
            return lineText(code);
    }
}

PickleReader::Step PickleReader::longText(std::uint64_t length, bool isText) {
    if (length > source_.left()) {
        return failHere("the pickle is truncated");
    }
    const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(length, isText ? kMostText : 0));
    source_.fill(kept);
    if (static_cast<std::uint64_t>(source_.end - source_.at) < kept) {
        return failHere("the pickle is truncated");
    }
    const Value made =
        isText ? store_.text({reinterpret_cast<const char*>(source_.at), kept}) : Value(Kind::Other, 0);
    source_.skip(length);
    return push(made);
}

PickleReader::Step PickleReader::lineText(std::uint8_t code) {
    std::string_view raw;
    if (!line(raw)) {
        return Step::Fail;
    }
    const std::string text = code == kUnicode ? rawUnicode(raw) : unquoted(raw);
    return push(store_.text(std::string_view(text).substr(0, kMostText)));
}

PickleReader::Step PickleReader::memo(std::uint8_t code) {
    if (code == kBinPut) {
        return put(little(1));
    }
    if (code == kLongBinPut) {
        return put(little(4));
    }
    std::string_view digits;
    if (!line(digits)) {
        return Step::Fail;
    }
    std::uint64_t index = 0;
    if (!base::readNumber(digits, index)) {
        return failHere("a memo number is not valid");
    }
    return code == kGet ? get(index) : put(index);
}

}  // namespace highwater::capture
