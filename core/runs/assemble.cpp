#include <algorithm>
#include <cmath>

#include "core/base/statistics.h"
#include "core/runs/run_folder.h"

namespace highwater::runs {

namespace {

using wire::PhaseTimes;
using wire::RunResult;
using wire::StepDone;

wire::Millis medianOf(const std::vector<PhaseTimes>& steps, wire::Millis PhaseTimes::* phase) {
    std::vector<double> values;
    for (const PhaseTimes& step : steps) {
        if (std::isfinite(step.*phase)) {
            values.push_back(step.*phase);
        }
    }
    return base::median(values);
}

PhaseTimes mediansOf(const std::vector<PhaseTimes>& steps) {
    return {medianOf(steps, &PhaseTimes::data), medianOf(steps, &PhaseTimes::forward),
            medianOf(steps, &PhaseTimes::recompute), medianOf(steps, &PhaseTimes::backward),
            medianOf(steps, &PhaseTimes::optimizer)};
}

void addTimes(const std::vector<const StepDone*>& measured, std::int64_t batchSize, RunResult& result) {
    std::vector<double> totals;
    std::vector<PhaseTimes> phases, host;
    for (const StepDone* step : measured) {
        if (std::isfinite(step->total)) {
            totals.push_back(step->total);
        }
        phases.push_back(step->phases);
        if (step->host) {
            host.push_back(*step->host);
        }
    }
    result.stepMs = base::medianWithInterval(totals);
    result.phasesMs = mediansOf(phases);
    if (!host.empty()) {
        result.hostMs = mediansOf(host);
    }
    if (result.stepMs.median > 0) {
        result.throughput = static_cast<double>(batchSize) * 1000 / result.stepMs.median;
    }
}

void raisePeak(const wire::PeakMoment& moment, RunResult& result) {
    if (moment.ledger.total() > result.peak.ledger.total()) {
        result.peak = moment;
    }
}

void takeDevice(const std::optional<wire::DeviceMemory>& device, RunResult& result) {
    if (!device) {
        return;
    }
    result.peakReserved = std::max(result.peakReserved, device->reserved());
    result.peakDeviceUsed = std::max(result.peakDeviceUsed, device->used());
    if (!result.deviceAtPeak || device->tensors >= result.deviceAtPeak->tensors) {
        result.deviceAtPeak = device;
    }
    result.deviceAtEnd = device;
}

/// Adds events, one by one, to a result.
class Assembler {
public:
    explicit Assembler(RunResult& result) : result_(result) {}

    void operator()(const wire::Started& started) {
        result_.environment = started.environment;
        result_.layers = started.layers;
    }
    void operator()(const wire::LedgerSample& sample) {
        highest_ = std::max(highest_, sample.high);
        raisePeak({sample.ledger, 0, sample.phase, -1}, result_);
        result_.atEnd = sample.ledger;
        takeDevice(sample.device, result_);
    }
    void operator()(const StepDone& step) {
        raisePeak(step.peak, result_);
        result_.losses.push_back(step.loss);
        if (step.timed()) {
            measured_.push_back(&step);
        }
    }
    void operator()(const wire::LayerEvent& layer) {
        if (layer.layer < static_cast<int>(result_.layers.size())) {
            result_.layers[static_cast<std::size_t>(layer.layer)] = layer.cost;
        }
    }
    void operator()(const wire::Failed& failed) {
        raisePeak({failed.ledger, 0, failed.phase, -1}, result_);
        result_.atEnd = failed.ledger;
        takeDevice(failed.device, result_);
        result_.failure = failed;
        result_.status = failed.status;
    }
    void operator()(const wire::PatchSaved&) {}
    void operator()(const wire::Warning&) {}
    void operator()(const wire::Finished&) {}

    void finish(std::int64_t batchSize) {
        // Between two samples only the total is known: the difference counts as temporaries.
        result_.peak.ledger[memory::Category::Temporaries] +=
            std::max<base::Bytes>(0, highest_ - result_.peak.ledger.total());
        result_.peakByCategory = result_.peak.ledger;
        result_.peakAllocated = result_.peak.ledger.total();
        if (result_.peak.layer >= static_cast<int>(result_.layers.size())) {
            result_.peak.layer = -1;
        }
        if (!result_.losses.empty()) {
            result_.lossFirst = result_.losses.front();
            result_.lossLast = result_.losses.back();
        }
        addTimes(measured_, batchSize, result_);
    }

private:
    RunResult& result_;
    base::Bytes highest_ = 0;
    std::vector<const StepDone*> measured_;
};

}  // namespace

RunResult assembleResult(const std::vector<wire::Event>& events, const std::string& runId,
                         std::int64_t batchSize) {
    RunResult result;
    result.runId = runId;
    result.status = wire::RunStatus::Failed;
    Assembler assembler(result);
    for (const wire::Event& event : events) {
        if (const auto* finished = std::get_if<wire::Finished>(&event)) {
            return *finished->result;
        }
        std::visit(assembler, event);
    }
    assembler.finish(batchSize);
    return result;
}

}  // namespace highwater::runs
