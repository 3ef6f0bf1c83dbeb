#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_file.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/predict/tables/calibration.h"

/// Common parts of the tables' text formats: a JSON header line, then one row per line, words separated by
/// one space. Private to core/predict.
namespace highwater::predict::table_text {

inline constexpr std::size_t kMostRows = 200000;
inline constexpr base::Bytes kMostBytes = base::Bytes{1} << 52;
inline constexpr double kMostMicroseconds = 1e12;

/// Removes the next word from a line and returns it.
inline std::string_view takeWord(std::string_view& line) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
}

/// Whether the text may be the name of a profile's file.
inline bool isProfileId(std::string_view id) {
    return !id.empty() && id.size() <= 40 &&
           id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

/// Removes a row's time from the line. Returns false if it is not a valid time.
inline bool takeMicroseconds(std::string_view& line, double& microseconds) {
    return base::readNumber(takeWord(line), microseconds) && microseconds >= 0 &&
           microseconds <= kMostMicroseconds;
}

/// Reads the header line's fields with `fields(way)`.
template <class Fields>
base::Status readHead(std::string_view line, std::string_view name, Fields fields) {
    const auto json = HIGHWATER_TRY(base::parseJson(line, name));
    base::JsonReader reader(json, "");
    base::JsonFileIn way(reader);
    fields(way);
    const base::Status status = reader.finish();
    return status ? status : base::Error{fmt::format("{}: line 1: {}", name, status.error().message)};
}

/// Shares of the roofs by family, each as [low, expected, high].
template <class Way>
void efficiencies(Way& way, std::string_view key,
                  base::Exchanged<Way, std::map<std::string, Efficiency>>& families) {
    std::map<std::string, std::array<double, 3>> shares;
    if constexpr (!Way::kReads) {
        for (const auto& [family, share] : families) {
            shares[family] = {share.low, share.expected, share.high};
        }
    }
    way(key, shares, base::Real{0, 1});
    if constexpr (Way::kReads) {
        for (const auto& [family, share] : shares) {
            families[family] = {share[0], share[1], share[2]};
            way.check(std::ranges::is_sorted(share), fmt::format("{}/{}", key, family),
                      "must be three ascending numbers from 0 to 1");
        }
    }
}

/// Parses a table. `parseHeader(line, name)` returns the table. `readRow(line, table)` adds a row and returns
/// an error message, or an empty text. Errors name the line.
template <class Header, class Row>
auto parse(std::string_view text, std::string_view name, Header parseHeader, Row readRow) {
    std::size_t end = std::min(text.find('\n'), text.size());
    auto table = parseHeader(text.substr(0, end), name);
    for (std::size_t number = 2; table && end < text.size(); ++number) {
        const std::size_t begin = end + 1;
        end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        if (line.empty()) {
            continue;
        }
        const std::string wrong =
            table->size() == kMostRows ? fmt::format("more than {} rows", kMostRows) : readRow(line, *table);
        if (!wrong.empty()) {
            return decltype(table)(base::Error{fmt::format("{}: line {}: {}", name, number, wrong)});
        }
    }
    return table;
}

/// Writes the header of those fields, then the rows sorted by name, so equal tables give equal text.
/// `writeRow(text, name, row)` adds a line.
template <class Fields, class Rows, class Write>
std::string write(Fields fields, const Rows& rows, Write writeRow) {
    base::Json head = base::Json::object();
    base::JsonOut way(head);
    fields(way);
    std::string text = base::jsonText(head) + "\n";
    std::vector<const typename Rows::value_type*> sorted;
    for (const auto& row : rows) {
        sorted.push_back(&row);
    }
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    for (const auto* row : sorted) {
        writeRow(text, row->first, row->second);
    }
    return text;
}

}  // namespace highwater::predict::table_text
