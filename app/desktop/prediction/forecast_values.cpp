#include "app/desktop/prediction/forecast_values.h"

#include <algorithm>

#include "app/desktop/experiment/stack/error_words.h"
#include "core/plan/device_fit.h"

namespace highwater::desktop {

namespace {

/// memory::Phase starts with Setup, the plots' phases start with data.
int plotPhase(memory::Phase phase) {
    return static_cast<int>(phase) - 1;
}
static_assert(static_cast<int>(memory::Phase::Setup) - 1 == widgets::kSetupPhase);

void addPeak(widgets::Forecast& forecast, const predict::Prediction& prediction) {
    forecast.peak.ledger = prediction.peakByCategory;
    forecast.peak.phase = plotPhase(prediction.peakPhase);
    forecast.peak.layer = prediction.peakLayer;
    forecast.peak.inFirstStep = prediction.peakInFirstStep;
    const auto highest =
        std::max_element(forecast.points.begin(), forecast.points.end(),
                         [](const auto& a, const auto& b) { return a.ledger.total() < b.ledger.total(); });
    if (highest != forecast.points.end()) {
        forecast.peak.ms = highest->ms;
    }
    forecast.peakLow = prediction.peakAllocated.low;
    forecast.peakHigh = prediction.peakAllocated.high;
    forecast.exact = prediction.exact();
}

}  // namespace

widgets::Forecast toForecast(const predict::Prediction& prediction, const stack::StackInfo& info,
                             const QString& device) {
    widgets::Forecast forecast;
    forecast.device = device;
    forecast.capacity = prediction.capacity;
    for (const stack::LayerInfo& layer : info.layers) {
        forecast.layerNames.push_back(QString::fromStdString(layer.name));
    }
    forecast.timed = !prediction.timeline.empty() && prediction.timeline.back().ms > 0;
    for (const predict::PredictedPoint& p : prediction.timeline) {
        forecast.points.push_back({forecast.timed ? p.ms : static_cast<double>(p.event), p.ledger, p.low,
                                   p.high, plotPhase(p.phase), p.layer});
    }
    addPeak(forecast, prediction);
    forecast.stepLow = prediction.stepMs.low;
    forecast.stepMs = prediction.stepMs.expected;
    forecast.stepHigh = prediction.stepMs.high;
    return forecast;
}

GaugeForecast toGauge(const predict::Prediction& prediction, const QString& device, bool gpu,
                      const QString& said) {
    GaugeForecast gauge;
    const bool reserved = gpu && prediction.peakReserved.expected > 0;  // a run that ends early has none
    const predict::Estimate peak = plan::countedPeak(prediction, reserved);
    gauge.low = peak.low;
    gauge.expected = peak.expected;
    gauge.high = peak.high;
    gauge.capacity = prediction.capacity;
    gauge.fits = prediction.fits;
    gauge.odds = prediction.oomProbability;
    gauge.atLeast = !prediction.unknown.empty();
    gauge.exact = prediction.exact() && peak.exact();
    gauge.device = device;
    QStringList lines;
    if (reserved) {
        gauge.reserved = true;
        lines << QStringLiteral("Tensors use %1 of the reserved memory.")
                     .arg(widgets::bytesText(prediction.peakAllocated.expected));
    }
    if (!prediction.outOfMemory.empty()) {
        lines << QString::fromStdString(prediction.outOfMemory);
    }
    if (!prediction.basis.empty()) {
        lines << QStringLiteral("Workspaces ") + QString::fromStdString(prediction.basis) + '.';
    }
    for (const std::string& guess : prediction.guesses) {
        lines << QStringLiteral("A guess: ") + plainError(QString::fromStdString(guess));
    }
    if (!said.isEmpty()) {
        lines << said;
    }
    gauge.details = lines.join('\n');
    return gauge;
}

GaugeForecast noGauge(const QString& trouble, const QString& device) {
    GaugeForecast gauge;
    gauge.device = device;
    gauge.trouble = trouble;
    return gauge;
}

widgets::GrowthCurve toGrowth(const predict::AxisCurve& curve, const predict::AxisScan& scan, bool gpu) {
    widgets::GrowthCurve out;
    out.axis = axisWord(scan.axis);
    out.from = scan.from;
    out.to = scan.to;
    out.jumps = curve.jumps;
    for (const predict::AxisPoint& p : curve.points) {
        const predict::Estimate& peak = gpu && p.reserved.expected > 0 ? p.reserved : p.allocated;
        QString cliff = p.cliffs.empty() ? QString() : QString::fromStdString(p.cliffs.front().message);
        out.points.push_back(
            {p.value, peak.low, peak.expected, peak.high, p.fits, p.stepMs.expected, std::move(cliff)});
    }
    return out;
}

QString axisWord(const std::string& axis) {
    return QString::fromStdString(axis).replace('_', ' ');
}

}  // namespace highwater::desktop
