#include <nlohmann/json.hpp>

#include "core/stack/json/fields.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

using Json = nlohmann::ordered_json;
using Words = std::initializer_list<std::string_view>;

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

/// A visitor of fields.h that writes what differs from the defaults.
class FieldWriter {
public:
    template <class T>
    using Value = const T;

    explicit FieldWriter(Json& object) : object_(object) {}

    template <class T>
    void integer(std::string_view key, T value, T fallback, std::int64_t, std::int64_t) {
        put(key, value, fallback);
    }
    void neededInteger(std::string_view key, std::int64_t value, std::int64_t, std::int64_t) {
        set(key, value);
    }
    void number(std::string_view key, double value, double fallback, double, double) {
        put(key, value, fallback);
    }
    void boolean(std::string_view key, bool value, bool fallback) { put(key, value, fallback); }
    void text(std::string_view key, const std::string& value, const std::string& fallback) {
        put(key, value, fallback);
    }
    void outputs(std::string_view key, const std::vector<std::string>& value, std::size_t) {
        set(key, value.empty() ? Json("") : oneOrList(value));
    }
    void optionalOutputs(std::string_view key, const std::vector<std::string>& value, std::size_t most) {
        if (!value.empty()) {
            outputs(key, value, most);
        }
    }
    template <class E>
    void choice(std::string_view key, E value, E fallback, Words words) {
        if (value != fallback) {
            set(key, words.begin()[static_cast<std::size_t>(value)]);
        }
    }
    void sizes(std::string_view key, const Sizes& value, const Sizes& fallback, std::int64_t, std::int64_t) {
        if (value != fallback) {
            set(key, oneOrList(value));
        }
    }
    void shownSizes(std::string_view key, const Sizes& value, const Sizes&, std::int64_t, std::int64_t) {
        set(key, oneOrList(value));
    }
    void longSizes(std::string_view key, const Sizes& value, const Sizes&, std::int64_t, std::int64_t) {
        set(key, oneOrList(value));
    }
    void padding(std::string_view key, const Padding& value, const Padding& fallback) {
        if (value.same) {
            set(key, "same");
        } else if (value != fallback) {
            set(key, oneOrList(value.sizes));
        }
    }
    void factors(std::string_view key, const Upsample& value, const Upsample& fallback) {
        if (value.size.empty() && value.scaleFactor != fallback.scaleFactor) {
            set(key, oneOrList(value.scaleFactor));
        }
    }
    void betas(std::string_view key, const Optimizer& value, const Optimizer& fallback) {
        if (value.beta1 != fallback.beta1 || value.beta2 != fallback.beta2) {
            set(key, Json{value.beta1, value.beta2});
        }
    }
    void checkpointing(std::string_view key, const Checkpointing& value, const Checkpointing& fallback) {
        if (value.kind == Checkpointing::Kind::Segments) {
            set(key, Json{{"segments", value.segments}});
        } else if (value.kind == Checkpointing::Kind::Plan) {
            set(key, Json{{"plan", partsOf(value.plan)}});
        } else {
            choice(key, value.kind, fallback.kind, {"blocks", "none", "sqrt"});
        }
    }
    void seed(std::string_view key, std::uint64_t value, std::uint64_t fallback) {
        put(key, value, fallback);
    }
    void optionalBytes(std::string_view key, const std::optional<base::Bytes>& value) {
        if (value) {
            set(key, *value);
        }
    }
    void augmentations(std::string_view key, const std::vector<Augmentation>& value) {
        Json list = Json::array();
        for (const Augmentation& a : value) {
            Json item;
            FieldWriter inner(item);
            constexpr std::string_view words[] = {"flip",  "rotate90", "rotate",     "scale",
                                                  "noise", "blur",     "brightness", "gamma"};
            inner.set("type", words[static_cast<std::size_t>(a.kind)]);
            fields(inner, a, Augmentation{});
            list.push_back(std::move(item));
        }
        if (!list.empty()) {
            set(key, std::move(list));
        }
    }
    void layers(std::string_view key, const std::vector<Layer>& value) { set(key, layersJson(value)); }

    template <class T>
    void set(std::string_view key, T&& value) {
        object_[std::string(key)] = std::forward<T>(value);
    }

private:
    template <class T>
    void put(std::string_view key, const T& value, const T& fallback) {
        if (value != fallback) {
            set(key, value);
        }
    }
    Json& object_;
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
        FieldWriter visitor(item);
        std::visit(
            [&](const auto& value) {
                fields(visitor, value, std::get<std::decay_t<decltype(value)>>(defaults));
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
    constexpr std::string_view words[] = {"sgd", "adam", "adamw"};
    Json json{{"type", words[static_cast<std::size_t>(optimizer.kind)]}};
    FieldWriter visitor(json);
    fields(visitor, optimizer, makeOptimizer(optimizer.kind));
    return json;
}

template <class T>
void putPlain(Json& json, const char* key, const T& value) {
    Json inner = Json::object();
    FieldWriter visitor(inner);
    fields(visitor, value, T{});
    if (!inner.empty()) {
        json[key] = std::move(inner);
    }
}

}  // namespace

Json toJson(const Experiment& e) {
    Json json;
    FieldWriter visitor(json);
    json["schema"] = "highwater.experiment/1";
    visitor.text("name", e.name, "");
    json["input"] = std::visit([](const auto& input) { return inputJson(input); }, e.input);
    if (e.target.kind != Target::Kind::Input) {
        json["target"] = targetJson(e);
    }
    visitor.choice("loss", e.loss, Loss::Mse,
                   {"mse", "cross_entropy", "dice", "dice_cross_entropy", "bce", "sigmoid_dice",
                    "sigmoid_dice_bce", "mean"});
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

std::string toText(const Experiment& experiment) {
    return toJson(experiment).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace highwater::stack
