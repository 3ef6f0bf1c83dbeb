#include "core/scan/reader/text/text_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace highwater::scan::reader {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

template <class T>
std::optional<T> parseAs(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    T value{};
    return base::readNumber(text, value) ? std::optional(value) : std::nullopt;
}

template <class T>
base::Result<std::vector<T>> parseList(std::string_view field, std::string_view text, std::size_t count,
                                       std::string_view what) {
    std::vector<T> values;
    for (const std::string& word : wordsOf(text)) {
        if (const auto value = parseAs<T>(word)) {
            values.push_back(*value);
        } else {
            values.clear();
            break;
        }
    }
    if (values.size() != count) {
        return base::Error{fmt::format("damaged: {} is \"{}\", it must be {} {}", field,
                                       base::oneLine(text, 60), count, what)};
    }
    return values;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    return base::trimmed(text, kBlanks);
}

std::optional<std::string_view> nextLine(std::string_view& text) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
        const bool quoted = text.starts_with('"');
        const auto end = quoted ? text.find('"', 1) : text.find_first_of(kBlanks);
        words.emplace_back(
            text.substr(quoted ? 1 : 0, end == std::string_view::npos || !quoted ? end : end - 1));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + (quoted ? 1 : 0));
    }
    return words;
}

std::optional<double> parseNumber(std::string_view text) {
    return parseAs<double>(text);
}

std::optional<std::int64_t> parseWhole(std::string_view text) {
    return parseAs<std::int64_t>(text);
}

base::Result<std::vector<double>> parseNumbers(std::string_view field, std::string_view text,
                                               std::size_t count) {
    return parseList<double>(field, text, count, "numbers");
}

base::Result<std::vector<std::int64_t>> parseWholes(std::string_view field, std::string_view text,
                                                    std::size_t count) {
    return parseList<std::int64_t>(field, text, count, "whole numbers");
}

base::Result<std::string> dataFilePath(const std::string& header, std::string_view name) {
    const bool absolute = name.starts_with('/');
    bool upwards = false;
    for (std::string_view rest = name; !rest.empty();) {
        const auto slash = std::min(rest.find('/'), rest.size());
        upwards = upwards || rest.substr(0, slash) == "..";
        rest.remove_prefix(std::min(slash + 1, rest.size()));
    }
    if (absolute || upwards) {
        return base::Error{
            fmt::format("it refers to voxels in {}: only a file in the header's folder or below is read; put "
                        "both in one folder and give the file's name only",
                        base::oneLine(name, 120))};
    }
    if (name.empty() || name.find('\0') != std::string_view::npos) {
        return base::Error{"damaged: the name of its data file is empty"};
    }
    const auto slash = header.find_last_of('/');
    return (slash == std::string::npos ? std::string() : header.substr(0, slash + 1)) + std::string(name);
}

}  // namespace highwater::scan::reader
