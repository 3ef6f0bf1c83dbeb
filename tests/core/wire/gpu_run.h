#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/wire/events.h"

/// A made-up GPU run as reported by the engine: a small 3D stack on an H200, whose memory sums to the value
/// that nvidia-smi would show. For tests of displaying and reading GPU runs without a GPU.
namespace highwater::wire::test {

struct GpuRun {
    std::string id = "20261121-150000-9a7c01";
    int warmup = 2, steps = 8;
    bool outOfMemory = false;  ///< refused in the last step, with a batch that would have fitted
    bool contextKnown = true;  ///< false: in a container
    bool hostBound = false;    ///< the host takes longer than the GPU
    bool throttled = false;    ///< by its power limit
};

namespace gpu_run {

using base::kGiB;
using base::kMiB;
using memory::Category;

inline Environment environment() {
    return {"cuda:0",
            "NVIDIA H200",
            {{"highwater", "0.4.0"},
             {"libtorch", "2.11.0"},
             {"cuda", "13.0"},
             {"cudnn", "9.19.0"},
             {"driver", "580.95.05"},
             {"compiler", "g++ 12.2.0"},
             {"os", "Debian GNU/Linux 12"}},
            16,
            "avx512",
            Bytes{143'771} * kMiB,
            90};
}

inline std::vector<LayerCost> layers() {
    const stack::Shape full = {4, 64, 128, 128, 128}, low = {4, 128, 64, 64, 64};
    return {{"1 conv", "conv", full, 1'792, 2 * kGiB, 2.1, 5.2},
            {"2 instance_norm", "instance_norm", full, 128, 2 * kGiB, 1.4, 2.2},
            {"3 leaky_relu", "leaky_relu", full, 0, 0, 0.7, 1.1},
            {"4 conv", "conv", low, 221'312, 512 * kMiB, 3.4, 7.9},
            {"5 leaky_relu", "leaky_relu", low, 0, 0, 0.2, 0.4},
            {"6 upsample", "upsample", {4, 128, 128, 128, 128}, 0, 4 * kGiB, 1.1, 1.6},
            {"7 conv", "conv", full, 221'248, 2 * kGiB, 9.8, 21.4}};
}

/// At fraction `at` (0 to 1) of a step; in the first step the cache is still growing.
inline memory::Ledger ledgerAt(double at, bool bump) {
    memory::Ledger l;
    l[Category::Input] = 96 * kMiB;
    l[Category::Parameters] = Bytes{1'777'920};
    l[Category::OptimizerState] = Bytes{3'555'840};
    const double backward = std::max(0.0, (at - 0.35) / 0.6);
    const auto part = [](double gib) { return static_cast<Bytes>(gib * 1024) * kMiB; };
    l[Category::Gradients] = at > 0.35 ? Bytes{1'777'920} : 0;
    l[Category::Activations] = part(at < 0.35 ? 10.5 * at / 0.35 : 10.5 * std::max(0.0, 1 - backward));
    l[Category::Temporaries] = part(bump ? 2.0 : 0.1);
    l[Category::Workspace] = bump ? 640 * kMiB : 8 * kMiB;
    return l;
}

/// Sums: tensors + rounding + split + cache is the reserved memory, in whole segments.
inline DeviceMemory deviceAt(const memory::Ledger& ledger, Bytes reserved, bool contextKnown) {
    DeviceMemory d;
    d.tensors = ledger.total();
    d.rounding = 3 * kMiB + 211'456;
    const Bytes free = std::max<Bytes>(0, reserved - d.tensors - d.rounding);
    d.split = free / 3;
    d.cache = free - d.split;
    d.context = 518 * kMiB;
    d.others = 1'204 * kMiB;
    d.capacity = environment().memoryBytes;
    d.contextKnown = contextKnown;
    return d;
}

inline Bytes reservedIn(int step) {
    return step == 0 ? Bytes{13} * kGiB + 512 * kMiB : Bytes{14} * kGiB + 512 * kMiB;
}

inline bool bumpAt(int i) {
    return i % 12 > 8;
}

inline constexpr int kPoints = 120;

inline StepDone stepDone(int index, const GpuRun& run) {
    StepDone s;
    s.index = index;
    s.warmup = index < run.warmup;
    const double wobble = 1 + 0.01 * std::sin(index * 2.3) + (index == 0 ? 3.0 : 0);
    s.phases = {0.8 * wobble, 18.7 * wobble, 0, 39.8 * wobble, 0.6 * wobble};
    s.host = run.hostBound ? PhaseTimes{1.1 * wobble, 18.5 * wobble, 0, 39.5 * wobble, 0.9 * wobble}
                           : PhaseTimes{0.4 * wobble, 3.1 * wobble, 0, 5.2 * wobble, 0.9 * wobble};
    s.total = s.phases.total() + 0.3;
    s.loss = 0.9 * std::exp(-index / 6.0) + 0.1;
    for (int i = 0; i < kPoints; ++i) {
        const double at = static_cast<double>(i) / kPoints;
        s.timeline.push_back({at * s.total, ledgerAt(at, bumpAt(i))});
        if (s.timeline.back().ledger.total() > s.peak.ledger.total()) {
            s.peak = {s.timeline.back().ledger, at * s.total, at < 0.35 ? Phase::Forward : Phase::Backward,
                      6};
        }
    }
    s.marks = {{0, Phase::Data, -1},
               {0.02 * s.total, Phase::Forward, 0},
               {0.2 * s.total, Phase::Forward, 6},
               {0.35 * s.total, Phase::Backward, 6},
               {0.7 * s.total, Phase::Backward, 0},
               {0.97 * s.total, Phase::Optimizer, -1}};
    return s;
}

inline Failed failed(const GpuRun& run) {
    Failed f;
    f.status = RunStatus::OutOfMemory;
    f.why = "out of memory in forward of 7 conv: 8.00 GiB were asked for, 4.72 GiB were free";
    f.step = 0;
    f.phase = Phase::Forward;
    f.layer = "7 conv";
    f.requested = 8 * kGiB;
    f.ledger = ledgerAt(0.34, true);
    f.ledger[Category::Activations] = Bytes{130} * kGiB;
    f.device = deviceAt(f.ledger, Bytes{134} * kGiB, run.contextKnown);
    f.wouldFit = "a batch of 3 would have fitted: 96.4 GiB predicted";
    f.fittingBatch = 3;
    return f;
}

inline RunResult resultOf(const GpuRun& run, const std::vector<StepDone>& steps) {
    RunResult r;
    r.runId = run.id;
    r.environment = environment();
    r.layers = layers();
    std::vector<double> totals;
    for (const StepDone& step : steps) {
        r.losses.push_back(step.loss);
        if (step.peak.ledger.total() > r.peak.ledger.total()) {
            r.peak = step.peak;
        }
        if (!step.warmup) {
            totals.push_back(step.total);
            r.phasesMs = step.phases;
            r.hostMs = *step.host;
        }
    }
    r.stepMs = base::medianWithInterval(totals);
    r.throughput = r.stepMs.median > 0 ? 4 * 1000 / r.stepMs.median : 0;
    if (run.outOfMemory) {
        r.status = RunStatus::OutOfMemory;
        r.failure = failed(run);
        r.peak = {r.failure->ledger, 0, Phase::Forward, 6};
    }
    r.peakAllocated = r.peak.ledger.total();
    r.peakByCategory = r.peak.ledger;
    const Bytes reserved = run.outOfMemory ? Bytes{134} * kGiB : reservedIn(1);
    r.peakReserved = reserved;
    r.peakRss = 3 * kGiB;
    r.deviceAtPeak = deviceAt(r.peak.ledger, reserved, run.contextKnown);
    r.atEnd = ledgerAt(0.98, false);
    r.deviceAtEnd = deviceAt(r.atEnd, reserved, run.contextKnown);
    r.peakDeviceUsed = r.deviceAtPeak->used();
    r.before = GpuConditions{1980, 1980, 3201, 41, 118.4, {}};
    r.after = run.throttled ? GpuConditions{1410, 1980, 3201, 83, 699.1, {"power cap"}}
                            : GpuConditions{1980, 1980, 3201, 54, 512.7, {}};
    r.workspaces = {{0, Phase::Forward, 8 * kMiB},   {0, Phase::Backward, 96 * kMiB},
                    {3, Phase::Forward, 128 * kMiB}, {3, Phase::Backward, 256 * kMiB},
                    {6, Phase::Forward, 640 * kMiB}, {6, Phase::Backward, 384 * kMiB}};
    r.workspacesRefused = run.outOfMemory ? 3 : 0;
    r.allocationRetries = run.outOfMemory ? 1 : 0;
    if (!steps.empty()) {
        r.lossFirst = r.losses.front();
        r.lossLast = r.losses.back();
    }
    return r;
}

}  // namespace gpu_run

/// Started, samples and steps (or the failure), Finished.
inline std::vector<Event> gpuRunEvents(const GpuRun& run) {
    using namespace gpu_run;
    std::vector<LayerCost> bare = layers();
    for (LayerCost& layer : bare) {
        layer.activationBytes = 0, layer.forwardMs = layer.backwardMs = 0;
    }
    std::vector<Event> events;
    events.emplace_back(Started{run.id, environment(), bare, run.steps, run.warmup, {}});
    std::vector<StepDone> steps;
    double clock = 400;
    for (int index = 0; index < run.warmup + run.steps && !run.outOfMemory; ++index) {
        const StepDone step = stepDone(index, run);
        for (int i = 0; i < kPoints; i += 8) {
            const TimelinePoint& point = step.timeline[static_cast<std::size_t>(i)];
            events.emplace_back(LedgerSample{clock + point.time, point.ledger, point.ledger.total(),
                                             point.ledger.total(), 8, index, Phase::Forward,
                                             deviceAt(point.ledger, reservedIn(index), run.contextKnown)});
        }
        clock += step.total;
        steps.push_back(step);
        events.emplace_back(step);
    }
    if (run.outOfMemory) {
        for (int i = 0; i < 40; ++i) {
            memory::Ledger ledger = ledgerAt(0.34, false);
            ledger[Category::Activations] = Bytes{130} * kGiB * i / 39;
            const Bytes reserved = ledger.total() / kGiB * kGiB + kGiB;
            events.emplace_back(LedgerSample{clock + 5.0 * i, ledger, ledger.total(), ledger.total(), 4, 0,
                                             Phase::Forward, deviceAt(ledger, reserved, run.contextKnown)});
        }
        events.emplace_back(failed(run));
    }
    for (int i = 0; i < static_cast<int>(layers().size()) && !run.outOfMemory; ++i) {
        events.emplace_back(LayerEvent{i, layers()[static_cast<std::size_t>(i)]});
    }
    events.emplace_back(Finished{resultOf(run, steps)});
    return events;
}

inline RunResult gpuResult(const GpuRun& run) {
    return *std::get<Finished>(gpuRunEvents(run).back()).result;
}

}  // namespace highwater::wire::test
