#include "widgets/plot/forecast.h"

#include <QObject>
#include <algorithm>
#include <cstdint>

#include "core/base/text.h"

namespace highwater::widgets {
namespace {

/// A section of one phase and layer; `first` and `last` are the indices of its points (forecast only).
struct Stretch {
    int phase = kSetupPhase, layer = -1;
    double from = 0, to = 0;
    std::size_t first = 0, last = 0;
    bool alike(const Stretch& o) const { return phase == o.phase && layer == o.layer; }
};

template <class Items, class Make>
std::vector<Stretch> stretches(const Items& items, double end, Make make) {
    std::vector<Stretch> out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Stretch next = make(items[i]);
        if (!out.empty() && out.back().alike(next)) {
            out.back().last = i;
            continue;
        }
        if (!out.empty()) {
            out.back().to = next.from;
        }
        out.push_back(next);
        out.back().first = out.back().last = i;
    }
    if (!out.empty()) {
        out.back().to = std::max(end, out.back().from);
    }
    return out;
}

/// For each section of `a`, the index of its partner in `b`, or -1: a longest common subsequence.
std::vector<int> pairUp(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::uint16_t> longest((a.size() + 1) * width, 0);
    for (std::size_t i = a.size(); i-- > 0;) {
        for (std::size_t j = b.size(); j-- > 0;) {
            longest[i * width + j] = a[i].alike(b[j])
                                         ? static_cast<std::uint16_t>(longest[(i + 1) * width + j + 1] + 1)
                                         : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
        }
    }
    std::vector<int> pairs(a.size(), -1);
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].alike(b[j])) {
            pairs[i++] = static_cast<int>(j++);
        } else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
            ++i;
        } else {
            ++j;
        }
    }
    return pairs;
}

/// Where each predicted section lies on the measured axis.
std::vector<std::pair<double, double>> places(const std::vector<Stretch>& predicted,
                                              const std::vector<Stretch>& measured) {
    const std::vector<int> pairs = pairUp(predicted, measured);
    std::vector<std::pair<double, double>> out(predicted.size());
    double from = measured.front().from;
    for (std::size_t i = 0; i < predicted.size();) {
        if (pairs[i] >= 0) {
            const Stretch& partner = measured[static_cast<std::size_t>(pairs[i])];
            out[i++] = {partner.from, partner.to};
            from = partner.to;
            continue;
        }
        std::size_t end = i;
        while (end < predicted.size() && pairs[end] < 0) {
            ++end;
        }
        const double to =
            end < predicted.size() ? measured[static_cast<std::size_t>(pairs[end])].from : measured.back().to;
        const double each = std::max(0.0, to - from) / static_cast<double>(end - i);
        for (std::size_t k = i; k < end; ++k) {
            out[k] = {from + each * static_cast<double>(k - i), from + each * static_cast<double>(k - i + 1)};
        }
        i = end;
    }
    return out;
}

OutlinePoint outlinePoint(double x, const ForecastPoint& point) {
    return {x, static_cast<double>(point.low), static_cast<double>(point.ledger.total()),
            static_cast<double>(point.high)};
}

double endOf(const Forecast& forecast) {
    return forecast.points.empty() ? 0 : std::max(forecast.stepMs, forecast.points.back().ms);
}

}  // namespace

MemoryTrack forecastTrack(const Forecast& forecast) {
    MemoryTrack track;
    track.step = 0;
    track.predicted = true;
    track.timed = forecast.timed;
    for (const ForecastPoint& point : forecast.points) {
        track.points.push_back({point.ms, point.ledger});
        track.outline.push_back(outlinePoint(point.ms, point));
        if (track.spans.empty() || track.spans.back().phase != point.phase ||
            track.spans.back().layer != point.layer) {
            track.spans.push_back({point.ms, point.phase, point.layer});
        }
    }
    if (!forecast.points.empty()) {
        track.peak = forecast.peak;
    }
    return track;
}

