#include "core/runs/find_run.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/text.h"

namespace highwater::runs {

namespace {

std::optional<int> asNumber(std::string_view text) {
    int number = 0;
    return base::readNumber(text, number) && number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

base::Result<RunSummary> findRun(const std::vector<RunSummary>& rows, std::string_view word,
                                 const std::filesystem::path& store) {
    if (const auto number = asNumber(word)) {
        for (const RunSummary& row : rows) {
            if (row.number == *number) {
                return row;
            }
        }
    }
    std::vector<const RunSummary*> matches;
    for (const RunSummary& row : rows) {
        if (row.id == word) {
            return row;
        }
        if (!word.empty() && row.id.starts_with(word)) {
            matches.push_back(&row);
        }
    }
    if (matches.size() == 1) {
        return *matches.front();
    }
    const std::string shown = base::oneLine(word, 60);
    if (matches.empty()) {
        return base::Error{
            fmt::format("no run \"{}\" in {}; see `highwater-cli runs list`", shown, store.string())};
    }
    return base::Error{fmt::format("\"{}\" fits {} runs, such as {} and {}; give more of the id", shown,
                                   matches.size(), matches[0]->id, matches[1]->id)};
}

}  // namespace highwater::runs
