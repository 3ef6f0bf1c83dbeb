#include <fmt/format.h>

#include <limits>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/wire/values_json.h"

namespace highwater::wire {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Json named(std::string_view event) {
    return {{"event", event}};
}

Json eventJson(const Started& started) {
    Json json = named("started");
    json["run_id"] = started.runId;
    environmentToJson(started.environment, json);
    json["steps"] = started.steps;
    json["warmup"] = started.warmup;
    if (started.budget) {
        json["budget_bytes"] = *started.budget;
    }
    json["layers"] = layersToJson(started.layers);
    return json;
}

Started startedFrom(Fields& fields) {
    Started started;
    started.runId = fields.text("run_id");
    started.environment = environmentFrom(fields);
    started.steps = fields.index("steps");
    started.warmup = fields.index("warmup");
    if (fields.has("budget_bytes")) {
        started.budget = fields.bytes("budget_bytes");
    }
    started.layers = layersFrom(fields, "layers");
    return started;
}

Json eventJson(const LedgerSample& sample) {
    Json json = named("ledger");
    json["time_ms"] = numberOrNull(sample.time);
    json["bytes"] = ledgerToJson(sample.ledger);
    json["low"] = sample.low;
    json["high"] = sample.high;
    json["merged"] = sample.merged;
    json["step"] = sample.step;
    json["phase"] = phaseKey(sample.phase);
    if (sample.device) {
        json["device_memory"] = deviceToJson(*sample.device);
    }
    return json;
}

LedgerSample sampleFrom(Fields& fields) {
    LedgerSample sample;
    sample.time = fields.number("time_ms");
    sample.ledger = ledgerFrom(fields.object("bytes"));
    sample.low = fields.bytes("low");
    sample.high = fields.bytes("high");
    sample.merged = fields.integer("merged", 0, kMost);
    sample.step = fields.index("step");
    sample.phase = fields.phase("phase");
    if (fields.has("device_memory")) {
        sample.device = deviceFrom(fields.object("device_memory"));
    }
    return sample;
}

Json eventJson(const StepDone& step) {
    Json json = named("step");
    json["index"] = step.index;
    json["warmup"] = step.warmup;
    json["phases_ms"] = phasesToJson(step.phases);
    json["total_ms"] = numberOrNull(step.total);
    if (step.host) {
        json["host_ms"] = phasesToJson(*step.host);
    }
    json["peak"] = peakToJson(step.peak);
    json["loss"] = numberOrNull(step.loss);
    if (!step.timeline.empty()) {
        json["timeline"] = timelineToJson(step.timeline);
    }
    if (!step.marks.empty()) {
        json["marks"] = marksToJson(step.marks);
    }
    if (step.waited) {
        json["waited"] = true;
    }
    return json;
}

StepDone stepFrom(Fields& fields) {
    StepDone step;
    step.index = fields.index("index");
    step.warmup = fields.boolean("warmup");
    step.phases = phasesFrom(fields.object("phases_ms"));
    step.total = fields.number("total_ms");
    if (fields.has("host_ms")) {
        step.host = phasesFrom(fields.object("host_ms"));
    }
    step.peak = peakFrom(fields.object("peak"));
    step.loss = fields.number("loss");
    if (fields.has("timeline")) {
        step.timeline = timelineFrom(fields, "timeline");
    }
    if (fields.has("marks")) {
        step.marks = marksFrom(fields, "marks");
    }
    step.waited = fields.has("waited") && fields.boolean("waited");
    return step;
}

Json eventJson(const LayerEvent& layer) {
    Json json = named("layer");
    json["layer"] = layer.layer;
    json.update(layerToJson(layer.cost));
    return json;
}

Json eventJson(const PatchSaved& patch) {
    Json json = named("patch");
    json["file"] = patch.file;
    json["start"] = patch.start;
    json["step"] = patch.step;
    json["sample"] = patch.sample;
    json["case"] = patch.theCase;
    return json;
}

PatchSaved patchFrom(Fields& fields) {
    PatchSaved patch;
    patch.file = fields.text("file");
    for (const Json& at : fields.list("start")) {
        const Json wrapped = {{"start", at}};
        patch.start.push_back(Fields(wrapped, "", fields.error())
                                  .integer("start", std::numeric_limits<std::int64_t>::min(), kMost));
    }
    patch.step = fields.index("step");
    if (fields.has("sample")) {  // events of earlier versions have neither key
        patch.sample = fields.integer("sample", 0, kMost);
    }
    if (fields.has("case")) {
        patch.theCase = fields.integer("case", 0, kMost);
    }
    return patch;
}

Json eventJson(const Warning& warning) {
    Json json = named("warning");
    json["message"] = warning.message;
    return json;
}

Json eventJson(const Failed& failed) {
    Json json = named("failed");
    json.update(failureToJson(failed));
    return json;
}

Json eventJson(const Finished& finished) {
    Json json = named("finished");
    json["result"] = toJson(*finished.result);
    return json;
}

base::Result<Event> eventFrom(Fields& fields, const std::string& kind) {
    if (kind == "started") {
        return Event(startedFrom(fields));
    }
    if (kind == "ledger") {
        return Event(sampleFrom(fields));
    }
    if (kind == "step") {
        return Event(stepFrom(fields));
    }
    if (kind == "layer") {
        const int index = fields.index("layer");
        return Event(LayerEvent{index, layerFrom(fields)});
    }
    if (kind == "patch") {
        return Event(patchFrom(fields));
    }
    if (kind == "warning") {
        return Event(Warning{fields.text("message")});
    }
    if (kind == "failed") {
        return Event(failureFrom(fields));
    }
    if (kind == "finished") {
        auto result = resultFromJson(fields.object("result").json());
        return result ? base::Result<Event>(Finished{std::move(*result)}) : result.error();
    }
    return base::Error{fmt::format("no event is called \"{}\"", base::oneLine(kind, 40))};
}

}  // namespace

Json toJson(const Event& event) {
    return std::visit([](const auto& value) { return eventJson(value); }, event);
}

std::string toLine(const Event& event) {
    return toJson(event).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<Event> parseEvent(std::string_view line) {
    const auto json = base::parseJson(line, "event");
    if (!json) {
        return json.error();
    }
    std::string error;
    Fields fields(*json, "event", error);
    const std::string kind = fields.text("event");
    if (!error.empty()) {
        return base::Error{error};
    }
    auto event = eventFrom(fields, kind);
    return error.empty() ? event : base::Error{error};
}

}  // namespace highwater::wire
