#pragma once

#include <cmath>

#include "widgets/plot/live_plots.h"

/// A made-up run that resembles a real one, for tests and pictures.
namespace highwater::testing {

using base::kGiB;
using base::kMiB;
using memory::Category;
using memory::Ledger;

inline widgets::RunShape sampleShape(int warmup = 3, int steps = 40) {
    widgets::RunShape run;
    run.warmup = warmup;
    run.steps = steps;
    for (int i = 1; i <= 12; ++i) {
        run.layerNames.push_back(QStringLiteral("%1 %2").arg(i).arg(i % 3 == 1   ? "conv"
                                                                    : i % 3 == 2 ? "norm"
                                                                                 : "relu"));
    }
    run.budget = 2 * kGiB + 205 * kMiB;
    run.capacity = 12 * kGiB;
    return run;
}

struct SampleStep {
    std::vector<widgets::MemoryPoint> points;
    std::vector<widgets::PhaseSpan> spans;
    widgets::PeakInfo peak;
};

/// Forward, backward (recomputing blocks of three layers if `checkpoint` is set), optimizer: about 400 points
/// in 205 ms.
inline SampleStep sampleStep(bool checkpoint = false) {
    SampleStep s;
    Ledger now;
    now[Category::Input] = 54 * kMiB;
    now[Category::Parameters] = 96 * kMiB;
    now[Category::OptimizerState] = 192 * kMiB;
    double ms = 0;
    const auto put = [&](double wait) {
        s.points.push_back({ms, now});
        if (now.total() > s.peak.ledger.total()) {
            s.peak = {now, ms, s.spans.empty() ? 0 : s.spans.back().phase,
                      s.spans.empty() ? -1 : s.spans.back().layer};
        }
        ms += wait;
    };
    s.spans.push_back({0, 0, -1});
    put(12);
    const auto forward = [&](int phase, int layer, bool keeps) {
        s.spans.push_back({ms, phase, layer});
        for (int i = 0; i < 8; ++i) {
            now[Category::Workspace] = i % 4 == 1 ? 180 * kMiB : 0;
            now[Category::Temporaries] = (i + 1) * 5 * kMiB;
            put(0.55);
        }
        now[Category::Temporaries] = 0;
        now[Category::Workspace] = 0;
        now[Category::Activations] += keeps ? 108 * kMiB : 9 * kMiB;
        put(1.2);
    };
    for (int layer = 0; layer < 12; ++layer) {
        forward(1, layer, !checkpoint);
    }
    for (int layer = 11; layer >= 0; --layer) {
        if (checkpoint && layer % 3 == 2) {
            for (int again = layer - 2; again <= layer; ++again) {
                forward(2, again, true);
            }
        }
        s.spans.push_back({ms, 3, layer});
        for (int i = 0; i < 20; ++i) {
            now[Category::Workspace] = i % 8 == 3 || i % 8 == 4 ? 240 * kMiB : 0;
            now[Category::Temporaries] = i % 5 == 0 ? 70 * kMiB : 36 * kMiB;
            put(0.44);
        }
        now[Category::Workspace] = now[Category::Temporaries] = 0;
        now[Category::Gradients] += 8 * kMiB;
        now[Category::Activations] =
            std::max<base::Bytes>(0, now[Category::Activations] - (checkpoint ? 100 : 108) * kMiB);
        put(0.8);
    }
    s.spans.push_back({ms, 4, -1});
    now[Category::Activations] = 0;
    for (int i = 0; i < 24; ++i) {
        now[Category::Temporaries] = i % 2 == 0 ? 24 * kMiB : 0;
        put(0.6);
    }
    now[Category::Temporaries] = 0;
    now[Category::Gradients] = 0;
    put(0);
    return s;
}

/// A prediction for that step: `off` times as much memory, with its own times and a band.
inline widgets::Forecast sampleForecast(double off = 1.03, bool checkpoint = false) {
    const SampleStep s = sampleStep(checkpoint);
    widgets::Forecast f;
    f.device = QStringLiteral("this CPU");
    f.layerNames = sampleShape().layerNames;
    f.capacity = 12 * kGiB;
    std::size_t span = 0;
    for (const widgets::MemoryPoint& point : s.points) {
        while (span + 1 < s.spans.size() && s.spans[span + 1].startMs <= point.ms) {
            ++span;
        }
        widgets::ForecastPoint p{point.ms * 0.8,      point.ledger,       0, 0,
                                 s.spans[span].phase, s.spans[span].layer};
        for (base::Bytes& bytes : p.ledger.bytes) {
            bytes = static_cast<base::Bytes>(static_cast<double>(bytes) * off);
        }
        const base::Bytes guess = p.ledger[Category::Workspace];
        p.low = p.ledger.total() - guess / 2;
        p.high = p.ledger.total() + guess;
        if (p.ledger.total() > f.peak.ledger.total()) {
            f.peak = {p.ledger, p.ms, p.phase, p.layer};
        }
        f.points.push_back(p);
    }
    f.stepMs = f.points.back().ms;
    f.stepLow = f.stepMs * 0.7;
    f.stepHigh = f.stepMs * 1.4;
    f.peakLow = f.peak.ledger.total() - 90 * kMiB;
    f.peakHigh = f.peak.ledger.total() + 180 * kMiB;
    return f;
}

inline widgets::StepBar sampleBar(int index, int warmup, const Ledger& peak) {
    widgets::StepBar bar;
    bar.index = index;
    bar.warmup = index < warmup;
    const double wave = std::sin(index * 12.9898) * 3 + std::sin(index * 0.7) * 2;
    const double slow = index == 0 ? 1.35 : 1.0;
    bar.phaseMs = {13 * slow, (62 + wave) * slow, 30 * slow, (86 + wave * 0.6) * slow, 13 * slow};
    bar.peak = peak;
    bar.peak[Category::Temporaries] += static_cast<base::Bytes>((std::sin(index * 1.3) + 1) * 6) * kMiB;
    return bar;
}

inline std::vector<widgets::StepBar> sampleBars(int warmup, int count) {
    const Ledger peak = sampleStep().peak.ledger;
    std::vector<widgets::StepBar> bars;
    for (int i = 0; i < count; ++i) {
        bars.push_back(sampleBar(i, warmup, peak));
    }
    return bars;
}

inline widgets::StoredRun sampleRun(bool checkpoint = false, int warmup = 3, int steps = 40, int done = 30) {
    SampleStep step = sampleStep(checkpoint);
    widgets::StoredRun run;
    run.shape = sampleShape(warmup, steps);
    run.steps = sampleBars(warmup, done);
    run.timelineStep = done - 1;
    run.timeline = std::move(step.points);
    run.spans = std::move(step.spans);
    run.peak = step.peak;
    run.stepMs = {204.1, 203.4, 204.8, 27};
    run.throughput = 9.8;
    run.state = QStringLiteral("done");
    return run;
}

}  // namespace highwater::testing
