#include "core/study/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/stack/shapes.h"
#include "core/study/claim_experiments.h"
#include "core/study/claim_rules.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Json;
using base::JsonReader;

constexpr std::size_t kLongestText = 4096, kMostValues = 32;
constexpr Bytes kLargestFile = base::kMiB;
constexpr std::array<std::string_view, 4> kVerdictKeys = {"holds", "does_not_hold", "depends",
                                                          "not_testable_here"};

std::string shortText(JsonReader& reader, std::string_view key, const std::optional<std::string>& fallback) {
    const std::string text = reader.text(key, fallback);
    if (!reader.failed() && text.empty() && !fallback)
        reader.fail(key, "must not be empty");
    if (text.size() > kLongestText)
        reader.fail(key, fmt::format("is {} bytes long; at most {} are read", text.size(), kLongestText));
    return text;
}

void readIdentity(JsonReader& reader, Claim& claim) {
    if (const std::string schema = reader.text("schema"); !reader.failed() && schema != "highwater.claim/1")
        reader.fail("schema", "must be \"highwater.claim/1\"");
    claim.id = shortText(reader, "id", {});
    // A file's name in the store.
    static const std::regex ids("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
    if (!reader.failed() && !std::regex_match(claim.id, ids))
        reader.fail("id", "must be letters, digits and _ . - up to 64, such as \"S2.memory\"");
    claim.row = shortText(reader, "row", {});
    claim.statement = shortText(reader, "statement", {});
    claim.about = shortText(reader, "about", "");
}

void readTrial(JsonReader& parent, Claim& claim) {
    claim.steps = static_cast<int>(parent.integer("steps", 1, 100000, claim.steps));
    const Json* given = parent.raw("trial");
    if (!given)
        return;
    TrialOptions& trial = claim.trial;
    JsonReader reader(*given, parent.pointer("trial"));
    trial.repeatsLeast = static_cast<int>(reader.integer("repeats_least", 1, 1000, trial.repeatsLeast));
    trial.repeatsMost = static_cast<int>(
        reader.integer("repeats_most", 1, 1000, std::max(trial.repeatsMost, trial.repeatsLeast)));
    if (trial.repeatsMost < trial.repeatsLeast)
        reader.fail("repeats_most", "must be at least repeats_least");
    trial.tolerance = reader.number("tolerance", 0, 1, trial.tolerance);
    trial.interleave = reader.boolean("interleave", trial.interleave);
    trial.timeLimit = reader.number("time_limit_ms", 0, 1e9, trial.timeLimit);
    if (const auto status = reader.finish(); !status)
        parent.failAt(status.error().message);
}

void readNeeds(JsonReader& reader, Claim& claim) {
    if (reader.has("needs")) {
        const std::size_t which = reader.choice("needs", {"cuda", "cpu"});
        (which == 0 ? claim.needsCuda : claim.needsCpu) = true;
    }
    claim.needsBecause = shortText(reader, "needs_because", "");
    if (reader.has("expected"))
        claim.expected = static_cast<Verdict>(
            reader.choice("expected", {"holds", "does_not_hold", "depends", "not_testable_here"}));
}

/// Puts the drafts that are valid into `claim`, the others into its refused ones, as far as a condition says
/// that they are refused.
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
        if (!meant)
            reader.failAt(fmt::format("/experiments/{}", subject.error().message));
        const std::string& message = subject.error().message;
        claim.refused[draft.name] = message.substr(std::min(draft.name.size() + 2, message.size()));
    }
    if (!reader.failed() && claim.experiments.empty())
        reader.fail("experiments", "none of them is valid; at least one must run");
}

/// "values": a list of 1 to 32 at a path, each set in `drafts`; returns the experiments with each.
std::vector<std::vector<Subject>> readVariants(JsonReader& reader, const std::vector<Draft>& drafts) {
    std::vector<std::vector<Subject>> variants;
    const std::string path = reader.text("path");
    const Json* values = reader.raw("values");
    if (!values || !values->is_array() || values->empty() || values->size() > kMostValues) {
        reader.fail("values", fmt::format("must be a list of 1 to {} values", kMostValues));
        return variants;
    }
    for (std::size_t i = 0; i < values->size() && !reader.failed(); ++i) {
        variants.emplace_back();
        for (Draft draft : drafts) {
            if (const auto set = setAt(draft.json, path, (*values)[i]); !set)
                return reader.fail("path", fmt::format("{}: {}", draft.name, set.error().message)), variants;
            auto subject = subjectOf(draft);
            if (!subject)
                return reader.fail(fmt::format("values/{}", i), subject.error().message), variants;
            variants.back().push_back(std::move(*subject));
        }
    }
    return variants;
}