RunShape forecastShape(const Forecast& forecast) {
    RunShape shape;
    shape.layerNames = forecast.layerNames;
    shape.budget = forecast.budget;
    shape.capacity = forecast.capacity;
    return shape;
}

std::vector<OutlinePoint> alignForecast(const Forecast& forecast, const MemoryTrack& measured) {
    if (forecast.points.empty() || measured.spans.empty()) {
        return {};
    }
    const auto predicted = stretches(forecast.points, endOf(forecast),
                                     [](const ForecastPoint& p) { return Stretch{p.phase, p.layer, p.ms}; });
    const bool layers =
        std::ranges::any_of(forecast.points, [](const ForecastPoint& point) { return point.layer >= 0; });
    const auto spans = stretches(measured.spans, measured.end(), [layers](const PhaseSpan& s) {
        return Stretch{s.phase, layers ? s.layer : -1, s.startMs};
    });
    const auto where = places(predicted, spans);
    std::vector<OutlinePoint> out;
    out.reserve(forecast.points.size());
    for (std::size_t s = 0; s < predicted.size(); ++s) {
        const Stretch& stretch = predicted[s];
        const double length = stretch.to - stretch.from;
        const auto count = static_cast<double>(stretch.last - stretch.first + 1);
        for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
            const ForecastPoint& point = forecast.points[i];
            const double part = length > 0 ? (point.ms - stretch.from) / length
                                           : static_cast<double>(i - stretch.first) / count;
            out.push_back(outlinePoint(
                where[s].first + std::clamp(part, 0.0, 1.0) * (where[s].second - where[s].first), point));
        }
    }
    return out;
}

const OutlinePoint* outlineAt(std::span<const OutlinePoint> points, double x) {
    const auto after = std::upper_bound(points.begin(), points.end(), x,
                                        [](double at, const OutlinePoint& p) { return at < p.x; });
    return after == points.begin() ? (points.empty() ? nullptr : &points.front()) : &*std::prev(after);
}

QString bandText(base::Bytes low, base::Bytes high) {
    return low == high ? QString() : QObject::tr("%1 to %2").arg(bytesText(low), bytesText(high));
}

QString forecastNote(const Forecast& forecast) {
    const QString note = (forecast.exact ? QObject::tr("predicted (memory exact) for %1")
                                         : QObject::tr("predicted (estimate) for %1"))
                             .arg(forecast.device);
    if (forecast.points.empty()) {
        return note;
    }
    QString peak = bytesText(forecast.peak.ledger.total());
    if (const QString band = bandText(forecast.peakLow, forecast.peakHigh); !band.isEmpty()) {
        peak += QStringLiteral(" (%1)").arg(band);
    }
    return note + QStringLiteral(" · ") +
           (forecast.peak.inFirstStep ? QObject::tr("peak %1 in the first step, in %2")
                                      : QObject::tr("peak %1 in %2"))
               .arg(peak, forecastShape(forecast).where(forecast.peak.phase, forecast.peak.layer));
}

QString forecastTimeText(const Forecast& forecast) {
    if (!(forecast.stepMs > 0)) {
        return {};
    }
    const auto text = [](double ms) { return QString::fromStdString(base::formatMillis(ms)); };
    QString all = QObject::tr("Predicted: %1 per step (%2 to %3), an estimate")
                      .arg(text(forecast.stepMs), text(forecast.stepLow), text(forecast.stepHigh));
    if (const QString run = runTimeText(forecast); !run.isEmpty()) {
        all += QStringLiteral(" · ") + run;
    }
    return all;
}

QString runTimeText(const Forecast& forecast) {
    const double run = forecast.stepMs * forecast.steps;
    constexpr double kMinute = 60'000;
    return run > kMinute
               ? QObject::tr("%1 for the %2 steps of a run").arg(durationText(run)).arg(forecast.steps)
               : QString();
}

}  // namespace highwater::widgets
