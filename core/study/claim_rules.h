#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/study/claim.h"

/// Reads conditions and sentences of a claim's file. Private to core/study.
namespace highwater::study {

/// The names that they may use: experiments with their layers, refused experiments, and those of `fits`.
struct Names {
    std::map<std::string, std::set<std::string>> layers;
    std::set<std::string> refused;
    std::set<std::string> chosen;
};

/// Reads one comparison or a list of 1 to 32. `common` is the quantity of a comparison that names none.
std::vector<Condition> readConditions(base::JsonReader& parent, std::string_view key, const Quantity& common);
/// Reads a text, or a list of texts and {"given": [...], "say": "..."}. Empty if the key is absent.
std::vector<Sentence> readSentences(base::JsonReader& parent, std::string_view key, const Quantity& common);

/// Error if a name does not exist.
base::Status checkConditions(const std::vector<Condition>& conditions, const Names& names);
base::Status checkSentence(const Sentence& sentence, const Names& names);

/// A placeholder of a sentence.
struct Place {
    std::string left, right;  ///< names of experiments
    char operation = 0;       ///< '/', '-', '%', or 0 for only left
    Quantity quantity;
    bool reason = false;  ///< true: the reason why left is refused, instead of a quantity
};
base::Result<Place> parsePlace(std::string_view text);  ///< `text` is what is between the braces

}  // namespace highwater::study
