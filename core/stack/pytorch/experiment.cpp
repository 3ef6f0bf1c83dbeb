#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/pytorch/network.h"

namespace highwater::stack::pytorch {

namespace {

using base::Json;

/// Cross-entropy for an output that is a map of classes, mse for one with the input's shape, otherwise the
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

base::Status oneOf(std::string_view what, const std::string& value, std::span<const std::string_view> known) {
    if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) {
        return {};
    }
    return base::Error{
        fmt::format("{} \"{}\" is unknown; there are {}", what, value, fmt::join(known, ", "))};
}

base::Result<Json> inputOf(const Network& network, const PytorchOptions& options) {
    if (network.input.size() < 3 || network.input.size() > 5) {
        return base::Error{fmt::format(
            "the input has {} axes; give N, C and 1 to 3 sizes, such as 2,1,96,96,96", network.input.size())};
    }
    const Shape sizes(network.input.begin() + 2, network.input.end());
    if (options.scans.empty()) {
        return Json{{"synthetic", Shape(network.input.begin() + 1, network.input.end())}};
    }
    const auto channels = static_cast<std::size_t>(network.input[1]);
    if (options.scans.size() != channels || sizes.size() != 3) {
        return base::Error{
            fmt::format("scan: {} scans do not fit an input of {} channels and {} sizes; give one scan a "
                        "channel, and three sizes",
                        options.scans.size(), channels, sizes.size())};
    }
    return Json{{"scan", channels == 1 ? Json(options.scans.front()) : Json(options.scans)},
                {"patch", sizes}};
}

/// Whether the predicate holds for the loss with this name, which must be known.
bool lossSays(std::string_view loss, bool (*says)(Loss)) {
    const auto* const found = std::find(kLossNames.begin(), kLossNames.end(), loss);
    return says(static_cast<Loss>(found - kLossNames.begin()));
}

/// Empty if the loss needs none.
base::Result<Json> targetOf(const Network& network, const std::string& loss, const PytorchOptions& options) {
    const bool ofClasses = lossSays(loss, wantsClasses), binary = lossSays(loss, comparesProbabilities);
    const std::int64_t channels = network.output.size() < 2 ? 0 : network.output[1];
    if (!options.labels.empty() && options.scans.empty()) {
        return base::Error{"labels: a labels file needs a scan as input; give classes for a synthetic one"};
    }
    if (options.classes != 0 && options.classes != (binary ? 2 : channels)) {
        if (binary) {
            return base::Error{
                fmt::format("classes: the loss {} has 2 classes, not {}", loss, options.classes)};
        }
        return base::Error{fmt::format("classes: {} classes do not fit the network's output of {} channels",
                                       options.classes, channels)};
    }
    if (!options.labels.empty()) {
        return Json{{"labels", options.labels}};
    }
    if (ofClasses && channels == 0) {
        return base::Error{fmt::format("the loss {} needs an output with channels", loss)};
    }
    if (binary) {
        return Json{{"classes", 2}};
    }
    // A target of one class is left out: the loss's error message about it names the way out.
    return ofClasses || options.classes != 0 ? Json{{"classes", std::max<std::int64_t>(channels, 2)}}
                                             : Json::object();
}

Json leftOutJson(const LeftOut& left) {
    Json json = Json::object();
    for (const auto& [key, count] :
         {std::pair("outputs", left.outputs), std::pair("parameters", left.parameters),
          std::pair("checkpoints", left.checkpoints)}) {
        if (count > 0) {
            json[key] = count;
        }
    }
    return json;
}

/// Objects are merged key by key; other values are replaced.
void merge(Json& base, const Json& over) {
    for (auto at = over.begin(); at != over.end(); ++at) {
        Json& value = base[at.key()];
        if (value.is_object() && at->is_object()) {
            merge(value, *at);
        } else {
            value = *at;
        }
    }
}

/// Writes a space after separators.
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
    return base::jsonText(value);
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

std::string precisionOf(std::int64_t dtype, const PytorchOptions& options) {
    return !options.precision.empty() ? options.precision
           : dtype == kBfloat16       ? "bf16_true"
           : dtype == kHalf           ? "fp16_true"
                                      : "fp32";
}

base::Status checkOptions(const PytorchOptions& options) {
    static constexpr std::string_view kPrecisions[] = {"fp32", "tf32",      "bf16",
                                                       "fp16", "bf16_true", "fp16_true"};
    static constexpr std::string_view kOptimizers[] = {"sgd", "adam", "adamw"};
    for (const base::Status& status :
         {oneOf("loss", options.loss, kLossNames), oneOf("precision", options.precision, kPrecisions),
          oneOf("optimizer", options.optimizer, kOptimizers)}) {
        if (!status) {
            return status;
        }
    }
    return {};
}

base::Result<Json> experimentOf(const Network& network, const PytorchOptions& options) {
    const std::string loss = options.loss.empty() ? usualLoss(network) : options.loss;
    Json made{{"schema", "highwater.experiment/1"},
              {"name", base::oneLine(options.name.empty() ? network.name : options.name, kLongestText)}};
    auto input = inputOf(network, options);
    if (!input) {
        return input.error();
    }
    made["input"] = *std::move(input);
    auto target = targetOf(network, loss, options);
    if (!target) {
        return target.error();
    }
    if (!target->empty()) {
        made["target"] = *std::move(target);
    }
    made["loss"] = loss;
    made["stack"] = network.stack;
    made["optimizer"] = Json{{"type", options.optimizer}, {"foreach", true}};
    const std::string precision = precisionOf(network.dtype, options);
    // As in a PyTorch training loop: the output is a variable until backward has ended.
    made["step"] =
        Json{{"batch_size", network.input.front()}, {"precision", precision}, {"keep_output", true}};
    // PyTorch's default for convolutions, for which cuDNN uses different plans with different workspaces.
    if (options.precision.empty() && precision == "fp32") {
        made["backend"] = Json{{"tf32", true}};
    }
    if (const Json left = leftOutJson(network.leftOut); !left.empty()) {
        made["left_out"] = left;
    }
    merge(made, options.settings);
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
