#include "core/study/claim_rules.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace highwater::study {

namespace {

using base::Error;
using base::Json;
using base::JsonReader;
using Compare = Condition::Compare;

constexpr std::size_t kMostConditions = 32, kMostSentences = 32, kLongestSentence = 4096;

bool comparesValues(Compare compare) {
    return compare != Compare::OutOfMemory && compare != Compare::Done && compare != Compare::Refused;
}

Quantity readQuantity(JsonReader& reader, std::string_view key, const Quantity& otherwise) {
    if (!reader.has(key)) {
        return otherwise;
    }
    const std::string text = reader.text(key);
    if (reader.failed()) {
        return otherwise;
    }
    const auto quantity = parseQuantity(text);
    if (!quantity) {
        reader.fail(key, quantity.error().message);
    }
    return quantity ? *quantity : otherwise;
}

void readAgainst(JsonReader& rule, Condition& condition) {
    condition.right = rule.text("right", "");
    condition.factor = rule.number("factor", 1e-9, 1e9, 1.0);
    if (rule.has("number")) {
        condition.number = rule.number("number", -1e18, 1e18);
        if (!condition.right.empty()) {
            rule.fail("number", "cannot be combined with right; give one of them");
        }
    } else if (condition.right.empty()) {
        rule.fail("", "compares with nothing: give \"right\", an experiment, or \"number\"");
    }
    if (rule.has("right_quantity")) {
        condition.rightQuantity = readQuantity(rule, "right_quantity", condition.quantity);
    }
    condition.margin = rule.number("margin", 0, 1, 0.0);
}

Condition readCondition(JsonReader& rule, const Quantity& common) {
    Condition made;
    made.left = rule.text("left");
    made.compare = static_cast<Compare>(
        rule.choice("compare", {"less", "greater", "equal", "differs", "out_of_memory", "done", "refused"}));
    made.quantity = readQuantity(rule, "quantity", common);
    if (comparesValues(made.compare) && !rule.failed()) {
        readAgainst(rule, made);
    }
    return made;
}

base::Status checkLayer(const Quantity& quantity, const std::string& experiment, const Names& names) {
    const bool ofLayer = quantity.kind == Quantity::Kind::KeptActivations ||
                         quantity.kind == Quantity::Kind::OutputSize ||
                         quantity.kind == Quantity::Kind::OutputElements;
    const auto& layers = names.layers.at(experiment);
    if (ofLayer && !quantity.detail.empty() && !layers.contains(quantity.detail)) {
        return Error{fmt::format("\"{}\" names no layer of \"{}\"; there are {}", toText(quantity),
                                 experiment, fmt::join(layers, ", "))};
    }
    if (quantity.kind == Quantity::Kind::Chosen && !names.chosen.contains(experiment)) {
        return Error{
            fmt::format("\"chosen\" is of an experiment in \"fits\", which \"{}\" is not", experiment)};
    }
    return {};
}

base::Status checkValue(const Quantity& quantity, const std::string& experiment, const Names& names) {
    if (names.refused.contains(experiment)) {
        return Error{fmt::format("\"{}\" is not a valid experiment and cannot be measured", experiment)};
    }
    if (!names.layers.contains(experiment)) {
        return Error{fmt::format("there is no experiment \"{}\"", base::oneLine(experiment, 60))};
    }
    return checkLayer(quantity, experiment, names);
}

base::Status checkCondition(const Condition& c, const Names& names) {
    if (c.compare == Compare::Refused) {
        return names.refused.contains(c.left) || names.layers.contains(c.left)
                   ? base::Status()
                   : Error{fmt::format("there is no experiment \"{}\"", base::oneLine(c.left, 60))};
    }
    HIGHWATER_TRY(checkValue(c.quantity, c.left, names));
    return c.right.empty() ? base::Status()
                           : checkValue(c.rightQuantity.value_or(c.quantity), c.right, names);
}

base::Status checkPlace(const Place& place, const Names& names) {
    if (place.reason) {
        return names.refused.contains(place.left)
                   ? base::Status()
                   : Error{fmt::format("\"{}\" is a valid experiment; there is no reason why it is refused",
                                       place.left)};
    }
    HIGHWATER_TRY(checkValue(place.quantity, place.left, names));
    return place.operation == 0 ? base::Status() : checkValue(place.quantity, place.right, names);
}

}  // namespace

