#include "app/desktop/run/live_values.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/desktop/experiment/stack/sizes_text.h"
#include "app/desktop/experiment/target/gpu_values.h"
#include "app/desktop/run/run_row.h"
#include "core/wire/gpu_words.h"

namespace highwater::desktop {

static_assert(static_cast<int>(wire::Phase::Setup) - 1 == widgets::kSetupPhase);
static_assert(static_cast<int>(wire::Phase::Optimizer) - 1 == widgets::kPhaseCount - 1);

int plotPhaseOf(wire::Phase phase) {
    return static_cast<int>(phase) - 1;
}

QString runMark(const stack::Experiment& experiment, const QString& title) {
    stack::Sizes sizes;
    int dims = 3;
    if (const auto* scan = std::get_if<stack::ScanInput>(&experiment.input)) {
        sizes = scan->patch;
    } else {
        const stack::Shape& shape = std::get<stack::SyntheticInput>(experiment.input).shape;
        sizes.assign(shape.empty() ? shape.begin() : shape.begin() + 1, shape.end());
        dims = static_cast<int>(sizes.size());
    }
    if (experiment.step.batchSize == 0) {  // a script's run: only its command is known
        return QObject::tr("%1: %2").arg(title, QString::fromStdString(experiment.name));
    }
    return QObject::tr("%1: batch %2, %3")
        .arg(title)
        .arg(experiment.step.batchSize)
        .arg(sizesWords(sizes, dims));
}

widgets::RunShape toRunShape(const wire::Started& started) {
    widgets::RunShape shape;
    shape.warmup = started.warmup;
    shape.steps = started.steps;
    shape.budget = started.budget;
    shape.capacity = started.environment.memoryBytes;
    for (const wire::LayerCost& layer : started.layers) {
        shape.layerNames.push_back(QString::fromStdString(layer.name));
    }
    return shape;
}

widgets::StepBar toStepBar(const wire::StepDone& step) {
    const wire::PhaseTimes& p = step.phases;
    widgets::StepBar bar{step.index, step.warmup, p.inOrder(), step.peak.ledger};
    if (std::isfinite(step.loss)) {
        bar.loss = step.loss;
    }
    if (const auto& h = step.host) {
        bar.hostMs = {h->data, h->forward, h->recompute, h->backward, h->optimizer};
        bar.hostSlower = wire::hostIsSlower(p, *h);
    }
    return bar;
}

widgets::PeakInfo toPeakInfo(const wire::PeakMoment& peak) {
    return {peak.ledger, peak.time, plotPhaseOf(peak.phase), peak.layer};
}

widgets::MemoryPoint toPoint(const wire::LedgerSample& sample) {
    return {sample.time, sample.ledger, sample.device ? sample.device->reserved() : 0,
            plotPhaseOf(sample.phase)};
}

std::vector<widgets::MemoryPoint> toPoints(const std::vector<wire::TimelinePoint>& timeline) {
    std::vector<widgets::MemoryPoint> points;
    points.reserve(timeline.size());
    for (const wire::TimelinePoint& p : timeline) {
        points.push_back({p.time, p.ledger});
    }
    return points;
}

std::vector<widgets::PhaseSpan> toSpans(const std::vector<wire::PhaseMark>& marks) {
    std::vector<widgets::PhaseSpan> spans;
    spans.reserve(marks.size());
    for (const wire::PhaseMark& m : marks) {
        spans.push_back({m.time, plotPhaseOf(m.phase), m.layer});
    }
    return spans;
}

widgets::Refusal toRefusal(const wire::Failed& failure, const std::vector<wire::LayerCost>& layers) {
    const auto at = std::find_if(layers.begin(), layers.end(),
                                 [&](const wire::LayerCost& layer) { return layer.name == failure.layer; });
    const int layer =
        failure.layer.empty() || at == layers.end() ? -1 : static_cast<int>(at - layers.begin());
    return {failure.requested,
            failure.step,
            plotPhaseOf(failure.phase),
            layer,
            failure.ledger,
            failure.device ? failure.device->reserved() : 0};
}

GaugeState gaugeOf(base::Bytes peak, std::optional<base::Bytes> budget, wire::RunStatus status,
                   std::optional<GaugeDevice> device) {
    const bool worthSaying = status == wire::RunStatus::Cancelled || status == wire::RunStatus::Failed;
    return {peak,
            budget,
            false,
            status == wire::RunStatus::OutOfMemory,
            false,
            worthSaying ? stateText(status) : QString(),
            std::move(device)};
}

std::optional<GaugeDevice> gaugeDevice(const std::optional<wire::DeviceMemory>& device) {
    return device ? std::optional(toGauge(*device)) : std::nullopt;
}

widgets::StoredRun toStoredRun(const runs::RunRecord& run) {
    widgets::StoredRun stored;
    const std::vector<wire::LayerCost>* layers = &run.result.layers;
    ReservedTrack reserved;
    for (const wire::Event& event : run.events) {
        if (const auto* sample = std::get_if<wire::LedgerSample>(&event)) {
            reserved.add(*sample);
            if (std::exchange(stored.begunStep, sample->step) != sample->step) {
                stored.begun.clear();
            }
            stored.begun.push_back(toPoint(*sample));
        } else if (const auto* started = std::get_if<wire::Started>(&event)) {
            stored.shape = toRunShape(*started);
            layers = &started->layers;
        } else if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            stored.steps.push_back(toStepBar(*step));
            stored.begun.clear();
            if (step->timeline.empty()) {
                continue;
            }
            stored.timelineStep = step->index;
            stored.timeline = toPoints(step->timeline);
            reserved.fill(step->index, stored.timeline);
            stored.spans = toSpans(step->marks);
            stored.peak = toPeakInfo(step->peak);
        } else if (const auto* failed = std::get_if<wire::Failed>(&event);
                   failed && failed->status == wire::RunStatus::OutOfMemory) {
            stored.refusal = toRefusal(*failed, *layers);
        }
    }
    const bool pretended = run.script && run.script->pretended() && !run.script->watched;
    if (stored.refusal && pretended && !stored.timeline.empty() && stored.begun.empty()) {
        // A pretended script's steps are recorded at its end, and the last one is that in which memory ran
        // out.
        stored.begun = stored.timeline;
        stored.begunStep = stored.refusal->step;
        if (stored.refusal->ledger.total() == 0 && stored.peak) {
            stored.refusal->ledger = stored.peak->ledger;
        }
    }
    stored.stepMs = run.result.stepMs;
    stored.throughput = run.result.throughput;
    stored.device = endStatus(run.result);
    return stored;
}

const wire::Environment& environmentOf(const runs::RunRecord& run) {
    for (const wire::Event& event : run.events) {
        if (const auto* started = std::get_if<wire::Started>(&event)) {
            return started->environment;
        }
    }
    return run.result.environment;
}

}  // namespace highwater::desktop
