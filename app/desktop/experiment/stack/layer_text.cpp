#include "app/desktop/experiment/stack/layer_words.h"

#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/stack/json/json.h"

namespace highwater::desktop {

QString layersToText(const Layers& layers) {
    stack::Experiment carrier;
    carrier.input = stack::SyntheticInput{};
    carrier.stack = layers;
    const auto json = stack::toJson(carrier);
    return QString::fromStdString(json.at("stack").dump(2));
}

base::Result<Layers> layersFromText(const QString& text) {
    constexpr auto kName = "clipboard";
    auto json = base::parseJson(text.toStdString(), kName);
    if (!json) {
        return base::Error{"the clipboard holds no layers; copy layers or their JSON first"};
    }
    if (json->is_object() && json->contains("stack")) {
        auto experiment = HIGHWATER_TRY(stack::experimentFromJson(*json, kName));
        return std::move(experiment.stack);
    }
    base::Json list = json->is_array() ? *json : base::Json::array({*json});
    stack::Experiment plain;
    plain.input = stack::SyntheticInput{};
    base::Json carrier = stack::toJson(plain);
    carrier["stack"] = std::move(list);
    auto experiment = HIGHWATER_TRY(stack::experimentFromJson(carrier, kName));
    return std::move(experiment.stack);
}

}  // namespace highwater::desktop
