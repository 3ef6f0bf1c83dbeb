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
constexpr double kLeastViewPart = 1e-4;  ///< of the whole: how far memory can be zoomed

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

/// The step with times that can be drawn: a time that is no number, negative or beyond 30 years counts as 0.
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

QWidget* makeHint(QWidget* parent) {
    auto* panel = new Panel(QObject::tr("Memory and time"), parent);
    auto* body = new QWidget(panel);
    auto* column = new QVBoxLayout(body);
    auto* hint = new QLabel(QObject::tr("Press Run to see where the bytes go"), body);
    auto* more = new ElidedLabel(body);
    more->setText(QObject::tr("memory within a step, peaks over steps, time by phase"));
    more->setMuted(true);
    more->setAlignment(Qt::AlignCenter);
    hint->setAlignment(Qt::AlignCenter);
    column->addStretch();
    column->addWidget(hint);
    column->addWidget(more);
    column->addStretch();
    panel->setBody(body);
    return panel;
}

}  // namespace

LivePlots::LivePlots(QWidget* parent) : QWidget(parent) {
    pages_ = new QStackedLayout(this);
    pages_->addWidget(makeHint(this));
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    device_ = new DeviceStrip(page);
    device_->hide();
    splitter_ = new QSplitter(Qt::Vertical, page);
    column->addWidget(device_);
    column->addWidget(splitter_, 1);
    pages_->addWidget(page);
    connect(device_, &DeviceStrip::batchWanted, this, &LivePlots::batchWanted);
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

void LivePlots::buildPanels() {
    memory_ = new PlotPanel(tr("Memory in the last step"), true, this);
    peaks_ = new PlotPanel(tr("Peak over steps"), false, this);
    times_ = new PlotPanel(tr("Time by phase"), true, this);
    loss_ = new LossPlot(this);
    lower_ = new Pages(this);
    for (QWidget* part : std::initializer_list<QWidget*>{memory_, peaks_, lower_}) {
        splitter_->addWidget(part);
    }
    for (PlotPanel* panel : {memory_, peaks_, times_, &loss_->panel()}) {
        connect(panel, &PlotPanel::aboutToPicture, this, &LivePlots::flush);
    }
    memory_->setData([this] { return memoryData(shown_); });
    peaks_->setData([this] { return peakData(run_, steps_); });
    times_->setData([this] { return timeData(run_, steps_); });
    const QString how = tr(
        "Wheel: zoom. Drag: zoom into a stretch. Shift and drag: move. Double-click: show all. Right click: "
        "picture, data.");
    memory_->setToolTip(tr("What every byte of a step is for, moment by moment. Click: select the layer.") +
                        '\n' + how);
    peaks_->setToolTip(tr("The highest total of each step, split by what it was for.") + '\n' + how);
    times_->setToolTip(tr("Where the time of each step went. Faded: warm-up, not counted.") + '\n' + how);
    lower_->addPage(tr("Time by phase"), tr("Where the time of each step went"), times_, times_);
    lower_->addPage(tr("Loss"), tr("The loss of each step, and of the runs that are selected"), loss_,
                    &loss_->panel());
    connect(loss_, &LossPlot::changed, this, [this] { schedule(Steps); });
    connect(lower_, &Pages::currentChanged, this, [this] { schedule(Steps); });
    switch_ = new QToolButton(memory_);
    switch_->setProperty("link", true);
    switch_->hide();
    memory_->addHeaderWidget(switch_);
    connect(switch_, &QToolButton::clicked, this, [this] { emit forecastWanted(!forecastOnShow()); });
    splitter_->setStretchFactor(0, 5);
    splitter_->setStretchFactor(1, 2);
    splitter_->setStretchFactor(2, 3);
    splitter_->setSizes({500, 210, 290});
    splitter_->setHandleWidth(1);
    splitter_->setChildrenCollapsible(true);
    connectMemory();
    connectSteps(peaks_);
    connectSteps(times_);
}

bool LivePlots::lossOnShow() const {
    return lower_->current() == 1;
}

void LivePlots::showLoss(bool on) {
    lower_->setCurrent(on ? 1 : 0);
}

void LivePlots::connectMemory() {
    Chart& chart = memory_->chart();
    chart.setCards([this](double ms) { return memoryCard(shownRun_, shown_, ms); });
    connect(&chart, &Chart::viewRequested, this, &LivePlots::setMemoryView);
    connect(&chart, &Chart::resetRequested, this, [this] {
        memoryView_.reset();
        schedule(Memory);
    });
    connect(&chart, &Chart::clicked, this, &LivePlots::clickAt);
    connect(&chart, &Chart::resized, this, [this] { schedule(Memory); });
}

void LivePlots::connectSteps(PlotPanel* panel) {
    Chart& chart = panel->chart();
    if (panel == peaks_) {
        chart.setCards([this](double x) { return peakCard(run_, groups_, x); });
    } else {
        chart.setCards([this](double x) { return timeCard(run_, groups_, x); });
    }
    connect(&chart, &Chart::viewRequested, this, &LivePlots::setStepsView);
    connect(&chart, &Chart::resetRequested, this, [this] {
        stepsView_.reset();
        schedule(Steps);
    });
    connect(&chart, &Chart::resized, this, [this] { schedule(Steps); });
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
    updatePages();
    schedule(Memory | Steps);
}

void LivePlots::setForecast(std::optional<Forecast> forecast) {
    const bool came = forecast_.has_value() != forecast.has_value();
    forecast_ = std::move(forecast);
    updatePages();
    schedule(Memory | (came && empty() ? Steps : 0));
    if (empty() && forecast_) {  // the words about time wait until a size that is dragged rests
        rest_.start();
    }
}

void LivePlots::setRunForecast(std::optional<Forecast> forecast) {
    runForecast_ = std::move(forecast);
    schedule(Memory);
}

void LivePlots::showForecast(bool on) {
    if (on == preferForecast_) {
        return;
    }
    preferForecast_ = on;
    updateDevice();
    memoryView_.reset();
    schedule(Memory);
}

void LivePlots::updatePages() {
    updateDevice();
    pages_->setCurrentIndex(empty() && !forecast_ ? 0 : 1);
}

/// The other one's name, where there are both.
void LivePlots::updateSwitch() {
    switch_->setVisible(forecast_ && ended_);
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
            live_.points.push_back({ms, sample.ledger, sample.reserved});
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

/// Of a run alone: what is predicted has its own gauge.
void LivePlots::updateDevice() {
    device_->setVisible(hasDevice_ && !empty() && !forecastOnShow());
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

void LivePlots::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        schedule(Memory | Steps);
    }
}

}  // namespace highwater::widgets

#include "moc_live_plots.cpp"
