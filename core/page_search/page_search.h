#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace highwater::page_search {

/// Full-text search in Markdown pages: whole words with English stemming, the last word as a prefix too,
/// ranked by BM25 (SQLite's FTS5). Words count most in a page's title and its description, then in headings,
/// and least in tables.
class PageSearch {
public:
    PageSearch();
    ~PageSearch();

    struct Page {
        std::string file;          ///< names the page in results
        std::string title, about;  ///< what the contents say of it
        double weight = 1;         ///< below 1: ranked after other pages that fit as well
    };
    void add(const Page& page, std::string_view markdown);

    struct Found {
        std::string file;
        std::string heading;  ///< of the section that fits best; empty for the beginning of the page
    };
    /// The pages with all of the words in one section, or with the words as a phrase, best first; if there
    /// are none, those with some of the words. Articles, prepositions and the like are ignored unless there
    /// is nothing else. Empty if `words` has no letters or digits.
    std::vector<Found> search(std::string_view words) const;

private:
    struct Index;
    std::unique_ptr<Index> index_;
};

}  // namespace highwater::page_search
