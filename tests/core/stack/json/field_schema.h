#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/stack/experiment.h"
#include "core/stack/fields.h"

/// The parts of resources/schema/experiment.json that are derived from the lists of fields.
namespace highwater::stack::testing {

using SchemaJson = nlohmann::ordered_json;

inline SchemaJson integerSchema(std::int64_t low, std::int64_t high) {
    return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
}
inline SchemaJson numberSchema(double low, double high) {
    const auto plain = [](double value) {
        return value == static_cast<double>(static_cast<std::int64_t>(value))
                   ? SchemaJson(static_cast<std::int64_t>(value))
                   : SchemaJson(value);
    };
    return {{"type", "number"}, {"minimum", plain(low)}, {"maximum", plain(high)}};
}
inline SchemaJson textSchema() {
    return {{"type", "string"}, {"maxLength", kLongestText}};
}
/// One of `item`, or a list of up to `most`.
inline SchemaJson oneOrMoreSchema(const SchemaJson& item, std::size_t most) {
    return {{"anyOf", {item, {{"type", "array"}, {"items", item}, {"minItems", 1}, {"maxItems", most}}}}};
}
inline SchemaJson refSchema(const std::string& name) {
    return {{"$ref", "#/$defs/" + name}};
}
template <class T>
SchemaJson oneOrList(const std::vector<T>& values) {
    return values.size() == 1 ? SchemaJson(values.front()) : SchemaJson(values);
}

/// A visitor of fields (core/layers/about.h, core/stack/fields.h) that writes their schema.
template <class T>
class FieldSchema {
public:
    static constexpr bool everyKind = false;
    explicit FieldSchema(const T& usual) : usual_(usual) {}

