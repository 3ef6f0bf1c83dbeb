#include "core/study/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "core/base/file.h"
#include "core/base/json_file.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/stack/shapes.h"
#include "core/study/claim_axes.h"
#include "core/study/claim_experiments.h"
#include "core/study/claim_rules.h"

namespace highwater::study {

namespace {

using base::Error;
using base::JsonReader;

constexpr Bytes kLargestFile = base::kMiB;

void readIdentity(JsonReader& reader, Claim& claim) {
    base::JsonFileIn(reader).format("schema", "highwater.claim/1");
    claim.id = shortText(reader, "id", {});
    // An id is also a file's name in the store.
    static const std::regex ids("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
    if (!reader.failed() && !std::regex_match(claim.id, ids)) {
        reader.fail("id", "must be letters, digits and _ . - up to 64, such as \"S2.memory\"");
    }
    claim.row = shortText(reader, "row", {});
    claim.statement = shortText(reader, "statement", {});
    claim.about = shortText(reader, "about", "");
}

void readTrial(JsonReader& parent, Claim& claim) {
    claim.steps = static_cast<int>(parent.integer("steps", 1, 100000, claim.steps));
    parent.objectIfAny("trial", [&](JsonReader& reader) {
        TrialOptions& trial = claim.trial;
        trial.repeatsLeast = static_cast<int>(reader.integer("repeats_least", 1, 1000, trial.repeatsLeast));
        trial.repeatsMost = static_cast<int>(
            reader.integer("repeats_most", 1, 1000, std::max(trial.repeatsMost, trial.repeatsLeast)));
        if (trial.repeatsMost < trial.repeatsLeast) {
            reader.fail("repeats_most", "must be at least repeats_least");
        }
        trial.tolerance = reader.number("tolerance", 0, 1, trial.tolerance);
        trial.interleave = reader.boolean("interleave", trial.interleave);
        trial.timeLimit = reader.number("time_limit_ms", 0, 1e9, trial.timeLimit);
    });
}

void readNeeds(JsonReader& reader, Claim& claim) {
    if (reader.has("needs")) {
        const std::size_t which = reader.choice("needs", {"cuda", "cpu"});
        (which == 0 ? claim.needsCuda : claim.needsCpu) = true;
    }
    claim.needsBecause = shortText(reader, "needs_because", "");
    if (reader.has("expected")) {
        claim.expected = static_cast<Verdict>(reader.choice("expected", kVerdictKeys));
    }
}

/// Adds the valid drafts to claim.experiments and the others to claim.refused. A draft that is not valid is
/// an error unless a condition expects it to be refused.
void takeExperiments(JsonReader& reader, const std::vector<Draft>& drafts, Claim& claim) {
    for (const Draft& draft : drafts) {
        auto subject = subjectOf(draft);
        if (subject) {
            claim.experiments.push_back(std::move(*subject));
            continue;
        }
        const bool meant =
            std::any_of(claim.conditions.begin(), claim.conditions.end(), [&](const Condition& c) {
                return c.compare == Condition::Compare::Refused && c.left == draft.name;
            });
        if (!meant) {
            reader.failAt(fmt::format("/experiments/{}", subject.error().message));
        }
        const std::string& message = subject.error().message;
        claim.refused[draft.name] = message.substr(std::min(draft.name.size() + 2, message.size()));
    }
    if (!reader.failed() && claim.experiments.empty()) {
        reader.fail("experiments", "none of them is valid; at least one must run");
    }
}

Names namesOf(const Claim& claim) {
    Names names;
    for (const Subject& subject : claim.experiments) {
        auto& layers = names.layers[subject.name];
        if (const auto info = stack::inferShapes(subject.experiment)) {
            for (const stack::LayerInfo& layer : info->layers) {
                layers.insert(layer.name);
            }
        }
    }
    for (const auto& [name, why] : claim.refused) {
        names.refused.insert(name);
    }
    for (const Claim::Fit& fit : claim.fits) {
        names.chosen.insert(fit.experiment);
    }
    return names;
}

void checkNames(JsonReader& reader, const Claim& claim) {
    const Names names = namesOf(claim);
    if (const auto status = checkConditions(claim.conditions, names); !status) {
        reader.fail("rule", status.error().message);
    }
    const auto check = [&](std::string_view key, const std::vector<Sentence>& sentences) {
        for (const Sentence& sentence : sentences) {
            if (const auto status = checkSentence(sentence, names); !status) {
                reader.fail(key, status.error().message);
            }
        }
    };
    check("holds_because", claim.holdsBecause);
    check("fails_because", claim.failsBecause);
    check("depends_because", claim.dependsBecause);
}

Claim readClaim(JsonReader& reader, const std::filesystem::path& folder) {
    Claim claim;
    readIdentity(reader, claim);
    const std::string quantityText = reader.text("quantity");
    const auto quantity = parseQuantity(quantityText);
    if (!quantity) {
        reader.fail("quantity", quantity.error().message);
    }
    const Quantity common = quantity ? *quantity : Quantity{};
    const auto drafts = readDrafts(reader, folder);
    claim.conditions = readConditions(reader, "rule", common);
    claim.holdsBecause = readSentences(reader, "holds_because", common);
    claim.failsBecause = readSentences(reader, "fails_because", common);
    claim.dependsBecause = readSentences(reader, "depends_because", common);
    readNeeds(reader, claim);
    readTrial(reader, claim);
    if (!reader.failed()) {
        takeExperiments(reader, drafts, claim);
    }
    if (!reader.failed() && reader.has("fits")) {
        readFits(reader, drafts, claim);
    }
    if (!reader.failed() && reader.has("along")) {
        readAlong(reader, drafts, claim);
    }
    reader.raw("along"), reader.raw("fits");  // marks these keys as known, also after an earlier error
    if (!reader.failed()) {
        checkNames(reader, claim);
    }
    return claim;
}

bool before(const Claim& a, const Claim& b) {
    const auto number = [](const std::string& row) {
        const std::size_t at = row.find_first_of("0123456789");
        return at == std::string::npos ? 0L : std::strtol(row.c_str() + at, nullptr, 10);
    };
    return std::tuple(number(a.row), a.row, a.id) < std::tuple(number(b.row), b.row, b.id);
}

}  // namespace

std::string_view verdictKey(Verdict verdict) {
    return kVerdictKeys[static_cast<std::size_t>(verdict)];
}

std::string_view verdictWords(Verdict verdict) {
    constexpr std::array<std::string_view, 4> words = {"holds", "does not hold", "depends",
                                                       "not testable here"};
    return words[static_cast<std::size_t>(verdict)];
}

base::Result<Claim> parseClaim(std::string_view text, std::string_view name,
                               const std::filesystem::path& folder) {
    const auto json = HIGHWATER_TRY(base::parseJson(text, name));
    JsonReader reader(json, "");
    Claim claim;
    if (!reader.failed()) {
        claim = readClaim(reader, folder);
    }
    HIGHWATER_TRY(base::prefixed(name, reader.finish()));
    return claim;
}

base::Result<std::vector<Claim>> loadClaims(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    const fs::path from = folder.empty() ? base::resourcesFolder() / "claims" : folder;
    std::error_code bad;
    std::vector<Claim> claims;
    for (fs::directory_iterator entry(from, bad), end; !bad && entry != end; entry.increment(bad)) {
        if (entry->path().extension() != ".json") {
            continue;
        }
        const auto text = HIGHWATER_TRY(base::readFile(entry->path(), kLargestFile));
        auto claim = HIGHWATER_TRY(parseClaim(text, entry->path().string(), from));
        claims.push_back(std::move(claim));
    }
    if (bad) {
        return Error{fmt::format("{}: {}", from.string(), bad.message())};
    }
    std::sort(claims.begin(), claims.end(), before);
    std::set<std::string> ids;
    for (const Claim& claim : claims) {
        if (!ids.insert(claim.id).second) {
            return Error{fmt::format("{}: two claims have the id \"{}\"", from.string(), claim.id)};
        }
    }
    return claims;
}

}  // namespace highwater::study
