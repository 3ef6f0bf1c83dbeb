#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_reader.h"
#include "core/study/claim.h"

/// Conditions and sentences of a claim's file. Private to core/study.
namespace highwater::study {

/// What they may name: experiments with their layers, those that are not valid, those that `fits` chooses.
struct Names {
    std::map<std::string, std::set<std::string>> layers;
    std::set<std::string> refused;
    std::set<std::string> chosen;
};

/// One comparison, or a list of 1 to 32. `common`: the quantity of those that name none.
std::vector<Condition> readConditions(base::JsonReader& parent, std::string_view key, const Quantity& common);
/// Text, or a list of texts and {"given": [...], "say": "..."}; none where the key is absent.
std::vector<Sentence> readSentences(base::JsonReader& parent, std::string_view key, const Quantity& common);

/// Whether all they name is there. Error: what is not.
base::Status checkConditions(const std::vector<Condition>& conditions, const Names& names);
base::Status checkSentence(const Sentence& sentence, const Names& names);

/// A place of a sentence.
struct Place {
    std::string left, right;  ///< experiments
    char operation = 0;       ///< '/', '-', '%', or 0: left alone
    Quantity quantity;
    bool reason = false;  ///< why left is refused, instead of a quantity
};
base::Result<Place> parsePlace(std::string_view text);  ///< what stands between the braces

}  // namespace highwater::study
