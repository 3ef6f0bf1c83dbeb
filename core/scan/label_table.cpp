#include "core/scan/label_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <system_error>
#include <vector>

#include "core/base/file.h"
#include "core/base/file_kind.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/scan/scan_names.h"

namespace highwater::scan {
namespace {

using base::Error;
using base::Json;

constexpr base::Bytes kMostBytes = 4 * base::kMiB;
constexpr std::size_t kLongestName = 120;  // bytes
constexpr std::string_view kSpaces = " \t\r\v\f";

std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> out;
    for (std::size_t at = line.find_first_not_of(kSpaces); at != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
        out.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(kSpaces, end);
    }
    return out;
}

std::optional<std::int64_t> whole(std::string_view word) {
    std::int32_t value = 0;
    return base::readNumber(word, value) ? std::optional<std::int64_t>(value) : std::nullopt;
}

/// Parses red, green and blue from three words, 0 to 255.
std::optional<std::array<std::uint8_t, 3>> colorOf(std::span<const std::string_view> parts) {
    std::array<std::uint8_t, 3> out{};
    for (std::size_t n = 0; n < 3; ++n) {
        const auto part = whole(parts[n]);
        if (!part || *part < 0 || *part > 255) {
            return {};
        }
        out[n] = static_cast<std::uint8_t>(*part);
    }
    return out;
}

void add(LabelTable& table, std::int64_t value, std::string_view name,
         const std::optional<std::array<std::uint8_t, 3>>& color) {
    std::string line = base::oneLine(name, kLongestName);
    const std::size_t first = line.find_first_not_of(' '), last = line.find_last_not_of(' ');
    line = first == std::string::npos ? fmt::format("label {}", value) : line.substr(first, last - first + 1);
    table.try_emplace(value, LabelName{std::move(line), color});
}

/// `1 255 0 0 1 1 1 "Liver"`: the label, its color, opacity, two switches, its name.
bool addSnapLine(LabelTable& table, std::string_view line) {
    const std::size_t open = line.find('"'), close = line.rfind('"');
    const auto parts = words(line.substr(0, open));
    if (close == open || parts.size() != 7) {
        return false;
    }
    const auto value = whole(parts[0]);
    const auto color = colorOf(std::span(parts).subspan(1));
    if (!value || !color) {
        return false;
    }
    add(table, *value, line.substr(open + 1, close - open - 1), color);
    return true;
}

/// `1 Liver 221 130 101 0`: the label, its name, its color, and one more number.
bool addLookupLine(LabelTable& table, std::string_view line) {
    const auto parts = words(line);
    if (parts.size() < 6) {
        return false;
    }
    const std::size_t colors = parts.size() - 4;
    const auto value = whole(parts[0]);
    const auto color = colorOf(std::span(parts).subspan(colors));
    if (!value || !color || !whole(parts.back())) {
        return false;
    }
    const char* const end = parts[colors - 1].data() + parts[colors - 1].size();
    add(table, *value, {parts[1].data(), static_cast<std::size_t>(end - parts[1].data())}, color);
    return true;
}

std::optional<std::int64_t> labelOf(const Json& json) {
    if (json.is_array() && json.size() == 1) {
        return labelOf(json[0]);
    }
    if (!json.is_number_integer()) {
        return {};
    }
    const auto value = json.get<std::int64_t>();
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return value >= -kMost && value <= kMost ? std::optional(value) : std::nullopt;
}

base::Result<LabelTable> parseDataset(std::string_view text, std::string_view name) {
    const auto json = HIGHWATER_TRY(base::parseJson(text, name));
    const auto labels = json.is_object() ? json.find("labels") : json.end();
    if (labels == json.end() || !labels->is_object()) {
        return Error{fmt::format("{}: /labels: must be an object with a number for each name", name)};
    }
    LabelTable table;
    for (const auto& [key, entry] : labels->items()) {
        if (entry.is_string()) {
            if (const auto value = whole(key)) {
                add(table, *value, entry.get_ref<const std::string&>(), {});
            }
        } else if (const auto value = labelOf(entry)) {
            add(table, *value, key, {});
        }
    }
    if (table.empty()) {
        return Error{fmt::format("{}: /labels: names no single label", name)};
    }
    return table;
}

}  // namespace

base::Result<LabelTable> parseLabelTable(std::string_view text, std::string_view name) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin != std::string_view::npos && text[begin] == '{') {
        return parseDataset(text, name);
    }
    LabelTable table;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        const std::size_t at = line.find_first_not_of(kSpaces);
        if (at == std::string_view::npos || line[at] == '#') {
            continue;
        }
        const bool quoted = line.find('"') != std::string_view::npos;
        if (!(quoted ? addSnapLine(table, line) : addLookupLine(table, line))) {
            return Error{
                fmt::format("{}: line {}: names no label; a line is `1 Liver 221 130 101 0` "
                            "(FreeSurfer) or `1 221 130 101 1 1 1 \"Liver\"` (ITK-SNAP)",
                            name, number)};
        }
    }
    if (table.empty()) {
        return Error{fmt::format("{}: names no label", name)};
    }
    return table;
}

base::Result<LabelTable> readLabelTable(const std::filesystem::path& path) {
    const auto text = HIGHWATER_TRY(base::readFile(path, kMostBytes));
    const std::string name = base::oneLine(path.filename().string());
    auto table = parseLabelTable(text, name);
    if (const std::string what = table ? "" : base::whatItIs(text); !what.empty() && what != "is JSON") {
        return Error{fmt::format("{}: {}", name, base::wrongKind(what, "a table of labels"))};
    }
    return table;
}

std::filesystem::path labelTableBeside(const std::filesystem::path& labels) {
    const auto isFile = [](const std::filesystem::path& path) {
        std::error_code ignored;
        return std::filesystem::is_regular_file(path, ignored);
    };
    const std::filesystem::path folder = labels.parent_path();
    if (const auto stem = scanStem(labels.filename().string())) {
        for (const char* const suffix : {".txt", ".label", ".ctbl", ".lut"}) {
            if (auto path = folder / (*stem + suffix); isFile(path)) {
                return path;
            }
        }
    }
    for (const auto& place : {folder, folder.parent_path()}) {
        if (auto path = place / "dataset.json"; isFile(path)) {
            return path;
        }
    }
    return {};
}

}  // namespace highwater::scan