std::string labelOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The names in "experiments" of an `along`; all valid ones where it has none.
std::set<std::string> variedNames(JsonReader& reader, const Claim& claim) {
    std::set<std::string> names, valid;
    for (const Subject& subject : claim.experiments)
        valid.insert(subject.name);
    const Json* given = reader.raw("experiments");
    if (!given)
        return valid;
    for (const Json& name : given->is_array() ? *given : Json::array({nullptr}))
        if (name.is_string() && valid.contains(name.get<std::string>()))
            names.insert(name.get<std::string>());
        else
            reader.fail("experiments", "must be a list of names of valid experiments");
    return names;
}

void readLabels(JsonReader& reader, Claim::Along& along) {
    for (const Json& value : *reader.raw("values")) {
        along.values.push_back(value.dump());
        along.labels.push_back(labelOf(value));
    }
    const Json* given = reader.raw("labels");
    if (!given)
        return;
    const bool good = given->is_array() && given->size() == along.values.size() &&
                      std::all_of(given->begin(), given->end(), [](const Json& label) {
                          return label.is_string() && !label.get_ref<const std::string&>().empty() &&
                                 label.get_ref<const std::string&>().size() <= 100;
                      });
    if (!good)
        return reader.fail("labels", "must be a list of texts, one a value");
    along.labels = given->get<std::vector<std::string>>();
}

void readAlong(JsonReader& parent, const std::vector<Draft>& drafts, Claim& claim) {
    JsonReader reader(*parent.raw("along"), parent.pointer("along"));
    Claim::Along along;
    along.words = shortText(reader, "words", {});
    along.path = reader.text("path");
    along.anyIsEnough = reader.boolean("any_is_enough", false);
    const std::set<std::string> names = variedNames(reader, claim);
    std::vector<Draft> varied;
    std::copy_if(drafts.begin(), drafts.end(), std::back_inserter(varied),
                 [&](const Draft& draft) { return names.contains(draft.name); });
    auto variants = readVariants(reader, varied);
    if (!reader.failed())
        readLabels(reader, along);
    for (auto& made : variants) {
        along.variants.push_back(claim.experiments);
        for (Subject& subject : along.variants.back())
            for (Subject& changed : made)
                if (changed.name == subject.name)
                    subject = changed;
    }
    if (const auto status = reader.finish(); !status)
        parent.failAt(status.error().message);
    claim.along = std::move(along);
}

void readFit(JsonReader& reader, const std::vector<Draft>& drafts, Claim& claim) {
    Claim::Fit fit;
    fit.experiment = reader.text("experiment");
    fit.words = shortText(reader, "words", {});
    const auto draft =
        std::find_if(drafts.begin(), drafts.end(), [&](const Draft& d) { return d.name == fit.experiment; });
    if (draft == drafts.end() || claim.refused.contains(fit.experiment))
        return reader.fail("experiment", "must name a valid experiment");
    const auto variants = readVariants(reader, {*draft});
    if (reader.failed())
        return;
    for (const Json& value : *reader.raw("values")) {
        if (!value.is_number() || (!fit.values.empty() && value.get<double>() <= fit.values.back()))
            return reader.fail("values", "must be ascending numbers");
        fit.values.push_back(value.get<double>());
    }
    for (const auto& one : variants)
        fit.subjects.push_back(one.front());
    claim.fits.push_back(std::move(fit));
}