    template <class N>
    void integer(const char* key, N T::* member, Range range, const char* help) {
        add(key, integerSchema(range.low, range.high), help, usual_.*member);
    }
    void needed(const char* key, std::int64_t T::*, Range range, const char* help) {
        add(key, integerSchema(range.low, range.high), help);
        required.push_back(key);
    }
    void dims(const char* key, int T::*, const char* help) { add(key, integerSchema(1, 3), help); }
    void number(const char* key, double T::* member, double low, double high, const char* help) {
        add(key, numberSchema(low, high), help, usual_.*member);
    }
    void toggle(const char* key, bool T::* member, const char* help) {
        add(key, {{"type", "boolean"}}, help, usual_.*member);
    }
    void text(const char* key, std::string T::* member, const char* help, const char*) {
        add(key, textSchema(), help, usual_.*member);
    }
    void output(const char* key, std::string T::* member, const char* help) { text(key, member, help, ""); }
    void outputs(const char* key, std::vector<std::string> T::*, std::size_t fewest, std::size_t most,
                 const char* help) {
        SchemaJson schema = most == 1 ? SchemaJson{{"anyOf", {refSchema("earlier")}}}
                                      : oneOrMoreSchema(refSchema("earlier"), most);
        schema["anyOf"].push_back({{"const", ""}, {"description", "The layer is yet to be chosen."}});
        add(key, std::move(schema), help);
        if (fewest > 0) {
            required.push_back(key);
        }
    }
    template <class E>
    void choice(const char* key, E T::* member, std::span<const std::string_view> words, const char* help) {
        add(key, {{"enum", words}}, help, wordOf(words, usual_.*member));
    }
    void sizes(const char* key, Sizes T::* member, const SizesRange& range, const char* help) {
        SchemaJson schema = oneOrMoreSchema(integerSchema(range.low, range.high), range.most);
        const Sizes& usual = usual_.*member;
        usual.empty() ? add(key, std::move(schema), help)
                      : add(key, std::move(schema), help, oneOrList(usual));
    }
    void padding(const char* key, Padding T::* member, const char* help) {
        add(key, {{"anyOf", {{{"const", "same"}}, oneOrMoreSchema(integerSchema(0, kMostExtent), 3)}}}, help,
            oneOrList((usual_.*member).sizes));
    }
    void factors(const char* key, std::vector<double> T::* member, Sizes T::*, const char* help) {
        const SchemaJson factor = {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", kMostScale}};
        add(key, oneOrMoreSchema(factor, 3), help, oneOrList(usual_.*member));
        instead = {{"required", {key, "size"}}};
    }
    void betas(const char* key, const char* help) {
        const SchemaJson beta = {{"type", "number"}, {"minimum", 0}, {"exclusiveMaximum", 1}};
        add(key, {{"type", "array"}, {"items", beta}, {"minItems", 2}, {"maxItems", 2}}, help,
            SchemaJson{usual_.beta1, usual_.beta2});
    }
    void checkpointing(const char* key, const char* help) {
        const auto object = [](const char* name, const SchemaJson& value) {
            return SchemaJson{{"type", "object"},
                              {"properties", {{name, value}}},
                              {"required", SchemaJson::array({name})},
                              {"additionalProperties", false}};
        };
        const std::span words(kCheckpointingNames);
        add(key,
            {{"anyOf",
              {{{"enum", words.first(3)}},
               object("segments", integerSchema(1, kMostLayers)),
               object("plan", refSchema("plan"))}}},
            help, kCheckpointingNames[0]);
    }
    void seed(const char* key, std::uint64_t T::* member, const char* help) {
        SchemaJson schema = {{"type", "integer"}, {"minimum", 0}};
        schema["maximum"] = std::numeric_limits<std::uint64_t>::max();
        add(key, std::move(schema), help, usual_.*member);
    }
    void bytes(const char* key, std::optional<base::Bytes> T::*, const char* help) {
        add(key, integerSchema(0, std::numeric_limits<std::int64_t>::max()), help);
    }
    void augmentations(const char* key, std::vector<Augmentation> T::*, const char* help) {
        add(key, {{"type", "array"}, {"items", refSchema("augmentation")}, {"maxItems", 100}}, help);
    }
    void layers(const char* key, std::vector<Layer> T::*) {
        properties[key] = {{"type", "array"}, {"items", refSchema("layer")}, {"maxItems", kMostLayers}};
        required.push_back(key);
    }
    void onlyIf(bool (*)(const T&)) {}

    SchemaJson properties = SchemaJson::object();
    SchemaJson required = SchemaJson::array();
    SchemaJson instead;  ///< what cannot be combined

    /// The whole object, including `type` if it has one.
    SchemaJson object(const SchemaJson& type = {}, bool hasId = false) const {
        SchemaJson made = {{"type", "object"}, {"properties", SchemaJson::object()}};
        SchemaJson needed = SchemaJson::array();
        if (!type.is_null()) {
            made["properties"]["type"] = type;
            needed.push_back("type");
        }
        if (hasId) {
            made["properties"]["id"] = textSchema();
            made["properties"]["id"]["default"] = "";
            made["properties"]["id"]["description"] = "Names the output, so that a later merge can use it";
        }
        made["properties"].update(properties);
        needed.insert(needed.end(), required.begin(), required.end());
        if (!needed.empty()) {
            made["required"] = needed;
        }
        made["additionalProperties"] = false;
        if (!instead.is_null()) {
            made["not"] = instead;
        }
        return made;
    }

private:
    void add(const char* key, SchemaJson schema, const char* help) {
        schema["description"] = help;
        properties[key] = std::move(schema);
    }
    template <class D>
    void add(const char* key, SchemaJson schema, const char* help, const D& usual) {
        schema["default"] = usual;
        add(key, std::move(schema), help);
    }
    const T& usual_;
};

template <class T>
SchemaJson partSchema(const T& usual, const SchemaJson& type = {}) {
    FieldSchema<T> visitor(usual);
    fields(visitor, usual);
    return visitor.object(type);
}

inline SchemaJson layerSchema(std::string_view type) {
    const Op usual = *makeOp(type);
    return std::visit(
        [&]<class T>(const T& value) {
            FieldSchema<T> visitor(value);
            About<T>::fields(visitor, value);
            return visitor.object({{"const", type}}, true);
        },
        usual);
}

/// The schema with the parts derived from the fields updated.
inline SchemaJson experimentSchema(SchemaJson schema) {
    SchemaJson kept = SchemaJson::object(), layers = SchemaJson::array();
    SchemaJson& defs = schema["$defs"];
    for (const char* const name : {"plan", "earlier", "scanSource", "path", "input", "target"}) {
        kept[name] = defs[name];  // written by hand
    }
    for (const std::string_view type : typeNames()) {
        layers.push_back(refSchema(std::string(type)));
    }
    defs = std::move(kept);
    defs["layer"] = {{"anyOf", layers}};
    for (const std::string_view type : typeNames()) {
        defs[std::string(type)] = layerSchema(type);
    }
    defs["optimizer"]["anyOf"] = SchemaJson::array();
    for (std::size_t kind = 0; kind < kOptimizerNames.size(); ++kind) {
        defs["optimizer"]["anyOf"].push_back(partSchema(makeOptimizer(static_cast<Optimizer::Kind>(kind)),
                                                        {{"const", kOptimizerNames[kind]}}));
    }
    defs["step"] = partSchema(Step());
    defs["windows"] = partSchema(Windows());
    defs["augmentation"] = partSchema(Augmentation(), {{"enum", kAugmentationNames}});
    defs["data"] = partSchema(Data());
    defs["backend"] = partSchema(Backend());
    defs["left_out"] = partSchema(LeftOut());
    schema["properties"]["loss"] = {{"enum", kLossNames}, {"default", kLossNames[0]}};
    return schema;
}

}  // namespace highwater::stack::testing
