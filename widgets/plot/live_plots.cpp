#include "widgets/plot/live_plots.h"

#include <QEvent>
#include <QLabel>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/plot/canvas.h"
#include "widgets/plot/decimate.h"
#include "widgets/plot/loss_plot.h"
#include "widgets/plot/plot_data.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/theme/pages.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr std::size_t kLiveMost = 16384;  ///< live samples kept before they are thinned
constexpr double kLeastStepsInView = 3;
constexpr int kRestMs = 120;
constexpr double kLeastViewPart = 1e-4;  ///< of the whole range: how far memory can be zoomed

void sortByTime(std::vector<MemoryPoint>& points) {
    std::erase_if(points, [](const MemoryPoint& p) { return !std::isfinite(p.ms); });
    std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.ms < b.ms; });
}

void sortByTime(std::vector<PhaseSpan>& spans) {
    std::erase_if(spans, [](const PhaseSpan& s) { return !std::isfinite(s.startMs); });
    std::stable_sort(spans.begin(), spans.end(),
                     [](const auto& a, const auto& b) { return a.startMs < b.startMs; });
}

void thin(std::vector<MemoryPoint>& points) {
    std::vector<double> x, y;
    for (const MemoryPoint& p : points) {
        x.push_back(p.ms);
        y.push_back(static_cast<double>(p.ledger.total()));
    }
    std::vector<MemoryPoint> kept;
    for (const std::size_t i : decimateMinMax(x, y, x.front(), x.back() + 1e-6, kLiveMost / 8)) {
        kept.push_back(points[i]);
    }
    points = std::move(kept);
}

/// The step with drawable times: a time that is not finite, negative or beyond 30 years counts as 0.
StepBar sound(StepBar step) {
    for (double& ms : step.phaseMs) {
        ms = ms >= 0 && ms < 1e12 ? ms : 0.0;
    }
    if (step.hostMs) {
        for (double& ms : *step.hostMs) {
            ms = ms >= 0 && ms < 1e12 ? ms : 0.0;
        }
    }
    return step;
}

}  // namespace

LivePlots::LivePlots(QWidget* parent) : QWidget(parent) {
    buildPages();
    buildPanels();
    setAccessibleName(tr("Memory and time of the run"));
    frame_.setSingleShot(true);
    frame_.setTimerType(Qt::PreciseTimer);
    connect(&frame_, &QTimer::timeout, this, &LivePlots::renderDue);
    rest_.setSingleShot(true);
    rest_.setInterval(kRestMs);
    connect(&rest_, &QTimer::timeout, this, [this] { schedule(Steps); });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { schedule(Memory | Steps); });
}

void LivePlots::startRun(int warmup, int steps, std::vector<QString> layerNames,
                         std::optional<base::Bytes> budget, base::Bytes capacity) {
    startRun({warmup, steps, std::move(layerNames), budget, capacity});
}

void LivePlots::startRun(RunShape run) {
    clear();
    run_ = std::move(run);
    running_ = true;
    updatePages();
    schedule(Memory | Steps);
}

void LivePlots::clear() {
    run_ = {};
    track_ = live_ = shown_ = {};
    liveStart_ = 0;
    groups_.clear();
    steps_.clear();
    refusal_.reset();
    stepMs_ = {};
    throughput_ = 0;
    state_.clear();
    running_ = ended_ = false;
    hasDevice_ = false;
    memoryView_.reset();
    stepsView_.reset();
    runForecast_.reset();
    preferForecast_ = false;
    loss_->setRun(run_, steps_, false);
    updatePages();
    schedule(Memory | Steps);
}

void LivePlots::setForecast(std::optional<Forecast> forecast, const QString& trouble) {
    hint_->setText(trouble.isEmpty() ? tr("Press Run to see how memory is used")
                                     : tr("Nothing can be predicted or run: %1").arg(trouble));
    const bool came = forecast_.has_value() != forecast.has_value();
    forecast_ = std::move(forecast);
    updatePages();
    schedule(Memory | (came && empty() ? Steps : 0));
    if (forecastOnShow()) {  // while a size is dragged, the text about time is not updated
        rest_.start();
    }
}

void LivePlots::setRunForecast(std::optional<Forecast> forecast) {
    runForecast_ = std::move(forecast);
    schedule(Memory | Steps);
}

void LivePlots::setRunMark(const QString& mark, const QString& apart) {
    mark_ = mark;
    apart_ = apart;
    schedule(Memory | Steps);
}

void LivePlots::showForecast(bool on) {
    if (on == preferForecast_) {
        return;
    }
    preferForecast_ = on;
    updateDevice();
    memoryView_.reset();
    schedule(Memory | Steps);
}

void LivePlots::updatePages() {
    updateDevice();
    pages_->setCurrentIndex(empty() && !forecast_ ? 0 : 1);
}