void readFits(JsonReader& parent, const std::vector<Draft>& drafts, Claim& claim) {
    const Json& given = *parent.raw("fits");
    if (parent.has("along"))
        return parent.fail("fits", "cannot stand beside along");
    if (!given.is_array() || given.empty() || given.size() > kMostValues)
        return parent.fail("fits", fmt::format("must be a list of 1 to {}", kMostValues));
    for (std::size_t i = 0; i < given.size() && !parent.failed(); ++i) {
        JsonReader reader(given[i], fmt::format("{}/{}", parent.pointer("fits"), i));
        if (!reader.failed())
            readFit(reader, drafts, claim);
        if (const auto status = reader.finish(); !status)
            parent.failAt(status.error().message);
    }
}

Names namesOf(const Claim& claim) {
    Names names;
    for (const Subject& subject : claim.experiments) {
        auto& layers = names.layers[subject.name];
        if (const auto info = stack::inferShapes(subject.experiment))
            for (const stack::LayerInfo& layer : info->layers)
                layers.insert(layer.name);
    }
    for (const auto& [name, why] : claim.refused)
        names.refused.insert(name);
    for (const Claim::Fit& fit : claim.fits)
        names.chosen.insert(fit.experiment);
    return names;
}

void checkNames(JsonReader& reader, const Claim& claim) {
    const Names names = namesOf(claim);
    if (const auto status = checkConditions(claim.conditions, names); !status)
        reader.fail("rule", status.error().message);
    const auto check = [&](std::string_view key, const std::vector<Sentence>& sentences) {
        for (const Sentence& sentence : sentences)
            if (const auto status = checkSentence(sentence, names); !status)
                reader.fail(key, status.error().message);
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
    if (!quantity)
        reader.fail("quantity", quantity.error().message);
    const Quantity common = quantity ? *quantity : Quantity{};
    const auto drafts = readDrafts(reader, folder);
    claim.conditions = readConditions(reader, "rule", common);
    claim.holdsBecause = readSentences(reader, "holds_because", common);
    claim.failsBecause = readSentences(reader, "fails_because", common);
    claim.dependsBecause = readSentences(reader, "depends_because", common);
    readNeeds(reader, claim);
    readTrial(reader, claim);
    if (!reader.failed())
        takeExperiments(reader, drafts, claim);
    if (!reader.failed() && reader.has("fits"))
        readFits(reader, drafts, claim);
    if (!reader.failed() && reader.has("along"))
        readAlong(reader, drafts, claim);
    reader.raw("along"), reader.raw("fits");  // known keys, whatever came before
    if (!reader.failed())
        checkNames(reader, claim);
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

std::optional<Verdict> verdictFromKey(std::string_view key) {
    const auto found = std::find(kVerdictKeys.begin(), kVerdictKeys.end(), key);
    if (found == kVerdictKeys.end())
        return {};
    return static_cast<Verdict>(found - kVerdictKeys.begin());
}

base::Result<Claim> parseClaim(std::string_view text, std::string_view name,
                               const std::filesystem::path& folder) {
    const auto json = base::parseJson(text, name);
    if (!json)
        return json.error();
    JsonReader reader(*json, "");
    Claim claim;
    if (!reader.failed())
        claim = readClaim(reader, folder);
    if (const auto status = reader.finish(); !status)
        return Error{fmt::format("{}: {}", name, status.error().message)};
    return claim;
}

base::Result<std::vector<Claim>> loadClaims(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    const fs::path from = folder.empty() ? base::resourcesFolder() / "claims" : folder;
    std::error_code bad;
    std::vector<Claim> claims;
    for (fs::directory_iterator entry(from, bad), end; !bad && entry != end; entry.increment(bad)) {
        if (entry->path().extension() != ".json")
            continue;
        const auto text = base::readFile(entry->path(), kLargestFile);
        if (!text)
            return text.error();
        auto claim = parseClaim(*text, entry->path().string(), from);
        if (!claim)
            return claim.error();
        claims.push_back(std::move(*claim));
    }
    if (bad)
        return Error{fmt::format("{}: {}", from.string(), bad.message())};
    std::sort(claims.begin(), claims.end(), before);
    std::set<std::string> ids;
    for (const Claim& claim : claims)
        if (!ids.insert(claim.id).second)
            return Error{fmt::format("{}: two claims have the id \"{}\"", from.string(), claim.id)};
    return claims;
}

}  // namespace highwater::study
