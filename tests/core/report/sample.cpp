#include "tests/core/report/sample.h"

#include <cmath>
#include <limits>

#include "core/base/statistics.h"

namespace highwater::report {
namespace {

using base::kMiB;
using memory::Category;

stack::Layer layer(stack::Op op, std::string id = "") {
    return {std::move(id), std::move(op)};
}

stack::Conv conv(std::int64_t channels, std::int64_t stride = 1) {
    stack::Conv c;
    c.outChannels = channels;
    c.stride = {stride};
    c.padding.sizes = {1};
    return c;
}

stack::Activation relu() {
    return {.kind = stack::Activation::Kind::LeakyRelu, .inplace = true};
}

stack::Norm norm() {
    return {.kind = stack::Norm::Kind::Instance, .affine = false};
}

stack::Experiment sampleExperiment() {
    stack::Experiment e;
    e.name = "two levels, checkpoint enc2";
    stack::ScanInput input;
    input.scans = {{"/data/head.nii.gz", {}, 0}};
    input.patch = {96, 80, 64};
    e.input = input;
    stack::Block block;
    block.name = "enc2";
    block.checkpoint = true;
    block.layers = {layer(conv(64, 2)), layer(norm()), layer(relu()), layer(conv(64))};
    stack::Upsample up;
    up.mode = stack::Upsample::Mode::Trilinear;
    e.stack = {layer(conv(64)), layer(norm(), "enc1"),
               layer(relu()),   layer(std::move(block)),
               layer(up),       layer(stack::Merge{.kind = stack::Merge::Kind::Concat, .with = {"enc1"}}),
               layer(conv(64)), layer(conv(2))};
    e.step.batchSize = 2;
    return e;
}

std::vector<wire::LayerCost> sampleLayers() {
    const stack::Shape full = {2, 64, 96, 80, 64}, low = {2, 64, 48, 40, 32};
    return {{"1 conv", "conv", full, 1792, 240 * kMiB, 14.2, 31.5},
            {"2 instance_norm", "instance_norm", full, 0, 240 * kMiB, 6.1, 11.0},
            {"3 leaky_relu", "leaky_relu", full, 0, 0, 1.9, 2.8},
            {"enc2", "block", low, 221'440, 30 * kMiB, 21.0, 48.2},
            {"enc2 · 1 conv", "conv", low, 110'656, 30 * kMiB, 9.2, 19.3},
            {"enc2 · 2 instance_norm", "instance_norm", low, 0, 0, 1.1, 2.4},
            {"enc2 · 3 leaky_relu", "leaky_relu", low, 0, 0, 0.4, 0.6},
            {"enc2 · 4 conv", "conv", low, 110'656, 30 * kMiB, 10.3, 25.9},
            {"5 upsample", "upsample", full, 0, 240 * kMiB, 7.3, 9.9},
            {"6 concat", "concat", {2, 128, 96, 80, 64}, 0, 480 * kMiB, 5.0, 6.2},
            {"7 conv", "conv", full, 221'248, 240 * kMiB, 41.7, 88.0},
            {"8 conv", "conv", {2, 2, 96, 80, 64}, 3'458, 7'864'320, 2.2, 5.1}};
}

wire::Environment sampleEnvironment() {
    wire::Environment e;
    e.device = "cpu";
    e.deviceName = "AMD EPYC 9554";
    e.versions = {{"highwater", "0.1.0"},      {"libtorch", "1.13.1"},     {"onednn", "2.7.2"},
                  {"blas", "OpenBLAS 0.3.21"}, {"compiler", "g++ 12.2.0"}, {"os", "Debian GNU/Linux 12"}};
    e.threads = 2;
    e.isa = "avx512";
    e.memoryBytes = 8 * base::kGiB;
    return e;
}

/// The ledger at fraction `at` (0 to 1) of a step: activations rise, then fall; gradients grow in the
/// backward pass.
memory::Ledger ledgerAt(double at, double scale) {
    const auto mib = [scale](double value) { return static_cast<base::Bytes>(value * scale * kMiB); };
    memory::Ledger l;
    l[Category::Input] = 15 * kMiB;
    l[Category::Parameters] = 2 * kMiB;
    l[Category::OptimizerState] = 4 * kMiB;
    const double backward = std::max(0.0, (at - 0.4) / 0.55);
    l[Category::Gradients] = mib(std::min(1.0, backward) * 3);
    l[Category::Activations] = mib(at < 0.4 ? 1440 * at / 0.4 : 1440 * std::max(0.0, 1 - backward));
    const bool bump = std::fmod(at * 20, 1.0) > 0.6 && at < 0.95;
    l[Category::Temporaries] = mib(bump ? 180 : 6);
    l[Category::Workspace] = mib(bump && at > 0.4 ? 90 : 0);
    return l;
}

wire::StepDone sampleStep(int index, int warmup) {
    wire::StepDone s;
    s.index = index;
    s.warmup = index < warmup;
    const double wobble = 1 + 0.015 * std::sin(index * 2.3) + (index == 0 ? 0.6 : 0);
    s.phases = {14 * wobble, 92 * wobble, 21 * wobble, 214 * wobble, 6 * wobble};
    s.total = s.phases.total() + 0.4;
    s.loss = 0.9 * std::exp(-index / 12.0) + 0.11 + 0.02 * std::sin(index * 1.7);
    for (int i = 0; i < 300; ++i) {
        const double at = i / 300.0;
        s.timeline.push_back({at * s.total, ledgerAt(at, 1)});
        if (s.timeline.back().ledger.total() > s.peak.ledger.total()) {
            s.peak = {s.timeline.back().ledger, at * s.total,
                      at < 0.4 ? wire::Phase::Forward : wire::Phase::Backward, 10};
        }
    }
    const double t = s.total;
    s.marks = {{0, wire::Phase::Data, -1},           {0.04 * t, wire::Phase::Forward, -1},
               {0.4 * t, wire::Phase::Backward, -1}, {0.62 * t, wire::Phase::Recompute, 3},
               {0.68 * t, wire::Phase::Backward, 3}, {0.97 * t, wire::Phase::Optimizer, -1}};
    return s;
}

}  // namespace

runs::RunRecord sampleRun(int steps, int number) {
    runs::RunRecord run;
    run.experiment = sampleExperiment();
    run.summary.id = "20261121-070512-3f9a2c";
    run.summary.number = number;
    run.summary.name = run.experiment.name;
    run.summary.created = "2026-11-21T07:05:12.345Z";
    run.summary.status = wire::RunStatus::Done;
    run.summary.device = "cpu";
    run.summary.batchSize = 2;
    run.summary.patch = {96, 80, 64};
    wire::RunResult& r = run.result;
    r.runId = run.summary.id;
    r.environment = sampleEnvironment();
    r.layers = sampleLayers();
    const int warmup = std::min(3, steps);
    run.events.push_back(
        wire::Started{r.runId, r.environment, r.layers, steps - warmup, warmup, 2 * base::kGiB});
    std::vector<double> totals;
    for (int i = 0; i < steps; ++i) {
        wire::StepDone s = sampleStep(i, warmup);
        r.losses.push_back(s.loss);
        if (!s.warmup) {
            totals.push_back(s.total);
        }
        if (s.peak.ledger.total() > r.peak.ledger.total()) {
            r.peak = s.peak;
        }
        if (steps > 100 && i + 1 < steps) {
            s.timeline.clear();
        }
        run.events.push_back(std::move(s));
    }
    if (steps > 0) {
        run.events.push_back(wire::PatchSaved{"patch-0.vol", {60, 70, 50}, 4});
    }
    run.events.push_back(wire::Warning{"the scan's spacing differs by axis: 0.86 to 0.90 mm"});
    r.peakByCategory = r.peak.ledger;
    r.peakAllocated = r.peak.ledger.total();
    r.peakRss = r.peakAllocated + 410 * kMiB;
    r.stepMs = base::medianWithInterval(totals);
    r.phasesMs = {14, 92, 21, 214, 6};
    r.throughput = r.stepMs.n > 0 ? 2000 / r.stepMs.median : 0;
    r.lossFirst = r.losses.empty() ? 0 : r.losses.front();
    r.lossLast = r.losses.empty() ? 0 : r.losses.back();
    r.atEnd[Category::Input] = 15 * kMiB;
    r.atEnd[Category::Parameters] = 2 * kMiB;
    r.atEnd[Category::OptimizerState] = 4 * kMiB;
    run.summary.peakAllocated = r.peakAllocated;
    run.summary.stepMs = r.stepMs;
    run.events.push_back(wire::Finished{r});
    return run;
}

runs::RunRecord pretendedRun(int steps, int number) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    runs::RunRecord run = sampleRun(steps, number);
    run.script.emplace();
    run.script->command = {"train.py", "--batch", "8"};
    run.script->gpu = "rtx3060";
    run.experiment = {};
    run.summary.device = run.result.environment.device = "pretended rtx3060";
    run.result.stepMs = {};
    run.result.phasesMs = {};
    run.result.losses.clear();
    run.result.throughput = 0;
    run.result.peakRss = 0;
    run.events.pop_back();
    for (wire::Event& event : run.events) {
        if (auto* const step = std::get_if<wire::StepDone>(&event)) {
            step->warmup = false;
            step->total = step->loss = kNone;
            step->phases = {};
        } else if (auto* const started = std::get_if<wire::Started>(&event)) {
            started->warmup = 0;
        }
    }
    return run;
}

runs::RunRecord failedRun(int number) {
    runs::RunRecord run = sampleRun(1, number);
    run.events.pop_back();
    run.summary.id = "20261121-071033-90c41b";
    run.summary.status = run.result.status = wire::RunStatus::OutOfMemory;
    run.result.runId = run.summary.id;
    for (int i = 0; i < 60; ++i) {
        wire::LedgerSample sample;
        sample.time = 900 + i * 3.0;
        sample.ledger = ledgerAt(i / 110.0, 1.2);
        sample.low = sample.high = sample.ledger.total();
        sample.step = 1;
        sample.phase = i < 4 ? wire::Phase::Data : i < 44 ? wire::Phase::Forward : wire::Phase::Backward;
        run.events.emplace_back(sample);
    }
    wire::Failed failed;
    failed.status = wire::RunStatus::OutOfMemory;
    failed.why = "the budget of 2.00 GiB does not hold 480 MiB more";
    failed.step = 1;
    failed.phase = wire::Phase::Backward;
    failed.layer = "6 concat";
    failed.requested = 480 * kMiB;
    failed.ledger = ledgerAt(0.5, 1.2);
    run.events.push_back(failed);
    run.result.failure = failed;
    run.summary.message = failed.why;
    return run;
}

}  // namespace highwater::report
