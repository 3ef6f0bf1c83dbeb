#include "core/page_search/page_search.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

namespace highwater::page_search {

namespace {

/// BM25's weights of the columns: file and weight (not indexed), title, about, heading, text, table.
constexpr const char* kRank = "weight * bm25(sections, 0.0, 0.0, 20.0, 10.0, 15.0, 1.0, 0.1)";

constexpr std::array kShares{1.0, 0.2, 0.1};

constexpr std::array kIgnored{"a",   "an",   "and",  "are",   "can",   "do",  "does", "for", "from",
                              "how", "i",    "in",   "is",    "it",    "my",  "of",   "on",  "the",
                              "to",  "what", "when", "where", "which", "why", "with"};

bool isIgnored(const std::string& word) {
    return std::find(kIgnored.begin(), kIgnored.end(), word) != kIgnored.end();
}

/// Runs of letters and digits in lower case; everything that is not ASCII counts as a letter.
std::vector<std::string> wordsIn(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool letter = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c & 0x80) != 0;
        if (letter) {
            words.back() += upper ? static_cast<char>(c - 'A' + 'a') : c;
        } else if (!words.back().empty()) {
            words.emplace_back();
        }
    }
    if (words.back().empty()) {
        words.pop_back();
    }
    return words;
}

/// A query in FTS5's language: the words, each quoted, with `between` between them. The last word that was
/// typed may be unfinished.
std::string queryOf(const std::vector<std::string>& words, const std::string& last, const char* between) {
    std::string query;
    for (const std::string& word : words) {
        query += (query.empty() ? "" : between) + ("\"" + word + "\"") + (word == last ? "*" : "");
    }
    return query;
}

}  // namespace

struct PageSearch::Index {
    SQLite::Database database{":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};

    void add(const Page& page, const std::array<std::string, 5>& columns) {
        SQLite::Statement insert(database, "INSERT INTO sections VALUES (?, ?, ?, ?, ?, ?, ?)");
        insert.bind(1, page.file);
        insert.bind(2, page.weight);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            insert.bind(static_cast<int>(i) + 3, columns[i]);
        }
        insert.exec();
    }

    /// A page's rank is that of its best section, a fifth of the next one's and a tenth of the third's.
    std::vector<Found> find(const std::string& query) {
        struct Hit {
            Found found;
            double rank = 0;  // the lower the better
            int sections = 0;
        };
        SQLite::Statement rows(database, std::string("SELECT file, heading, ") + kRank +
                                             " AS rank FROM sections WHERE sections MATCH ? ORDER BY rank");
        rows.bind(1, query);
        std::vector<Hit> pages;
        std::map<std::string, std::size_t> places;
        while (rows.executeStep()) {
            const std::string file = rows.getColumn(0).getString();
            const auto [place, isNew] = places.try_emplace(file, pages.size());
            if (isNew) {
                pages.push_back({.found = {.file = file, .heading = rows.getColumn(1).getString()}});
            }
            Hit& page = pages[place->second];
            if (page.sections < static_cast<int>(kShares.size())) {
                page.rank += kShares[page.sections++] * rows.getColumn(2).getDouble();
            }
        }
        std::stable_sort(pages.begin(), pages.end(),
                         [](const Hit& a, const Hit& b) { return a.rank < b.rank; });
        std::vector<Found> found;
        for (Hit& page : pages) {
            found.push_back(std::move(page.found));
        }
        return found;
    }
};

PageSearch::PageSearch() : index_(std::make_unique<Index>()) {
    index_->database.exec(
        "CREATE VIRTUAL TABLE sections USING "
        "fts5(file UNINDEXED, weight UNINDEXED, title, about, heading, text, tables, tokenize = 'porter "
        "unicode61')");
}

PageSearch::~PageSearch() = default;

void PageSearch::add(const Page& page, std::string_view markdown) {
    std::array<std::string, 5> section{page.title, page.about};  // title, about, heading, text, tables
    bool isFirst = true;
    std::istringstream lines{std::string(markdown)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('#')) {
            (line.starts_with('|') ? section[4] : section[3]).append(line) += '\n';
        } else if (std::exchange(isFirst, false)) {
            continue;  // the page's own heading: its title in the contents
        } else {
            index_->add(page, section);
            section = {};
            section[2] = line.substr(std::min(line.find_first_not_of("# "), line.size()));
        }
    }
    index_->add(page, section);
}

std::vector<PageSearch::Found> PageSearch::search(std::string_view words) const {
    const std::vector<std::string> all = wordsIn(words);
    if (all.empty()) {
        return {};
    }
    std::vector<std::string> telling;
    std::remove_copy_if(all.begin(), all.end(), std::back_inserter(telling), isIgnored);
    if (telling.empty()) {
        telling = all;
    }
    std::string phrase;
    for (const std::string& word : all) {
        phrase += (phrase.empty() ? "" : " ") + word;
    }
    auto found = index_->find("(\"" + phrase + "\") OR (" + queryOf(telling, all.back(), " AND ") + ")");
    return found.empty() ? index_->find(queryOf(telling, all.back(), " OR ")) : found;
}

}  // namespace highwater::page_search
