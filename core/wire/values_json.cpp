#include "core/wire/values_json.h"

#include <fmt/format.h>

#include <limits>

namespace highwater::wire {

namespace {

constexpr std::int64_t kMostOfAValue = std::numeric_limits<std::int64_t>::max();
constexpr int kMostIndex = std::numeric_limits<int>::max();

/// Gives the elements of a list names, so that an inner list is read with the same checks as an object.
Json asObject(const Json& list, std::initializer_list<std::string_view> keys) {
    Json object = Json::object();
    if (list.is_array() && list.size() == keys.size()) {
        std::size_t i = 0;
        for (const std::string_view key : keys) {
            object[std::string(key)] = list[i++];
        }
    }
    return object;
}

}  // namespace

Json ledgerToJson(const memory::Ledger& ledger) {
    Json json = Json::object();
    for (const memory::Category category : memory::kCategories) {
        json[std::string(memory::categoryKey(category))] = ledger[category];
    }
    return json;
}

memory::Ledger ledgerFrom(Fields fields) {
    memory::Ledger ledger;
    for (const memory::Category category : memory::kCategories) {
        ledger[category] = fields.bytes(memory::categoryKey(category));
    }
    return ledger;
}

Json phasesToJson(const PhaseTimes& phases) {
    return {{"data", numberOrNull(phases.data)},
            {"forward", numberOrNull(phases.forward)},
            {"recompute", numberOrNull(phases.recompute)},
            {"backward", numberOrNull(phases.backward)},
            {"optimizer", numberOrNull(phases.optimizer)}};
}

PhaseTimes phasesFrom(Fields fields) {
    return {fields.number("data"), fields.number("forward"), fields.number("recompute"),
            fields.number("backward"), fields.number("optimizer")};
}

Json layerToJson(const LayerCost& layer) {
    return {{"name", layer.name},
            {"type", layer.type},
            {"output_shape", layer.outputShape},
            {"parameters", layer.parameters},
            {"activation_bytes", layer.activationBytes},
            {"forward_ms", numberOrNull(layer.forwardMs)},
            {"backward_ms", numberOrNull(layer.backwardMs)}};
}

LayerCost layerFrom(Fields fields) {
    LayerCost layer;
    layer.name = fields.text("name");
    layer.type = fields.text("type");
    for (const Json& size : fields.list("output_shape")) {
        const Json wrapped = {{"output_shape", size}};
        layer.outputShape.push_back(
            Fields(wrapped, "", fields.error()).integer("output_shape", 0, kMostOfAValue));
    }
    layer.parameters = fields.integer("parameters", 0, kMostOfAValue);
    layer.activationBytes = fields.bytes("activation_bytes");
    layer.forwardMs = fields.number("forward_ms");
    layer.backwardMs = fields.number("backward_ms");
    return layer;
}

Json layersToJson(const std::vector<LayerCost>& layers) {
    Json list = Json::array();
    for (const LayerCost& layer : layers) {
        list.push_back(layerToJson(layer));
    }
    return list;
}

std::vector<LayerCost> layersFrom(Fields& fields, std::string_view key) {
    std::vector<LayerCost> layers;
    for (const Json& layer : fields.list(key)) {
        layers.push_back(layerFrom(Fields(layer, fmt::format("/{}/{}", key, layers.size()), fields.error())));
        if (fields.failed()) {
            break;
        }
    }
    return layers;
}

void environmentToJson(const Environment& environment, Json& into) {
    into["device"] = environment.device;
    into["device_name"] = environment.deviceName;
    Json versions = Json::object();
    for (const auto& [name, version] : environment.versions) {
        versions.get_ref<Json::object_t&>().emplace_back(name, version);  // [] looks through all before it
    }
    into["versions"] = std::move(versions);
    into["threads"] = environment.threads;
    into["isa"] = environment.isa;
    into["memory_bytes"] = environment.memoryBytes;
    if (environment.architecture != 0) {
        into["architecture"] = environment.architecture;
    }
}

Environment environmentFrom(Fields& fields) {
    Environment environment;
    environment.device = fields.text("device");
    environment.deviceName = fields.text("device_name");
    Fields versions = fields.object("versions");
    for (const auto& [name, version] : versions.json().items()) {
        if (version.is_string()) {
            environment.versions[name] = version.get<std::string>();
        } else {
            versions.fail(name, "must be text");
        }
    }
    environment.threads = fields.index("threads");
    environment.isa = fields.text("isa");
    environment.memoryBytes = fields.bytes("memory_bytes");
    if (fields.has("architecture")) {
        environment.architecture = fields.index("architecture");
    }
    return environment;
}

Json intervalToJson(const base::Interval& interval) {
    return {{"median", numberOrNull(interval.median)},
            {"ci95", Json::array({numberOrNull(interval.low), numberOrNull(interval.high)})},
            {"n", interval.n}};
}

base::Interval intervalFrom(Fields fields) {
    base::Interval interval;
    interval.median = fields.number("median");
    const Json ends = asObject(fields.list("ci95"), {"low", "high"});
    Fields limits(ends, "ci95", fields.error());
    interval.low = limits.number("low");
    interval.high = limits.number("high");
    interval.n = fields.index("n");
    return interval;
}

Json peakToJson(const PeakMoment& peak) {
    return {{"bytes", ledgerToJson(peak.ledger)},
            {"time_ms", numberOrNull(peak.time)},
            {"phase", phaseKey(peak.phase)},
            {"layer", peak.layer}};
}

PeakMoment peakFrom(Fields fields) {
    return {ledgerFrom(fields.object("bytes")), fields.number("time_ms"), fields.phase("phase"),
            static_cast<int>(fields.integer("layer", -1, kMostIndex))};
}

Json failureToJson(const Failed& failed) {
    Json json = {
        {"status", statusKey(failed.status)},  {"why", failed.why},     {"step", failed.step},
        {"phase", phaseKey(failed.phase)},     {"layer", failed.layer}, {"requested_bytes", failed.requested},
        {"bytes", ledgerToJson(failed.ledger)}};
    if (failed.device) {
        json["device_memory"] = deviceToJson(*failed.device);
    }
    if (!failed.wouldFit.empty()) {
        json["would_fit"] = failed.wouldFit;
    }
    if (failed.fittingBatch != 0) {
        json["fitting_batch"] = failed.fittingBatch;
    }
    return json;
}

Failed failureFrom(Fields fields) {
    Failed failed;
    failed.status = fields.status("status");
    failed.why = fields.text("why");
    failed.step = fields.index("step");
    failed.phase = fields.phase("phase");
    failed.layer = fields.text("layer");
    failed.requested = fields.integer("requested_bytes", 0, kMostOfAValue);
    failed.ledger = ledgerFrom(fields.object("bytes"));
    if (fields.has("device_memory")) {
        failed.device = deviceFrom(fields.object("device_memory"));
    }
    if (fields.has("would_fit")) {
        failed.wouldFit = fields.text("would_fit");
    }
    if (fields.has("fitting_batch")) {
        failed.fittingBatch = fields.integer("fitting_batch", 0, kMostOfAValue);
    }
    return failed;
}

Json timelineToJson(const std::vector<TimelinePoint>& timeline) {
    Json list = Json::array();
    for (const TimelinePoint& point : timeline) {
        Json row = Json::array({numberOrNull(point.time)});
        for (const Bytes bytes : point.ledger.bytes) {
            row.push_back(bytes);
        }
        list.push_back(std::move(row));
    }
    return list;
}

std::vector<TimelinePoint> timelineFrom(Fields& fields, std::string_view key) {
    std::vector<TimelinePoint> timeline;
    for (const Json& row : fields.list(key)) {
        using memory::categoryKey;
        using enum memory::Category;
        const Json named =
            asObject(row, {"time_ms", categoryKey(Input), categoryKey(Parameters),
                           categoryKey(OptimizerState), categoryKey(Gradients), categoryKey(Activations),
                           categoryKey(Workspace), categoryKey(Temporaries)});
        Fields point(named, std::string(key), fields.error());
        const Millis time = point.number("time_ms");
        timeline.push_back({time, ledgerFrom(point)});
        if (fields.failed()) {
            break;
        }
    }
    return timeline;
}

Json marksToJson(const std::vector<PhaseMark>& marks) {
    Json list = Json::array();
    for (const PhaseMark& mark : marks) {
        list.push_back(Json::array({numberOrNull(mark.time), phaseKey(mark.phase), mark.layer}));
    }
    return list;
}

std::vector<PhaseMark> marksFrom(Fields& fields, std::string_view key) {
    std::vector<PhaseMark> marks;
    for (const Json& row : fields.list(key)) {
        const Json named = asObject(row, {"time_ms", "phase", "layer"});
        Fields mark(named, std::string(key), fields.error());
        marks.push_back({mark.number("time_ms"), mark.phase("phase"),
                         static_cast<int>(mark.integer("layer", -1, kMostIndex))});
        if (fields.failed()) {
            break;
        }
    }
    return marks;
}

}  // namespace highwater::wire
