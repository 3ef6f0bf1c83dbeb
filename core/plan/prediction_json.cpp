#include "core/plan/prediction_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/memory/phase.h"
#include "core/plan/plan_words.h"
#include "core/stack/json/json.h"

namespace highwater::plan {
namespace {

using Json = nlohmann::ordered_json;
using predict::Estimate;
using predict::Prediction;
using predict::TimeEstimate;

Json ledger(const memory::Ledger& l) {
    Json json = Json::object();
    for (const memory::Category category : memory::kCategories) {
        json[std::string(memory::categoryKey(category))] = l[category];
    }
    return json;
}

Json cliffs(const std::vector<predict::Cliff>& all) {
    Json list = Json::array();
    for (const predict::Cliff& cliff : all) {
        Json safe = Json::object();
        for (const auto& [axis, values] : cliff.safe) {
            safe[axis] = values;
        }
        list.push_back({{"kind", predict::cliffKey(cliff.kind)},
                        {"layer", cliff.layerName},
                        {"bytes", cliff.bytes},
                        {"message", cliff.message},
                        {"safe", std::move(safe)}});
    }
    return list;
}

Json layers(const Predicted& p) {
    Json list = Json::array();
    for (std::size_t i = 0; i < p.info.layers.size() && i < p.prediction.layers.size(); ++i) {
        const stack::LayerInfo& info = p.info.layers[i];
        const predict::LayerPrediction& layer = p.prediction.layers[i];
        list.push_back({{"name", info.name},
                        {"type", info.type},
                        {"output_shape", info.output},
                        {"parameters", info.parameters},
                        {"parameter_bytes", layer.parameterBytes},
                        {"activation_bytes", layer.activationBytes},
                        {"forward_bytes", bandJson(layer.forwardBytes)},
                        {"backward_bytes", bandJson(layer.backwardBytes)},
                        {"at_peak_bytes", layer.atPeak},
                        {"forward_ms", bandJson(layer.forwardMs)},
                        {"backward_ms", bandJson(layer.backwardMs)}});
    }
    return list;
}

Json workspaces(const Predicted& p) {
    constexpr std::array<std::string_view, 3> sources = {"measured", "asked", "guessed"};
    Json list = Json::array();
    for (const predict::Workspace& each : p.prediction.workspaces) {
        const auto layer = static_cast<std::size_t>(std::max(0, each.layer));
        list.push_back({{"layer", layer < p.info.layers.size() ? p.info.layers[layer].name : ""},
                        {"part", predict::convPartKey(each.part)},
                        {"bytes", bandJson(each.bytes)},
                        {"source", sources[static_cast<std::size_t>(each.source)]}});
    }
    return list;
}

Json timeline(const Prediction& prediction) {
    Json list = Json::array();
    for (const predict::PredictedPoint& point : prediction.timeline) {
        list.push_back(Json::array({point.event, ledger(point.ledger)}));
    }
    return list;
}

Json scanJson(const predict::AxisScan& scan, const predict::AxisCurve& curve, bool reserves) {
    Json points = Json::array();
    for (const predict::AxisPoint& point : curve.points) {
        Json json = {{"value", point.value}, {"peak_allocated_bytes", bandJson(point.allocated)}};
        if (reserves) {
            json["peak_reserved_bytes"] = bandJson(point.reserved);
        }
        json["step_ms"] = bandJson(point.stepMs);
        json["fits"] = fitsKey(point.fits);
        json["cliffs"] = cliffs(point.cliffs);
        points.push_back(std::move(json));
    }
    return {{"axis", scan.axis},
            {"points", std::move(points)},
            {"left_out", curve.leftOut},
            {"jumps", curve.jumps}};
}

Json ranksJson(const Predicted& p) {
    const predict::Ranks& ranks = p.target.ranks;
    Json json = {{"count", ranks.count},
                 {"gradient_as_bucket_view", ranks.gradientAsBucketView},
                 {"total_batch_size", p.batchSize * ranks.count}};
    if (p.target.gpu) {
        json["nccl_bytes"] = bandJson(predict::ncclBuffers(ranks.count));
    }
    return json;
}

void addSoftware(const predict::Target& target, Json& json) {
    if (target.gpu) {
        json["device_name"] = target.gpu->name;
        json["libtorch"] = predict::toText(target.versions.libtorch);
        json["cudnn"] = predict::toText(target.versions.cudnn);
        return;
    }
    json["libtorch"] = target.cpu.libtorch;
    json["onednn"] = target.cpu.onednn;
    json["threads"] = target.cpu.threads;
    json["isa"] = target.cpu.isa;
}

}  // namespace

nlohmann::ordered_json oddsJson(double odds, predict::Fits fits, bool atLeast, bool atMost) {
    return (atLeast || atMost) && fits == predict::Fits::Uncertain ? Json(nullptr) : Json(odds);
}

void addBound(nlohmann::ordered_json& json, bool atLeast, bool atMost) {
    if (atLeast || atMost) {
        json["bound"] = !atMost ? "at_least" : !atLeast ? "at_most" : "neither";
    }
}

nlohmann::ordered_json bandJson(const Estimate& bytes) {
    return {{"low", bytes.low}, {"expected", bytes.expected}, {"high", bytes.high}};
}

nlohmann::ordered_json bandJson(const TimeEstimate& millis) {
    return {{"low", millis.low}, {"expected", millis.expected}, {"high", millis.high}};
}

bool Predicted::withinBudget() const {
    return isWithin(fitOf(prediction, target.gpu.has_value()), target, budgetOn(target, budget));
}

std::string_view fitsKey(predict::Fits fits) {
    constexpr std::array<std::string_view, 3> keys = {"yes", "no", "uncertain"};
    return keys[static_cast<std::size_t>(fits)];
}

Json predictionJson(const Predicted& p) {
    const Prediction& result = p.prediction;
    Json json = {{"target", p.target.id}};
    addSoftware(p.target, json);
    if (p.target.ranks.count > 1) {
        json["ranks"] = ranksJson(p);
    }
    json["peak_allocated_bytes"] = bandJson(result.peakAllocated);
    if (p.target.gpu) {
        json["max_memory_allocated_bytes"] = bandJson(result.maxMemoryAllocated);
        json["peak_reserved_bytes"] = bandJson(result.peakReserved);
        json["fragmentation_bytes"] = result.fragmentation;
    }
    if (result.onHost > 0) {
        json["host_bytes"] = result.onHost;
    }
    json["exact"] = result.exact();
    addBound(json, result.atLeast(), result.atMost());
    if (!result.unknown.empty()) {
        json["unknown"] = result.unknown;
    }
    json["step_ms"] = bandJson(result.stepMs);
    json["peak_by_category"] = ledger(result.peakByCategory);
    json["peak_phase"] = memory::phaseKey(result.peakPhase);
    json["peak_layer"] = result.peakLayer;
    json["peak_in_first_step"] = result.peakInFirstStep;
    json["at_end"] = ledger(result.atEnd);
    json["capacity_bytes"] = result.capacity;
    json["oom_probability"] = oddsJson(result.oomProbability, result.fits, result.atLeast(), result.atMost());
    json["fits"] = fitsKey(result.fits);
    if (p.target.others > 0) {
        json["others_bytes"] = p.target.others;
    }
    if (p.budget) {
        json["budget_bytes"] = *p.budget;
        json["within_budget"] = p.withinBudget();
    }
    if (!result.outOfMemory.empty()) {
        json["out_of_memory"] = result.outOfMemory;
    }
    json["cliffs"] = cliffs(result.cliffs);
    json["guesses"] = result.guesses;
    json["convolutions"] = result.convolutions;
    json["convolutions_without_row"] = result.withoutRow;
    json["convolutions_asked"] = result.asked;
    if (p.target.gpu) {
        json["workspaces"] = workspaces(p);
    }
    json["layers"] = layers(p);
    json["timeline"] = timeline(result);
    if (p.scan != nullptr && p.curve != nullptr) {
        json["scan"] = scanJson(*p.scan, *p.curve, p.target.gpu.has_value());
    }
    return json;
}

Json fitJson(const DeviceFit& fit) {
    Json json = {{"peak_bytes", bandJson(fit.peak)}};
    if (fit.capacity > 0) {
        json["capacity_bytes"] = fit.capacity;
        json["oom_probability"] = oddsJson(fit.odds, fit.fits, fit.atLeast, fit.atMost);
        json["fits"] = fitsKey(fit.fits);
    }
    addBound(json, fit.atLeast, fit.atMost);
    if (fit.stepMs.expected > 0) {
        json["step_ms"] = bandJson(fit.stepMs);
    }
    if (fit.largestBatch >= 0) {
        json["largest_batch_size"] = fit.largestBatch;
    }
    return json;
}

Json planJson(const Plan& plan) {
    Json json = {{"headline", headline(plan)}, {"changes", plan.changes}, {"slower", plan.slower}};
    json.update(fitJson(plan.fit));
    if (plan.fit.onHost > 0) {
        json["host_bytes"] = plan.fit.onHost;
    }
    json["checkpoint"] =
        Json::parse(stack::toText(plan.experiment))["step"].value("checkpoint", Json("blocks"));
    return json;
}

}  // namespace highwater::plan
