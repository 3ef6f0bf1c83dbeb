#include "core/wire/python_source.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_exchange.h"
#include "core/base/text.h"

namespace highwater::wire {
namespace {

constexpr std::string_view kPythonFormat = "highwater.python/1";
constexpr base::Bytes kMostPythonBytes = 64 * base::kMiB;  // a line for each of its layers

std::filesystem::path pythonFile(const std::filesystem::path& runFolder) {
    return runFolder / "python.json";
}

}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, PythonShare>& share) {
    way("step_ms", share.step);
    way("python_ms", share.python);
    way("call_us", share.callUs);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, PythonLayer>& layer) {
    way("name", layer.name);
    way("type", layer.type);
    way("output_shape", layer.outputShape);
    way("parameters", layer.parameters);
    way("module", layer.module);
    way("block", layer.block, base::kIndexOrNone);
}

nlohmann::ordered_json toJson(const PythonSource& source) {
    base::Json json = {
        {"interpreter", source.python.string()}, {"python", source.version}, {"torch", source.torch}};
    if (source.pretended()) {
        json["pretended_gpu"] = source.gpu;
    }
    if (source.share) {
        json["share"] = base::JsonOut::written(*source.share);
    }
    return json;
}

std::string pythonText(const PythonSource& source) {
    return fmt::format("PyTorch {} in Python {}", source.torch, source.version);
}

std::string shareText(const PythonShare& share) {
    return fmt::format(
        "{} of a step of {} are Python's own ({:.0f} %); a layer's forward takes {:.2g} µs in which nothing "
        "is "
        "computed",
        base::formatMillis(share.python), base::formatMillis(share.step),
        share.step > 0 ? 100 * share.python / share.step : 0, share.callUs);
}

base::Status writePython(const std::filesystem::path& runFolder, const PythonSource& source,
                         const std::vector<PythonLayer>& layers, const std::optional<Predicted>& predicted) {
    base::Json json = {{"format", kPythonFormat}};
    json.update(toJson(source));
    json["layers"] = base::JsonOut::written(layers);
    if (predicted) {
        RunResult result;
        result.predicted = predicted;
        json["predicted"] = toJson(result).at("predicted");
    }
    return base::writeFileAtomically(pythonFile(runFolder),
                                     json.dump(2, ' ', false, base::Json::error_handler_t::replace) + "\n");
}

base::Result<std::optional<PythonSource>> readPython(const std::filesystem::path& runFolder) {
    const auto file = pythonFile(runFolder);
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
        return std::optional<PythonSource>();
    }
    const auto json = HIGHWATER_TRY(base::readJson(file, kMostPythonBytes));
    if (!json.is_object()) {
        return base::Error{file.string() + ": must be a JSON object"};
    }
    base::JsonReader reader(json, "");
    reader.choice("format", {kPythonFormat});
    PythonSource source;
    source.python = reader.text("interpreter");
    source.version = base::oneLine(reader.text("python"), 60);
    source.torch = base::oneLine(reader.text("torch"), 60);
    source.gpu = base::oneLine(reader.text("pretended_gpu", ""), 60);
    reader.acceptAnyKey();
    HIGHWATER_TRY(base::prefixed(file.string(), reader.finish()));
    base::JsonIn way(json, file.string() + ": ");
    way("share", source.share);
    HIGHWATER_TRY(way.finish());
    return std::optional(std::move(source));
}

}  // namespace highwater::wire
