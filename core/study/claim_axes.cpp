#include "core/study/claim_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace highwater::study {

namespace {

using base::Json;
using base::JsonReader;

constexpr std::size_t kLongestText = 4096, kMostValues = 32;

/// Reads "values", a list of 1 to 32, each of which is set at a path in `drafts`. Returns the experiments for
/// each value.
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
            if (const auto set = setAt(draft.json, path, (*values)[i]); !set) {
                return reader.fail("path", fmt::format("{}: {}", draft.name, set.error().message)), variants;
            }
            auto subject = subjectOf(draft);
            if (!subject) {
                return reader.fail(fmt::format("values/{}", i), subject.error().message), variants;
            }
            variants.back().push_back(std::move(*subject));
        }
    }
    return variants;
}

std::string labelOf(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The names in an along's "experiments"; all valid experiments if it has none.
std::set<std::string> variedNames(JsonReader& reader, const Claim& claim) {
    std::set<std::string> names, valid;
    for (const Subject& subject : claim.experiments) {
        valid.insert(subject.name);
    }
    const Json* given = reader.raw("experiments");
    if (!given) {
        return valid;
    }
    for (const Json& name : given->is_array() ? *given : Json::array({nullptr})) {
        if (name.is_string() && valid.contains(name.get<std::string>())) {
            names.insert(name.get<std::string>());
        } else {
            reader.fail("experiments", "must be a list of names of valid experiments");
        }
    }
    return names;
}

void readLabels(JsonReader& reader, Claim::Along& along) {
    for (const Json& value : *reader.raw("values")) {
        along.values.push_back(value.dump());
        along.labels.push_back(labelOf(value));
    }
    const Json* given = reader.raw("labels");
    if (!given) {
        return;
    }
    const bool good = given->is_array() && given->size() == along.values.size() &&
                      std::all_of(given->begin(), given->end(), [](const Json& label) {
                          return label.is_string() && !label.get_ref<const std::string&>().empty() &&
                                 label.get_ref<const std::string&>().size() <= 100;
                      });
    if (!good) {
        return reader.fail("labels", "must be a list of texts, one a value");
    }
    along.labels = given->get<std::vector<std::string>>();
}

void readFit(JsonReader& reader, const std::vector<Draft>& drafts, Claim& claim) {
    Claim::Fit fit;
    fit.experiment = reader.text("experiment");
    fit.words = shortText(reader, "words", {});
    const auto draft =
        std::find_if(drafts.begin(), drafts.end(), [&](const Draft& d) { return d.name == fit.experiment; });
    if (draft == drafts.end() || claim.refused.contains(fit.experiment)) {
        return reader.fail("experiment", "must name a valid experiment");
    }
    const auto variants = readVariants(reader, {*draft});
    if (reader.failed()) {
        return;
    }
    for (const Json& value : *reader.raw("values")) {
        if (!value.is_number() || (!fit.values.empty() && value.get<double>() <= fit.values.back())) {
            return reader.fail("values", "must be ascending numbers");
        }
        fit.values.push_back(value.get<double>());
    }
    for (const auto& one : variants) {
        fit.subjects.push_back(one.front());
    }
    claim.fits.push_back(std::move(fit));
}

}  // namespace

std::string shortText(JsonReader& reader, std::string_view key, const std::optional<std::string>& fallback) {
    const std::string text = reader.text(key, fallback);
    if (!reader.failed() && text.empty() && !fallback) {
        reader.fail(key, "must not be empty");
    }
    if (text.size() > kLongestText) {
        reader.fail(key, fmt::format("is {} bytes long; at most {} are read", text.size(), kLongestText));
    }
    return text;
}

void readAlong(JsonReader& parent, const std::vector<Draft>& drafts, Claim& claim) {
    Claim::Along& along = claim.along.emplace();
    parent.object("along", [&](JsonReader& reader) {
        along.words = shortText(reader, "words", {});
        along.path = reader.text("path");
        along.anyIsEnough = reader.boolean("any_is_enough", false);
        const std::set<std::string> names = variedNames(reader, claim);
        std::vector<Draft> varied;
        std::copy_if(drafts.begin(), drafts.end(), std::back_inserter(varied),
                     [&](const Draft& draft) { return names.contains(draft.name); });
        auto variants = readVariants(reader, varied);
        if (!reader.failed()) {
            readLabels(reader, along);
        }
        for (auto& made : variants) {
            along.variants.push_back(claim.experiments);
            for (Subject& subject : along.variants.back()) {
                for (Subject& changed : made) {
                    if (changed.name == subject.name) {
                        subject = changed;
                    }
                }
            }
        }
    });
}

void readFits(JsonReader& parent, const std::vector<Draft>& drafts, Claim& claim) {
    if (parent.has("along")) {
        return parent.fail("fits", "cannot be combined with along");
    }
    parent.objects("fits", kMostValues, [&](JsonReader& reader) { readFit(reader, drafts, claim); });
    if (!parent.failed() && claim.fits.empty()) {
        parent.fail("fits", fmt::format("must be a list of 1 to {}", kMostValues));
    }
}

}  // namespace highwater::study
