#include "tests/gpu/public/public_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/stack/json/json.h"

namespace highwater::truth {

namespace {

using base::Error;
using base::Json;

constexpr std::array<std::string_view, 4> kKinds = {"training step", "one layer", "forward",
                                                    "refused request"};
constexpr std::array<std::string_view, 7> kQuantities = {"peak",
                                                         "peak_allocated",
                                                         "first_layer_forward",
                                                         "first_activation_segment",
                                                         "first_workspace",
                                                         "kept_after_forward",
                                                         "refused_by_cliff"};
struct MeasuredKey {
    const char* key;
    Measure measure;
};
constexpr MeasuredKey kMeasured[] = {{"allocated_peak", Measure::Allocated},
                                     {"reserved_peak", Measure::Reserved},
                                     {"after_forward", Measure::Allocated},
                                     {"after_forward_reserved", Measure::Reserved},
                                     {"refused_request", Measure::Refused}};

const Json& inside(const Json& object, const char* key) {
    static const Json kNothing;
    const auto at = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && at != object.end() ? *at : kNothing;
}

std::string textIn(const Json& object, const char* key) {
    const Json& value = inside(object, key);
    return value.is_string() ? value.get<std::string>() : "";
}

base::Bytes bytesIn(const Json& object, const char* key) {
    const Json& value = inside(object, key);
    return value.is_number_integer() ? value.get<base::Bytes>() : 0;
}

double numberIn(const Json& object, const char* key) {
    const Json& value = inside(object, key);
    return value.is_number() ? value.get<double>() : 0;
}

/// Returns the index of a word in a list; std::nullopt if it is not there.
template <std::size_t N>
std::optional<std::size_t> placeOf(const std::array<std::string_view, N>& words, const std::string& word) {
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - words.begin()));
}

base::Status readVersions(const Json& root, Entry& entry) {
    const Json& with = inside(root, "predict_with");
    const auto libtorch = predict::parseTorchVersion(textIn(with, "libtorch"));
    if (!libtorch) {
        return Error{"/predict_with/libtorch: " + libtorch.error().message};
    }
    entry.predictWith = *libtorch;
    if (const std::string text = textIn(with, "cudnn"); !text.empty()) {
        const auto cudnn = predict::parseCudnnVersion(text);
        if (!cudnn) {
            return Error{"/predict_with/cudnn: " + cudnn.error().message};
        }
        entry.cudnn = *cudnn;
    }
    if (const Json& roofs = inside(with, "roofs"); !roofs.is_null()) {
        entry.roofs = {numberIn(roofs, "fp32"), numberIn(roofs, "tf32"), numberIn(roofs, "fp16"),
                       numberIn(roofs, "bf16"), numberIn(roofs, "bytes_per_second")};
    }
    return {};
}

base::Status readCompared(const Json& root, Entry& entry) {
    const Json& compare = inside(root, "compare");
    if (!compare.is_null()) {
        const auto quantity = placeOf(kQuantities, textIn(compare, "quantity"));
        if (!quantity) {
            return Error{"/compare/quantity: must be one of " +
                         fmt::format("{}", fmt::join(kQuantities, ", "))};
        }
        entry.quantity = static_cast<Quantity>(*quantity);
        entry.added = bytesIn(compare, "bytes_to_add_to_prediction");
    }
    entry.pythonBytes = bytesIn(inside(root, "python_corrections"), "bytes_to_add_to_prediction");
    return {};
}

base::Status readMeasured(const Json& root, Entry& entry) {
    const Json &measured = inside(root, "measured"), &rounding = inside(root, "rounding");
    for (const MeasuredKey& row : kMeasured) {
        if (const base::Bytes bytes = bytesIn(measured, row.key); bytes > 0) {
            entry.memory.push_back({row.measure, bytes, bytesIn(rounding, row.key)});
        }
    }
    entry.seconds = numberIn(measured, "step_seconds");
    entry.secondsRounding = numberIn(rounding, "step_seconds");
    if (entry.memory.empty() && entry.seconds <= 0) {
        return Error{"/measured: must hold a size or a time above 0"};
    }
    return {};
}

base::Status readExperiment(const Json& root, const std::filesystem::path& folder, Entry& entry) {
    const std::string name = textIn(root, "experiment");
    const auto text = base::readFile(folder / (name + ".json"));
    if (!text) {
        return Error{"/experiment: " + text.error().message};
    }
    auto experiment = stack::parseExperiment(*text, name);
    if (!experiment) {
        return Error{"/experiment: " + experiment.error().message};
    }
    entry.experiment = std::move(*experiment);
    return {};
}

base::Result<Entry> readEntry(const Json& root, const std::string& name,
                              const std::filesystem::path& experiments) {
    Entry entry;
    entry.name = name;
    if (textIn(root, "format") != "highwater.public-truth/1") {
        return Error{"/format: must be \"highwater.public-truth/1\""};
    }
    const auto kind = placeOf(kKinds, textIn(root, "kind"));
    if (!kind) {
        return Error{"/kind: must be one of " + fmt::format("{}", fmt::join(kKinds, ", "))};
    }
    entry.kind = static_cast<Kind>(*kind);
    entry.title = textIn(root, "title");
    entry.source = textIn(root, "source");
    entry.gpu = textIn(inside(root, "measured_on"), "gpu");
    entry.libtorch = textIn(inside(root, "measured_on"), "libtorch");
    entry.trust = textIn(root, "trust");
    entry.network = textIn(root, "network");
    entry.series = textIn(root, "series");
    entry.waitsForData = textIn(root, "limited_by") == "data";
    entry.why = textIn(root, "why");
    for (const auto& status : {readVersions(root, entry), readCompared(root, entry),
                               readMeasured(root, entry), readExperiment(root, experiments, entry)}) {
        if (!status) {
            return status.error();
        }
    }
    return entry;
}

}  // namespace

std::string_view kindText(Kind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

std::string_view measureText(Measure measure) {
    constexpr std::array<std::string_view, 3> kTexts = {"allocated", "reserved", "refused request"};
    return kTexts[static_cast<std::size_t>(measure)];
}

base::Result<Entry> parseEntry(const std::string& text, const std::string& name,
                               const std::filesystem::path& experiments) {
    const auto root = base::parseJson(text, name);
    if (!root) {
        return root.error();
    }
    auto entry = readEntry(*root, name, experiments);
    if (!entry) {
        return Error{name + ": " + entry.error().message};
    }
    return entry;
}

base::Result<std::vector<Entry>> loadEntries(const std::filesystem::path& folder) {
    std::vector<Entry> entries;
    for (const char* part : {"memory", "time"}) {
        std::vector<std::filesystem::path> paths;
        std::error_code ignored;
        for (const auto& each : std::filesystem::directory_iterator(folder / part, ignored)) {
            if (each.path().extension() == ".json") {
                paths.push_back(each.path());
            }
        }
        std::sort(paths.begin(), paths.end());
        for (const std::filesystem::path& path : paths) {
            const auto text = base::readFile(path);
            if (!text) {
                return text.error();
            }
            auto entry = parseEntry(*text, path.stem().string(), folder / "experiments");
            if (!entry) {
                return entry.error();
            }
            entries.push_back(std::move(*entry));
        }
    }
    return entries;
}

}  // namespace highwater::truth