std::vector<Condition> readConditions(JsonReader& parent, std::string_view key, const Quantity& common) {
    std::vector<Condition> conditions;
    const Json* given = parent.raw(key);
    if (!given || (given->is_array() && (given->empty() || given->size() > kMostConditions)) ||
        (!given->is_array() && !given->is_object())) {
        parent.fail(key, fmt::format("must be a comparison or a list of 1 to {}", kMostConditions));
        return conditions;
    }
    const auto read = [&](JsonReader& rule) { conditions.push_back(readCondition(rule, common)); };
    given->is_object() ? parent.object(key, read) : parent.objects(key, kMostConditions, read);
    return conditions;
}

std::vector<Sentence> readSentences(JsonReader& parent, std::string_view key, const Quantity& common) {
    std::vector<Sentence> sentences;
    const Json* given = parent.raw(key);
    if (!given) {
        return sentences;
    }
    const Json list = given->is_array() ? *given : Json::array({*given});
    if (list.empty() || list.size() > kMostSentences) {
        parent.fail(key, fmt::format("must be text or a list of 1 to {} sentences", kMostSentences));
        return sentences;
    }
    for (std::size_t i = 0; i < list.size() && !parent.failed(); ++i) {
        const std::string at = fmt::format("{}/{}", key, i);
        Sentence made;
        if (list[i].is_string()) {
            made.text = list[i].get<std::string>();
        } else {
            parent.objectOf(list[i], at, [&](JsonReader& reader) {
                made.text = reader.text("say");
                if (reader.has("given")) {
                    made.given = readConditions(reader, "given", common);
                }
            });
        }
        if (made.text.empty() || made.text.size() > kLongestSentence) {
            parent.fail(at, fmt::format("must be text of 1 to {} bytes", kLongestSentence));
        }
        sentences.push_back(std::move(made));
    }
    return sentences;
}

base::Status checkConditions(const std::vector<Condition>& conditions, const Names& names) {
    for (const Condition& condition : conditions) {
        HIGHWATER_TRY(checkCondition(condition, names));
    }
    return {};
}

base::Result<Place> parsePlace(std::string_view text) {
    const auto wrong = [text] {
        return Error{
            fmt::format("{{{}}} is not a figure; write {{NAME|QUANTITY}}, {{A / B|QUANTITY}}, {{A - "
                        "B|QUANTITY}}, {{A % B|QUANTITY}} or {{NAME|reason}}",
                        base::oneLine(text, 80))};
    };
    const std::size_t bar = text.find('|');
    if (bar == std::string_view::npos) {
        return wrong();
    }
    Place place;
    place.left = text.substr(0, bar);
    for (const char operation : {'/', '-', '%'}) {
        if (const std::size_t at = place.left.find({' ', operation, ' '}); at != std::string::npos) {
            place.operation = operation;
            place.right = place.left.substr(at + 3);
            place.left.resize(at);
            break;
        }
    }
    const std::string_view quantity = text.substr(bar + 1);
    if (place.left.empty() || (place.operation != 0 && place.right.empty())) {
        return wrong();
    }
    if ((place.reason = quantity == "reason")) {
        return place.operation == 0 ? base::Result<Place>(place) : wrong();
    }
    place.quantity = HIGHWATER_TRY(parseQuantity(quantity));
    return place;
}

base::Status checkSentence(const Sentence& sentence, const Names& names) {
    HIGHWATER_TRY(checkConditions(sentence.given, names));
    const std::string_view text = sentence.text;
    for (std::size_t i = text.find_first_of("{}"); i != std::string_view::npos;
         i = text.find_first_of("{}", i + 1)) {
        const std::size_t end = text.find('}', i);
        if (text[i] == '}' || end == std::string_view::npos) {
            return Error{"a sentence has an unmatched brace"};
        }
        const auto place = HIGHWATER_TRY(parsePlace(text.substr(i + 1, end - i - 1)));
        HIGHWATER_TRY(checkPlace(place, names));
        i = end;
    }
    return {};
}

}  // namespace highwater::study
