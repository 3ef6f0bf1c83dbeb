#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/study/judge.h"

namespace highwater::study {

namespace {

using Kind = Quantity::Kind;

const wire::LayerCost* layerOf(const wire::RunResult& result, const std::string& name) {
    const auto found = std::find_if(result.layers.begin(), result.layers.end(),
                                    [&](const wire::LayerCost& layer) { return layer.name == name; });
    return found == result.layers.end() ? nullptr : &*found;
}

double keptBy(const wire::RunResult& result, const std::string& name) {
    if (!name.empty()) {
        const auto* layer = layerOf(result, name);
        return layer ? static_cast<double>(layer->activationBytes) : NAN;
    }
    double sum = 0;
    for (const wire::LayerCost& layer : result.layers) {
        sum += layer.type == "block" ? 0 : static_cast<double>(layer.activationBytes);
    }
    return sum;
}

double parametersOf(const wire::RunResult& result) {
    return std::accumulate(
        result.layers.begin(), result.layers.end(), 0.0, [](double sum, const wire::LayerCost& layer) {
            return sum + (layer.type == "block" ? 0 : static_cast<double>(layer.parameters));
        });
}

double outputOf(const wire::RunResult& result, const Quantity& quantity) {
    const wire::LayerCost* layer = quantity.detail.empty()
                                       ? (result.layers.empty() ? nullptr : &result.layers.back())
                                       : layerOf(result, quantity.detail);
    if (!layer || layer->outputShape.empty()) {
        return NAN;
    }
    if (quantity.kind == Kind::OutputSize) {
        return static_cast<double>(layer->outputShape.back());
    }
    return std::accumulate(
        layer->outputShape.begin(), layer->outputShape.end(), 1.0,
        [](double product, std::int64_t size) { return product * static_cast<double>(size); });
}

double phaseOf(const wire::PhaseTimes& phases, const std::string& name) {
    const auto at =
        std::find(memory::kStepPhases.begin(), memory::kStepPhases.end(), memory::phaseFromKey(name));
    return phases.inOrder()[static_cast<std::size_t>(at - memory::kStepPhases.begin())];
}

double atPointer(const wire::RunResult& result, const std::string& pointer) {
    const nlohmann::ordered_json json = wire::toJson(result);
    const nlohmann::ordered_json::json_pointer at(pointer);
    return json.contains(at) && json.at(at).is_number() ? json.at(at).get<double>() : NAN;
}

double categoryOf(const wire::RunResult& result, const std::string& name) {
    for (const memory::Category category : memory::kCategories) {
        if (memory::categoryKey(category) == name) {
            return static_cast<double>(result.peakByCategory[category]);
        }
    }
    return NAN;
}

/// The value for one run; NaN if it was not measured. Step times are not included: they come from the
/// repeats.
double valueOf(const Quantity& quantity, const wire::RunResult& result) {
    switch (quantity.kind) {
        case Kind::PeakAllocated:
            return static_cast<double>(result.peakAllocated);
        case Kind::PeakReserved:
            return result.peakReserved > 0 ? static_cast<double>(result.peakReserved) : NAN;
        case Kind::PeakRss:
            return result.peakRss > 0 ? static_cast<double>(result.peakRss) : NAN;
        case Kind::Category:
            return categoryOf(result, quantity.detail);
        case Kind::KeptActivations:
            return keptBy(result, quantity.detail);
        case Kind::Parameters:
            return parametersOf(result);
        case Kind::OutputSize:
        case Kind::OutputElements:
            return outputOf(result, quantity);
        case Kind::PhaseMs:
            return phaseOf(result.phasesMs, quantity.detail);
        case Kind::PhaseShare:
            return phaseOf(result.phasesMs, quantity.detail) / result.phasesMs.total();
        case Kind::Loss:
            return result.lossLast;
        case Kind::Pointer:
            return atPointer(result, quantity.detail);
        default:
            return NAN;
    }
}

}  // namespace

std::vector<double> valuesOf(const Quantity& quantity, const Evidence& evidence) {
    std::vector<double> values;
    const auto take = [&values](double value) {
        if (std::isfinite(value)) {
            values.push_back(value);
        }
    };
    if (quantity.kind == Kind::StepMs || quantity.kind == Kind::Throughput) {
        for (const Millis ms : evidence.measured.repeatMs) {
            take(quantity.kind == Kind::StepMs ? ms : 1000.0 * static_cast<double>(evidence.batchSize) / ms);
        }
    } else if (quantity.kind == Kind::Chosen) {
        take(evidence.chosen.value_or(NAN));
    } else {
        for (const wire::RunResult& result : evidence.results) {
            take(valueOf(quantity, result));
        }
    }
    return values;
}

}  // namespace highwater::study
