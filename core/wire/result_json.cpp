#include <limits>

#include "core/wire/values_json.h"

namespace highwater::wire {

namespace {

Json rankToJson(const RankResult& rank) {
    Json json = {{"rank", rank.rank}, {"status", statusKey(rank.status)}};
    if (!rank.why.empty()) {
        json["why"] = rank.why;
    }
    json["peak_allocated_bytes"] = rank.peakAllocated;
    json["peak_rss_bytes"] = rank.peakRss;
    json["peak_by_category"] = ledgerToJson(rank.peakByCategory);
    json["step_ms"] = intervalToJson(rank.stepMs);
    json["loss_last"] = numberOrNull(rank.lossLast);
    json["weights"] = rank.weights;
    return json;
}

RankResult rankFrom(Fields fields) {
    RankResult rank;
    rank.rank = fields.index("rank");
    rank.status = fields.status("status");
    rank.why = fields.has("why") ? fields.text("why") : "";
    rank.peakAllocated = fields.bytes("peak_allocated_bytes");
    rank.peakRss = fields.bytes("peak_rss_bytes");
    rank.peakByCategory = ledgerFrom(fields.object("peak_by_category"));
    rank.stepMs = intervalFrom(fields.object("step_ms"));
    rank.lossLast = fields.number("loss_last");
    rank.weights = fields.text("weights");
    return rank;
}

}  // namespace

Json toJson(const RunResult& result) {
    Json json = {{"run_id", result.runId}, {"status", statusKey(result.status)}};
    environmentToJson(result.environment, json);
    json["peak_allocated_bytes"] = result.peakAllocated;
    if (result.peakReserved != 0) {
        json["peak_reserved_bytes"] = result.peakReserved;
    }
    json["peak_rss_bytes"] = result.peakRss;
    json["peak_by_category"] = ledgerToJson(result.peakByCategory);
    json["peak"] = peakToJson(result.peak);
    json["layers"] = layersToJson(result.layers);
    json["step_ms"] = intervalToJson(result.stepMs);
    json["phases_ms"] = phasesToJson(result.phasesMs);
    json["throughput_samples_per_s"] = numberOrNull(result.throughput);
    json["loss_first"] = numberOrNull(result.lossFirst);
    json["loss_last"] = numberOrNull(result.lossLast);
    Json losses = Json::array();
    for (const double loss : result.losses) {
        losses.push_back(numberOrNull(loss));
    }
    json["losses"] = std::move(losses);
    json["at_end"] = ledgerToJson(result.atEnd);
    if (result.cases != 0) {
        json["cases"] = result.cases;
    }
    gpuPartToJson(result, json);
    if (result.failure) {
        json["failure"] = failureToJson(*result.failure);
    }
    if (result.predicted) {
        json["predicted"] = predictedToJson(*result.predicted);
    }
    for (const RankResult& rank : result.ranks) {
        json["ranks"].push_back(rankToJson(rank));
    }
    return json;
}

base::Result<RunResult> resultFromJson(const Json& json) {
    std::string error;
    Fields fields(json, "result", error);
    RunResult result;
    result.runId = fields.text("run_id");
    result.status = fields.status("status");
    result.environment = environmentFrom(fields);
    result.peakAllocated = fields.bytes("peak_allocated_bytes");
    result.peakReserved = fields.has("peak_reserved_bytes") ? fields.bytes("peak_reserved_bytes") : 0;
    result.peakRss = fields.bytes("peak_rss_bytes");
    result.peakByCategory = ledgerFrom(fields.object("peak_by_category"));
    result.peak = peakFrom(fields.object("peak"));
    result.layers = layersFrom(fields, "layers");
    if (result.peak.layer >= static_cast<int>(result.layers.size())) {
        fields.fail("peak", "names a layer that is not in the list");
    }
    result.stepMs = intervalFrom(fields.object("step_ms"));
    result.phasesMs = phasesFrom(fields.object("phases_ms"));
    result.throughput = fields.number("throughput_samples_per_s");
    result.lossFirst = fields.number("loss_first");
    result.lossLast = fields.number("loss_last");
    for (const Json& loss : fields.list("losses")) {
        const Json wrapped = {{"losses", loss}};
        result.losses.push_back(Fields(wrapped, "result", error).number("losses"));
    }
    result.atEnd = ledgerFrom(fields.object("at_end"));
    if (fields.has("cases")) {
        result.cases = fields.integer("cases", 0, std::numeric_limits<std::int64_t>::max());
    }
    gpuPartFrom(fields, result);
    if (fields.has("failure")) {
        result.failure = failureFrom(fields.object("failure"));
    }
    if (fields.has("predicted")) {
        result.predicted = predictedFrom(fields.object("predicted"));
    }
    if (fields.has("ranks")) {
        for (const Json& rank : fields.list("ranks")) {
            result.ranks.push_back(rankFrom(Fields(rank, "ranks", error)));
        }
    }
    return error.empty() ? base::Result<RunResult>(std::move(result)) : base::Error{error};
}

}  // namespace highwater::wire
