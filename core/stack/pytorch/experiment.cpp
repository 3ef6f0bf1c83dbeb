#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

using base::Json;

/// Cross-entropy of an output that is a map of classes, mse of one that is like the input, otherwise the
/// mean.
std::string usualLoss(const Network& network) {
    const auto sizes = [](const Shape& shape) {
        return shape.size() < 2 ? Shape() : Shape(shape.begin() + 2, shape.end());
    };
    if (network.output.size() < 2 || sizes(network.input) != sizes(network.output)) {
        return "mean";
    }
    if (network.output[1] >= 2) {
        return "cross_entropy";
    }
    return network.input == network.output ? "mse" : "mean";
}

base::Status oneOf(std::string_view what, const std::string& value,
                   std::initializer_list<std::string_view> known) {
    if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) {
        return {};
    }
    return base::Error{
        fmt::format("{} \"{}\" is unknown; there are {}", what, value, fmt::join(known, ", "))};
}

base::Status check(const PytorchOptions& options) {
    for (const base::Status& status :
         {oneOf("loss", options.loss, {"mse", "cross_entropy", "dice", "dice_cross_entropy", "mean"}),
          oneOf("precision", options.precision, {"fp32", "tf32", "bf16", "fp16", "bf16_true", "fp16_true"}),
          oneOf("optimizer", options.optimizer, {"sgd", "adam", "adamw"})}) {
        if (!status) {
            return status;
        }
    }
    return {};
}

/// That of a network whose parameters have this type.
std::string usualPrecision(std::int64_t dtype) {
    return dtype == kBfloat16 ? "bf16_true" : dtype == kHalf ? "fp16_true" : "fp32";
}

/// With a space behind what divides.
std::string line(const Json& value) {
    std::string text;
    if (value.is_object() && !value.empty()) {
        for (auto at = value.begin(); at != value.end(); ++at) {
            text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", Json(at.key()).dump(), line(*at));
        }
        return "{" + text + "}";
    }
    if (value.is_array() && !value.empty()) {
        for (const Json& item : value) {
            text += (text.empty() ? "" : ", ") + line(item);
        }
        return "[" + text + "]";
    }
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string stackText(const Json& layers, std::size_t indent);

std::string layerText(const Json& layer, std::size_t indent) {
    if (layer["type"] != "block") {
        return line(layer);
    }
    Json head = layer;
    head.erase("layers");
    std::string text = line(head);
    text.pop_back();
    return text + ", \"layers\": " + stackText(layer["layers"], indent) + "}";
}

std::string stackText(const Json& layers, std::size_t indent) {
    std::string text;
    for (const Json& layer : layers) {
        text += text.empty() ? "" : ",\n";
        text += std::string(indent + 2, ' ') + layerText(layer, indent + 2);
    }
    return "[\n" + text + "\n" + std::string(indent, ' ') + "]";
}

}  // namespace

base::Result<Json> experimentOf(const Network& network, const PytorchOptions& options) {
    if (const auto status = check(options); !status) {
        return status.error();
    }
    if (network.input.size() < 3 || network.input.size() > 5) {
        return base::Error{
            fmt::format("the input has {} axes; give N, C and 1 to 3 sizes", network.input.size())};
    }
    const std::string loss = options.loss.empty() ? usualLoss(network) : options.loss;
    Json made{{"schema", "highwater.experiment/1"},
              {"name", options.name.empty() ? network.name : options.name},
              {"input", {{"synthetic", Shape(network.input.begin() + 1, network.input.end())}}}};
    if (loss == "cross_entropy" || loss == "dice" || loss == "dice_cross_entropy") {
        if (network.output.size() < 2) {
            return base::Error{fmt::format("the loss {} needs an output with channels", loss)};
        }
        made["target"] = Json{{"classes", network.output[1]}};
    }
    made["loss"] = loss;
    made["stack"] = network.stack;
    made["optimizer"] = Json{{"type", options.optimizer}, {"foreach", true}};
    // What a loop in PyTorch does: the output is a variable until backward has ended.
    made["step"] =
        Json{{"batch_size", network.input.front()},
             {"precision", options.precision.empty() ? usualPrecision(network.dtype) : options.precision},
             {"keep_output", true}};
    return made;
}

std::string experimentText(const Json& experiment) {
    std::string text;
    for (auto at = experiment.begin(); at != experiment.end(); ++at) {
        text += text.empty() ? "" : ",\n";
        text += fmt::format("  {}: {}", Json(at.key()).dump(),
                            at.key() == "stack" ? stackText(*at, 2) : line(*at));
    }
    return "{\n" + text + "\n}\n";
}

}  // namespace highwater::stack::pytorch
