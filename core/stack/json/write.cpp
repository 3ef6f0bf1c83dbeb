#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/stack/fields.h"
#include "core/stack/json/editable.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

using Json = nlohmann::ordered_json;

Json layersJson(const std::vector<Layer>& layers);

template <class T>
Json oneOrList(const std::vector<T>& values) {
    return values.size() == 1 ? Json(values.front()) : Json(values);
}

Json partsOf(const std::vector<PlanPart>& plan) {
    Json parts = Json::array();
    for (const PlanPart& each : plan) {
        Json part = {each.first, each.last};
        if (each.offload) {
            part.push_back("offload");
        } else if (!each.inner.empty()) {
            part.push_back(partsOf(each.inner));
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

/// A visitor of fields (core/layers/about.h, core/stack/fields.h) that writes the fields that differ from the
/// defaults.
template <class T>
class FieldWriter {
public:
    static constexpr bool everyKind = false;

    FieldWriter(Json& object, const T& value, const T& usual)
        : object_(object), value_(value), usual_(usual) {}

    template <class N>
    void integer(std::string_view key, N T::* member, Range, const char*) {
        put(key, member);
    }
    void needed(std::string_view key, std::int64_t T::* member, Range, const char*) {
        set(key, value_.*member);
    }
    void dims(std::string_view key, int T::* member, const char*) { put(key, member); }
    void number(std::string_view key, double T::* member, double, double, const char*) { put(key, member); }
    void toggle(std::string_view key, bool T::* member, const char*) { put(key, member); }
    void text(std::string_view key, std::string T::* member, const char*, const char*) { put(key, member); }
    void output(std::string_view key, std::string T::* member, const char*) { put(key, member); }
    void outputs(std::string_view key, std::vector<std::string> T::* member, std::size_t fewest, std::size_t,
                 const char*) {
        const std::vector<std::string>& ids = value_.*member;
        if (fewest > 0 || !ids.empty()) {
            set(key, ids.empty() ? Json("") : oneOrList(ids));
        }
    }
    template <class E>
    void choice(std::string_view key, E T::* member, std::span<const std::string_view> words, const char*) {
        if (value_.*member != usual_.*member) {
            set(key, wordOf(words, value_.*member));
        }
    }
    void sizes(std::string_view key, Sizes T::* member, const SizesRange& range, const char*) {
        if (range.shown || value_.*member != usual_.*member) {
            set(key, oneOrList(value_.*member));
        }
    }
    void padding(std::string_view key, Padding T::* member, const char*) {
        const Padding& value = value_.*member;
        if (value.same) {
            set(key, "same");
        } else if (value != usual_.*member) {
            set(key, oneOrList(value.sizes));
        }
    }
    void factors(std::string_view key, std::vector<double> T::* member, Sizes T::* instead, const char*) {
        if ((value_.*instead).empty() && value_.*member != usual_.*member) {
            set(key, oneOrList(value_.*member));
        }
    }
    void betas(std::string_view key, const char*) {
        if (value_.beta1 != usual_.beta1 || value_.beta2 != usual_.beta2) {
            set(key, Json{value_.beta1, value_.beta2});
        }
    }
    void checkpointing(std::string_view key, const char*) {
        const Checkpointing& value = value_.checkpoint;
        if (value.kind == Checkpointing::Kind::Segments) {
            set(key, Json{{"segments", value.segments}});
        } else if (value.kind == Checkpointing::Kind::Plan) {
            set(key, Json{{"plan", partsOf(value.plan)}});
        } else if (value.kind != usual_.checkpoint.kind) {
            set(key, wordOf(kCheckpointingNames, value.kind));
        }
    }
    void seed(std::string_view key, std::uint64_t T::* member, const char*) { put(key, member); }
    void bytes(std::string_view key, std::optional<base::Bytes> T::* member, const char*) {
        if (value_.*member) {
            set(key, *(value_.*member));
        }
    }
    void augmentations(std::string_view key, std::vector<Augmentation> T::* member, const char*) {
        Json list = Json::array();
        for (const Augmentation& a : value_.*member) {
            Json item{{"type", wordOf(kAugmentationNames, a.kind)}};
            const Augmentation usual;
            FieldWriter<Augmentation> inner(item, a, usual);
            fields(inner, a);
            list.push_back(std::move(item));
        }
        if (!list.empty()) {
            set(key, std::move(list));
        }
    }
    void layers(std::string_view key, std::vector<Layer> T::* member) {
        set(key, layersJson(value_.*member));
    }
    void onlyIf(bool (*)(const T&)) {}

private:
    template <class V>
    void set(std::string_view key, V&& value) {
        object_[std::string(key)] = std::forward<V>(value);
    }
    void put(std::string_view key, auto T::* member) {
        if (value_.*member != usual_.*member) {
            set(key, value_.*member);
        }
    }
    Json& object_;
    const T& value_;
    const T& usual_;
};

Json layersJson(const std::vector<Layer>& layers) {
    Json list = Json::array();
    for (const Layer& layer : layers) {
        Json item;
        const std::string_view type = typeName(layer.op);
        item["type"] = type;
        if (!layer.id.empty()) {
            item["id"] = layer.id;
        }
        const Op defaults = *makeOp(type);
        std::visit(
            [&]<class T>(const T& value) {
                FieldWriter<T> visitor(item, value, std::get<T>(defaults));
                About<T>::fields(visitor, value);
            },
            layer.op);
        list.push_back(std::move(item));
    }
    return list;
}

Json normalizeJson(const Normalize& normalize) {
    switch (normalize.kind) {
        case Normalize::Kind::None:
            return "none";
        case Normalize::Kind::Minmax:
            return "minmax";
        case Normalize::Kind::Window:
            return {{"window", {normalize.low, normalize.high}}};
        case Normalize::Kind::Zscore:
            break;
    }
    return "zscore";
}

Json inputJson(const SyntheticInput& input) {
    return {{"synthetic", input.shape}};
}

Json sourceJson(const ScanSource& source) {
    if (source == ScanSource{source.path, {}, 0}) {
        return source.path;
    }
    Json json{{"path", source.path}};
    if (!source.series.empty()) {
        json["series"] = source.series;
    }
    if (source.volume != 0) {
        json["volume"] = source.volume;
    }
    return json;
}

Json inputJson(const ScanInput& input) {
    Json json;
    if (!input.cohort.empty()) {
        json["cohort"] = input.cohort;
        if (input.channels != 1) {
            json["channels"] = input.channels;
        }
    } else {
        std::vector<Json> sources;
        for (const ScanSource& source : input.scans) {
            sources.push_back(sourceJson(source));
        }
        json["scan"] = oneOrList(sources);
    }
    json["patch"] = oneOrList(input.patch);
    if (input.normalize != Normalize{}) {
        json["normalize"] = normalizeJson(input.normalize);
    }
    if (input.sampling == ScanInput::Sampling::Foreground) {
        json["sampling"] = "foreground";
    }
    return json;
}

Json targetJson(const Experiment& e) {
    const Target& target = e.target;
    switch (target.kind) {
        case Target::Kind::Threshold:
            return {{"threshold", target.threshold}};
        case Target::Kind::Labels:
            return target.labels.empty() && isCohort(e) ? Json("labels") : Json{{"labels", target.labels}};
        case Target::Kind::Classes:
            return {{"classes", target.classes}};
        case Target::Kind::Input:
            break;
    }
    return "input";
}

Json optimizerJson(const Optimizer& optimizer) {
    Json json{{"type", wordOf(kOptimizerNames, optimizer.kind)}};
    const Optimizer usual = makeOptimizer(optimizer.kind);
    FieldWriter<Optimizer> visitor(json, optimizer, usual);
    fields(visitor, optimizer);
    return json;
}

template <class T>
void putPlain(Json& json, const char* key, const T& value) {
    Json inner = Json::object();
    const T usual;
    FieldWriter<T> visitor(inner, value, usual);
    fields(visitor, value);
    if (!inner.empty()) {
        json[key] = std::move(inner);
    }
}

}  // namespace

Json toJson(const Experiment& e) {
    Json json;
    json["schema"] = "highwater.experiment/1";
    if (!e.name.empty()) {
        json["name"] = e.name;
    }
    json["input"] = std::visit([](const auto& input) { return inputJson(input); }, e.input);
    if (e.target.kind != Target::Kind::Input) {
        json["target"] = targetJson(e);
    }
    if (e.loss != Loss::Mse) {
        json["loss"] = lossName(e.loss);
    }
    json["stack"] = layersJson(e.stack);
    if (e.optimizer != Optimizer{}) {
        json["optimizer"] = optimizerJson(e.optimizer);
    }
    putPlain(json, "step", e.step);
    if (e.windows) {
        putPlain(json, "windows", *e.windows);
    }
    putPlain(json, "data", e.data);
    putPlain(json, "backend", e.backend);
    putPlain(json, "left_out", e.leftOut);
    return json;
}

Json toEditableJson(const Experiment& e) {
    Json json = toJson(e);
    json["optimizer"] = optimizerJson(e.optimizer);
    return json;
}

std::string toText(const Experiment& experiment) {
    return base::jsonText(toJson(experiment), 2) + "\n";
}

}  // namespace highwater::stack