/// Names the view that is not shown, if there are both.
void LivePlots::updateSwitch() {
    switch_->setVisible(forecast_ && !empty());
    switch_->setText(forecastOnShow() ? tr("show the run") : tr("show the prediction"));
}

void LivePlots::addLiveSamples(std::span<const MemoryPoint> samples, int step) {
    for (const MemoryPoint& sample : samples) {
        if (!std::isfinite(sample.ms)) {
            continue;
        }
        if (step != live_.step) {
            live_ = {};
            live_.step = step;
            live_.live = true;
            liveStart_ = sample.ms;
        }
        const double ms = sample.ms - liveStart_;
        if (live_.points.empty() || ms >= live_.points.back().ms) {
            live_.points.push_back({ms, sample.ledger, sample.reserved, sample.phase});
        }
    }
    if (live_.points.size() > kLiveMost) {
        thin(live_.points);
    }
    schedule(Memory);
}

void LivePlots::setStepTimeline(int step, std::vector<MemoryPoint> points, std::vector<PhaseSpan> spans,
                                const PeakInfo& peak) {
    if (points.empty()) {
        return;
    }
    sortByTime(points);
    sortByTime(spans);
    track_ = {};
    track_.step = step;
    track_.points = std::move(points);
    track_.spans = std::move(spans);
    if (std::isfinite(peak.ms)) {
        track_.peak = peak;
    }
    schedule(Memory);
}

void LivePlots::addSteps(std::span<const StepBar> steps) {
    for (const StepBar& given : steps) {
        const StepBar step = sound(given);
        if (steps_.empty() || steps_.back().index < step.index) {
            steps_.push_back(step);
            continue;
        }
        const auto at = std::lower_bound(steps_.begin(), steps_.end(), step.index,
                                         [](const StepBar& s, int index) { return s.index < index; });
        if (at->index == step.index) {
            *at = step;
        } else {
            steps_.insert(at, step);
        }
    }
    schedule(Steps);
}

void LivePlots::setDevice(const std::optional<DeviceStatus>& status) {
    hasDevice_ = status.has_value();
    if (status) {
        device_->setStatus(*status);
    }
    updateDevice();
}

/// Shown for a run only: a prediction has its own gauge.
void LivePlots::updateDevice() {
    device_->setVisible(hasDevice_ && !empty() && !forecastOnShow());
    fitParts();
}

void LivePlots::setSummary(const base::Interval& stepMs, double throughput) {
    stepMs_ = stepMs;
    throughput_ = throughput;
    schedule(Steps);
}

void LivePlots::markRefused(const Refusal& refusal) {
    refusal_ = refusal;
    schedule(Memory | Steps);
}

void LivePlots::finish(const QString& state) {
    state_ = state;
    running_ = false;
    ended_ = true;
    schedule(Memory | Steps);
}

void LivePlots::showRun(StoredRun run) {
    startRun(std::move(run.shape));
    addSteps(run.steps);
    addLiveSamples(run.begun, run.begunStep);
    if (run.timelineStep >= 0 && run.peak) {
        setStepTimeline(run.timelineStep, std::move(run.timeline), std::move(run.spans), *run.peak);
    }
    setSummary(run.stepMs, run.throughput);
    setDevice(run.device);
    if (run.refusal) {
        markRefused(*run.refusal);
    }
    finish(run.state);
}

void LivePlots::setMemoryView(double from, double to) {
    const StepRange whole{shown_.begin(), shown_.end()};
    memoryView_ = fitView(from, to, whole, (whole.to - whole.from) * kLeastViewPart);
    schedule(Memory);
}

void LivePlots::setStepsView(double from, double to) {
    const int done = steps_.empty() ? 0 : steps_.back().index + 1;
    stepsView_ = fitView(from, to, fullStepRange(run_, done), kLeastStepsInView);
    schedule(Steps);
}

void LivePlots::clickAt(double ms) {
    const PhaseSpan* span = spanAt(shown_.spans, ms);
    if (span != nullptr && span->layer >= 0) {
        emit layerClicked(span->layer);
    }
}

void LivePlots::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    schedule(Memory | Steps);
}

/// If there is not enough room, the peaks are hidden first, then times and losses.
void LivePlots::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitParts();
}

void LivePlots::fitParts() {
    const int room = height() - (device_->isHidden() ? 0 : device_->height());
    constexpr int kBesides = Panel::kHeaderHeight + 2;
    constexpr int kBoth = kLeastMemory + kLeastSteps + 2 * kBesides;
    // The axis of the last remaining plot must not be cut off.
    memory_->setLeastChart(std::clamp(room - kBesides, kLeastSteps, kLeastMemory));
    peaks_->setVisible(room >= kBoth + kLeastSteps + kBesides);
    lower_->setVisible(room >= kBoth);
}

void LivePlots::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        schedule(Memory | Steps);
    }
}

}  // namespace highwater::widgets

#include "moc_live_plots.cpp"
