#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/base/json_exchange.h"
#include "core/wire/events.h"

/// The JSON fields of events and results, defined once for reading and writing. Private to core/wire. Fields
/// that were added after the first release, and those that only some runs have, may be absent.
namespace highwater::wire {

using base::Exchanged;
using base::Json;
using base::kBytes;
using base::kIndex;
using base::kIndexOrNone;

template <class Way>
void categories(Way& way, Exchanged<Way, memory::Ledger>& ledger) {
    for (const memory::Category category : memory::kCategories) {
        way(memory::categoryKey(category), ledger.bytes[static_cast<std::size_t>(category)], kBytes);
    }
}
template <class Way>
void ledger(Way& way, std::string_view key, Exchanged<Way, memory::Ledger>& of) {
    way.group(key, [&](auto& inner) { categories(inner, of); });
}
template <class Way>
void phase(Way& way, std::string_view key, Exchanged<Way, Phase>& of) {
    way.word(key, of, &phaseKey, &phaseFromKey);
}
template <class Way>
void status(Way& way, std::string_view key, Exchanged<Way, RunStatus>& of) {
    way.word(key, of, &statusKey, &statusFromKey);
}
template <class Way>
void interval(Way& way, std::string_view key, Exchanged<Way, base::Interval>& of) {
    way.group(key, [&](auto& inner) {
        inner("median", of.median);
        inner.pair("ci95", of.low, of.high);
        inner("n", of.n, kIndex);
    });
}

template <class Way>
void exchange(Way& way, Exchanged<Way, PhaseTimes>& times) {
    way("data", times.data);
    way("forward", times.forward);
    way("recompute", times.recompute);
    way("backward", times.backward);
    way("optimizer", times.optimizer);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, LayerCost>& layer) {
    way("name", layer.name);
    way("type", layer.type);
    way("output_shape", layer.outputShape);
    way("parameters", layer.parameters);
    way("activation_bytes", layer.activationBytes, kBytes);
    way("forward_ms", layer.forwardMs);
    way("backward_ms", layer.backwardMs);
}

/// The environment's fields are stored next to the other fields of the enclosing object.
template <class Way>
void exchange(Way& way, Exchanged<Way, Environment>& environment) {
    way("device", environment.device);
    way("device_name", environment.deviceName);
    way("versions", environment.versions);
    way("threads", environment.threads, kIndex);
    way("isa", environment.isa);
    way("memory_bytes", environment.memoryBytes, kBytes);
    way.unless(0, "architecture", environment.architecture, kIndex);
}

/// `used` is the sum of the parts.
template <class Way>
void exchange(Way& way, Exchanged<Way, DeviceMemory>& device) {
    way("tensors", device.tensors, kBytes);
    way("rounding", device.rounding, kBytes);
    way("split", device.split, kBytes);
    way("cache", device.cache, kBytes);
    way("context", device.context, kBytes);
    way("context_known", device.contextKnown);
    way("others", device.others, kBytes);
    way.derived("used", device.used());
    way("capacity", device.capacity, kBytes);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, GpuConditions>& conditions) {
    way("sm_clock_mhz", conditions.smClockMHz, kIndex);
    way("max_sm_clock_mhz", conditions.maxSmClockMHz, kIndex);
    way("memory_clock_mhz", conditions.memoryClockMHz, kIndex);
    way("temperature_c", conditions.temperatureC, kIndex);
    way("power_w", conditions.powerW);
    way("throttled", conditions.throttled);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, LayerWorkspace>& workspace) {
    way("layer", workspace.layer, kIndexOrNone);
    phase(way, "phase", workspace.phase);
    way("bytes", workspace.bytes, kBytes);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, PeakMoment>& peak) {
    ledger(way, "bytes", peak.ledger);
    way("time_ms", peak.time);
    phase(way, "phase", peak.phase);
    way("layer", peak.layer, kIndexOrNone);
}

/// Stored as rows, because these are most of a step's line: [time, bytes in the order of kCategories...].
template <class Way>
void exchange(Way& way, Exchanged<Way, TimelinePoint>& point) {
    way("time_ms", point.time);
    categories(way, point.ledger);
}
template <class Way>
void exchange(Way& way, Exchanged<Way, PhaseMark>& mark) {
    way("time_ms", mark.time);
    phase(way, "phase", mark.phase);
    way("layer", mark.layer, kIndexOrNone);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, Failed>& failed) {
    status(way, "status", failed.status);
    way("why", failed.why);
    way("step", failed.step, kIndex);
    phase(way, "phase", failed.phase);
    way("layer", failed.layer);
    way("requested_bytes", failed.requested);
    ledger(way, "bytes", failed.ledger);
    way("device_memory", failed.device);
    way.unless(std::string(), "would_fit", failed.wouldFit);
    way.unless(std::int64_t{0}, "fitting_batch", failed.fittingBatch);
}

/// The keys are those of `predict --json`; only `activation_bytes` of its layers is stored.
template <class Way>
void exchange(Way& way, Exchanged<Way, Predicted>& predicted) {
    way("target", predicted.target);
    way.group("peak_allocated_bytes", [&](auto& peak) {
        peak("low", predicted.low, kBytes);
        peak("expected", predicted.expected, kBytes);
        peak("high", predicted.high, kBytes);
    });
    way.derived("exact", predicted.exact());
    ledger(way, "peak_by_category", predicted.peakByCategory);
    way.group("step_ms", [&](auto& step) {
        step("low", predicted.stepLow);
        step("expected", predicted.step);
        step("high", predicted.stepHigh);
    });
    way("activation_bytes", predicted.activationBytes, kBytes);
    way("guesses", predicted.guesses);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, RankResult>& rank) {
    way("rank", rank.rank, kIndex);
    status(way, "status", rank.status);
    way.unless(std::string(), "why", rank.why);
    way("peak_allocated_bytes", rank.peakAllocated, kBytes);
    way("peak_rss_bytes", rank.peakRss, kBytes);
    ledger(way, "peak_by_category", rank.peakByCategory);
    interval(way, "step_ms", rank.stepMs);
    way("loss_last", rank.lossLast);
    way("weights", rank.weights);
}

/// Fields of GPU runs are left out on the CPU.
template <class Way>
void exchange(Way& way, Exchanged<Way, RunResult>& result) {
    way("run_id", result.runId);
    status(way, "status", result.status);
    exchange(way, result.environment);
    way("peak_allocated_bytes", result.peakAllocated, kBytes);
    way.unless(Bytes{0}, "peak_reserved_bytes", result.peakReserved, kBytes);
    way("peak_rss_bytes", result.peakRss, kBytes);
    ledger(way, "peak_by_category", result.peakByCategory);
    way("peak", result.peak);
    way("layers", result.layers);
    interval(way, "step_ms", result.stepMs);
    way("phases_ms", result.phasesMs);
    way("throughput_samples_per_s", result.throughput);
    way("loss_first", result.lossFirst);
    way("loss_last", result.lossLast);
    way("losses", result.losses);
    ledger(way, "at_end", result.atEnd);
    way.unless(std::int64_t{0}, "cases", result.cases);
    way("device_at_peak", result.deviceAtPeak);
    way("device_at_end", result.deviceAtEnd);
    way.unless(Bytes{0}, "peak_device_used_bytes", result.peakDeviceUsed, kBytes);
    way.unless(PhaseTimes(), "host_ms", result.hostMs);
    way.optionalGroup("conditions", [&](auto& conditions) {
        conditions("before", result.before);
        conditions("after", result.after);
    });
    way.unless(std::vector<LayerWorkspace>(), "workspaces", result.workspaces);
    way.unless(std::int64_t{0}, "allocation_retries", result.allocationRetries);
    way.unless(std::int64_t{0}, "workspaces_refused", result.workspacesRefused);
    way("failure", result.failure);
    way("predicted", result.predicted);
    way.unless(std::vector<RankResult>(), "ranks", result.ranks);
    if constexpr (Way::kReads) {
        const int last = static_cast<int>(result.layers.size()) - 1;
        if (result.peak.layer > last) {
            way.fail("peak", "names a layer that is not in the list");
        }
        if (std::ranges::any_of(result.workspaces, [&](const auto& each) { return each.layer > last; })) {
            way.fail("workspaces/layer", "must be a whole number from -1 to " + std::to_string(last));
        }
    }
}

template <class Way>
void exchange(Way& way, Exchanged<Way, Started>& started) {
    way("run_id", started.runId);
    exchange(way, started.environment);
    way("steps", started.steps, kIndex);
    way("warmup", started.warmup, kIndex);
    way("budget_bytes", started.budget, kBytes);
    way("layers", started.layers);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, LedgerSample>& sample) {
    way("time_ms", sample.time);
    ledger(way, "bytes", sample.ledger);
    way("low", sample.low, kBytes);
    way("high", sample.high, kBytes);
    way("merged", sample.merged);
    way("step", sample.step, kIndex);
    phase(way, "phase", sample.phase);
    way("device_memory", sample.device);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, StepDone>& step) {
    way("index", step.index, kIndex);
    way("warmup", step.warmup);
    way("phases_ms", step.phases);
    way("total_ms", step.total);
    way("host_ms", step.host);
    way("peak", step.peak);
    way("loss", step.loss);
    way.rowsIfAny("timeline", step.timeline);
    way.rowsIfAny("marks", step.marks);
    way.unless(false, "waited", step.waited);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, LayerEvent>& layer) {
    way("layer", layer.layer, kIndex);
    exchange(way, layer.cost);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, PatchSaved>& patch) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    way("file", patch.file);
    way("start", patch.start, base::Whole{kLeast, std::numeric_limits<std::int64_t>::max()});
    way("step", patch.step, kIndex);
    way.olderWithout("sample", patch.sample);
    way.olderWithout("case", patch.theCase);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, Warning>& warning) {
    way("message", warning.message);
}

template <class Way>
void exchange(Way& way, Exchanged<Way, Finished>& finished) {
    way("result", *finished.result);
}

}  // namespace highwater::wire
