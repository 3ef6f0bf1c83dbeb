#include <QCoreApplication>
#include <QPixmap>
#include <QRegularExpression>
#include <QStackedLayout>
#include <algorithm>
#include <numeric>

#include "core/base/duration.h"
#include "core/base/text.h"
#include "widgets/plot/decimate.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/loss_plot.h"
#include "widgets/plot/picture.h"
#include "widgets/plot/plot_panel.h"

/// How LivePlots draws: once per frame, and only what changed.
namespace highwater::widgets {
namespace {

constexpr qint64 kFrameMs = 15;           ///< about 60 frames a second: timers are late by a millisecond
constexpr double kLiveMarkAfterMs = 500;  ///< shorter steps get no mark of the current moment

std::optional<PeakInfo> highestOf(const std::vector<MemoryPoint>& points) {
    if (points.empty()) {
        return std::nullopt;
    }
    const auto highest = std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
        return a.ledger.total() < b.ledger.total();
    });
    return PeakInfo{highest->ledger, highest->ms, highest->phase};
}

void showHint(PlotPanel& panel, const QString& text) {
    ChartScene scene;
    scene.hint = text;
    panel.chart().setScene(std::move(scene));
    panel.setNote({});
    if (panel.legend() != nullptr) {
        panel.setLegend({});
    }
}

QString joined(const QStringList& parts) {
    QStringList kept = parts;
    kept.removeAll(QString());
    return kept.join(QStringLiteral(" · "));
}

QString withoutBrackets(QString text) {
    static const QRegularExpression brackets(QStringLiteral(" \\([^)]*\\)"));
    return text.remove(brackets);
}

/// Shortens "step 3 of 3 · peak 144 MiB (140 MiB to 150 MiB) in backward of conv" to the peak, in several
/// stages.
QStringList shorterPeak(const QString& note) {
    const QString peak = note.section(QStringLiteral(" · "), 1);
    const QString plain = withoutBrackets(peak);
    return {peak, plain, plain.section(QStringLiteral(" of "), 0, 0),
            plain.section(QStringLiteral(" in "), 0, 0)};
}

/// Shortens "204 ms per step (203 ms to 205 ms), predicted 198 ms · 9.8 samples/s · n = 27" from the end; the
/// first part stays.
QStringList shorterTimes(const QString& note) {
    QStringList shorter;
    QString rest = withoutBrackets(note);
    for (const QString& between : {QStringLiteral(" · "), QStringLiteral(", ")}) {
        shorter << rest;
        while (rest.contains(between)) {
            shorter << (rest = rest.section(between, 0, -2));
        }
    }
    return shorter;
}

}  // namespace

void LivePlots::schedule(int parts) {
    due_ |= parts;
    if (frame_.isActive() || !isVisible()) {
        return;
    }
    const qint64 since = sinceFrame_.isValid() ? sinceFrame_.elapsed() : kFrameMs;
    frame_.start(static_cast<int>(std::clamp<qint64>(kFrameMs - since, 0, kFrameMs)));
}

void LivePlots::renderDue() {
    const int parts = std::exchange(due_, 0);
    if (parts == 0 || (empty() && !forecast_)) {
        return;
    }
    sinceFrame_.start();  // from start to start
    if ((parts & Memory) != 0) {
        renderMemory();
    }
    if ((parts & Steps) != 0) {
        renderSteps();
        renderLoss();
    }
    alignLeft();
    describe();
    ++frames_;
}

void LivePlots::flush() {
    frame_.stop();
    if (rest_.isActive()) {
        due_ |= Steps;
    }
    rest_.stop();
    if (!isVisible()) {
        due_ = Memory | Steps;
    }
    // A new margin changes the width in pixels, and with it the scene: the second pass settles it.
    for (int turn = 0; turn < 3 && due_ != 0; ++turn) {
        renderDue();
    }
    frame_.stop();
}

MemoryTrack LivePlots::shownTrack() const {
    if (refusal_) {
        MemoryTrack track;
        if (live_.step == refusal_->step) {
            track = live_;
        }
        track.step = refusal_->step;
        track.live = false;
        while (!track.points.empty() && track.points.back().ledger.total() == 0) {
            track.points.pop_back();  // runs of versions before 0.2 also hold what was freed afterwards
        }
        track.refusedAt = track.points.empty() ? 0.0 : track.points.back().ms + 1e-3;
        // A little room after the moment, so that it can be seen.
        const double end = track.refusedAt + std::max(1e-2, 0.03 * (track.refusedAt - track.begin()));
        for (const double ms : {track.refusedAt, end}) {
            track.points.push_back({ms, refusal_->ledger, refusal_->reserved});
        }
        track.refusal = refusal_;
        return track;
    }
    if (track_.step < 0) {
        MemoryTrack track = live_;
        track.live = running_;
        track.peak = highestOf(track.points);
        if (!running_ && !track.points.empty()) {  // so that the last state is visible too
            MemoryPoint end = track.points.back();
            end.ms += std::max(1e-2, 0.01 * (end.ms - track.begin()));
            track.points.push_back(end);
        }
        return track;
    }
    MemoryTrack track = track_;
    if (running_ && live_.step > track_.step && !live_.points.empty() &&
        live_.points.back().ms >= kLiveMarkAfterMs) {
        track.now = live_.points.back();
        track.now->ms = std::min(track.now->ms, track.end());
    }
    return track;
}

void LivePlots::renderMemory() {
    updateSwitch();
    const bool alone = forecastOnShow();
    showMark(*memory_, !alone);
    if (alone && !forecast_->runsOn.isEmpty()) {
        memory_->setMark(tr("for %1; runs on the %2").arg(forecast_->device, forecast_->runsOn), true);
    }
    shown_ = alone ? forecastTrack(*forecast_) : shownTrack();
    shownRun_ = alone ? forecastShape(*forecast_) : run_;
    if (!alone && runForecast_) {
        shown_.outline = alignForecast(*runForecast_, shown_);
        shown_.outlineName = runForecast_->name;
    }
    constexpr int kNarrow = 480;  // if narrower, the titles are short, to leave room for the mark
    const bool narrow = memory_->width() < kNarrow;
    memory_->setTitle(alone            ? narrow ? tr("Predicted memory") : tr("Memory in a step, predicted")
                                 : shown_.refusal ? narrow ? tr("Out of memory") : tr("Memory when the run ran out")
                                 : narrow ? tr("Memory")
                      : shown_.live    ? tr("Memory in the running step")
                                       : tr("Memory in the last step"));
    if (shown_.points.empty()) {
        showHint(*memory_, alone      ? tr("Nothing is allocated in a step of this stack")
                           : running_ ? tr("The engine is starting…")
                                      : tr("This run recorded no memory timeline"));
        return;
    }
    Chart& chart = memory_->chart();
    StepRange view{shown_.begin(), shown_.end()};
    if (memoryView_) {  // the step may be shorter than the one that the user zoomed into
        view = fitView(memoryView_->from, memoryView_->to, view, 0).value_or(view);
    }
    const QSizeF plot = chart.frame().rect.size().expandedTo(QSizeF(40, 30));
    chart.setScene(memoryScene(shownRun_, shown_, view.from, view.to, plot, QFontMetricsF(chart.font())),
                   memoryView_.has_value());
    memory_->setLegend(memoryLegend(shown_));
    const QString note = alone ? forecastNote(*forecast_) : memoryNote(run_, shown_);
    const bool ended = alone || state_ == QStringLiteral("done");
    memory_->setNote(joined({note, ended ? QString() : state_}), shorterPeak(note));
}

void LivePlots::showMark(PlotPanel& panel, bool ofRun) const {
    panel.setMark(!ofRun             ? QString()
                  : apart_.isEmpty() ? mark_
                                     : tr("%1, %2").arg(mark_, apart_),
                  ofRun && !apart_.isEmpty());
}

/// The predicted time of a step beside a measured one: of the run itself, or of the current experiment.
QString LivePlots::predictedTime() const {
    const bool edited = forecastOnShow();
    const auto& forecast = edited ? forecast_ : runForecast_;
    if (!forecast || !(forecast->stepMs > 0)) {
        return {};
    }
    const QString time = QString::fromStdString(base::formatMillis(forecast->stepMs));
    QString text = (edited ? tr("current experiment: %1 predicted") : tr("predicted %1")).arg(time);
    if (edited && !forecast->runsOn.isEmpty()) {
        text = tr("%1 on %2").arg(text, forecast->device);
    }
    const QString run = edited ? runTimeText(*forecast) : QString();
    return run.isEmpty() ? text : text + QStringLiteral(", ") + run;
}

void LivePlots::renderSteps() {
    showMark(*peaks_, !empty());
    showMark(*times_, !empty());
    showMark(loss_->panel(), !empty() && loss_->ofRunAlone());
    if (empty()) {
        const QString time = forecastTimeText(*forecast_);
        showHint(*peaks_, tr("Press Run to measure the peak of every step"));
        const QString run = !forecast_->runsOn.isEmpty() ? tr("Runs on the %1").arg(forecast_->runsOn)
                                                         : tr("press Run to measure it");
        showHint(*times_,
                 time.isEmpty() ? tr("Press Run to measure the time of every step") : joined({time, run}));
        groups_.clear();
        return;
    }
    if (steps_.empty() && !refusal_) {
        const QString hint = running_ ? tr("The first step is running…") : tr("No step was completed");
        showHint(*peaks_, hint);
        showHint(*times_, joined({hint, predictedTime()}));
        groups_.clear();
        return;
    }
    const int done =
        std::max(steps_.empty() ? 0 : steps_.back().index + 1, refusal_ ? refusal_->step + 1 : 0);
    const StepRange view = stepsView_.value_or(fullStepRange(run_, done));
    const QSizeF peakPlot = peaks_->chart().frame().rect.size().expandedTo(QSizeF(40, 30));
    const QSizeF timePlot = times_->chart().frame().rect.size().expandedTo(QSizeF(40, 30));
    // The chart on the hidden tab has no width yet.
    const double width = std::max(peakPlot.width(), timePlot.width());
    const long long perBar = stepsPerBar(view.to - view.from, static_cast<int>(width));
    groups_ = groupSteps(run_, steps_, view.from, view.to, perBar);

    peakSteps_ = steps_;
    if (refusal_ && (steps_.empty() || steps_.back().index < refusal_->step)) {
        StepBar& last = peakSteps_.emplace_back();
        last.index = refusal_->step;
        last.warmup = refusal_->step < run_.warmup;
        last.peak = refusal_->ledger;
    }
    peakGroups_ = groupSteps(run_, peakSteps_, view.from, view.to, perBar);
    peaks_->chart().setScene(peakScene(run_, peakGroups_, perBar, refusal_, view, peakPlot),
                             stepsView_.has_value());
    const QString highest = highestNote(run_, steps_);
    peaks_->setNote(
        joined({highest, perBar > 1 ? tr("each bar is %1 steps (the highest)").arg(perBar) : QString()}),
        {highest, highest.section(QStringLiteral(" in "), 0, 0)});
    if (steps_.empty()) {
        showHint(*times_, joined({tr("No step was completed"), predictedTime()}));
        return;
    }
    times_->chart().setScene(timeScene(run_, groups_, perBar, view, timePlot), stepsView_.has_value());
    times_->setLegend(phaseLegend(groups_));
    const QString note =
        joined({left(), summaryNote(stepMs_, throughput_, predictedTime()),
                perBar > 1 ? tr("each bar is %1 steps (their mean)").arg(perBar) : QString()});
    times_->setNote(note, shorterTimes(note));
}

/// The note repeats how long the run or the current experiment takes, because only one of the two tabs is
/// visible.
void LivePlots::renderLoss() {
    loss_->setRun(run_, steps_, running_);
    const QString run = forecastOnShow() ? runTimeText(*forecast_) : QString();
    const QString edited = run.isEmpty() || empty() ? run : tr("current experiment: %1").arg(run);
    loss_->render(joined({empty()    ? tr("Press Run to measure the loss of every step")
                          : running_ ? tr("The first step is running…")
                                     : tr("No step was completed"),
                          edited}),
                  joined({left(), edited}));
}

QString LivePlots::left() const {
    constexpr std::size_t kNewest = 9;
    if (!running_ || steps_.empty()) {
        return {};
    }
    std::vector<double> newest;
    for (std::size_t i = steps_.size() - std::min(kNewest, steps_.size()); i < steps_.size(); ++i) {
        newest.push_back(std::accumulate(steps_[i].phaseMs.begin(), steps_[i].phaseMs.end(), 0.0));
    }
    const int done = steps_.back().index + 1, of = run_.warmup + run_.steps;
    const auto left = done < of ? base::timeLeft(newest, done, of) : std::nullopt;
    return left ? tr("%1 left").arg(QString::fromStdString(base::formatTimeLeft(*left))) : QString();
}

void LivePlots::alignLeft() {
    int margin = 48;
    for (const PlotPanel* panel : {memory_, peaks_, times_, &loss_->panel()}) {
        if (panel->chart().scene().hint.isEmpty()) {
            margin = std::max(margin, panel->chart().leftMarginNeeded());
        }
    }
    for (PlotPanel* panel : {memory_, peaks_, times_, &loss_->panel()}) {
        if (panel->chart().setLeftMargin(margin)) {
            schedule(Memory | Steps);
        }
    }
}

void LivePlots::describe() {
    for (PlotPanel* panel : {memory_, peaks_, times_, &loss_->panel()}) {
        const QString hint = panel->chart().scene().hint;
        panel->chart().setAccessibleDescription(hint.isEmpty() ? panel->note() : hint);
    }
}

QPixmap LivePlots::picture(double scale) {
    if (!isVisible()) {
        (void)grab();  // lays out a widget that was never shown
    }
    flush();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);  // a new title needs a new layout
    for (PlotPanel* panel : {memory_, peaks_, times_, &loss_->panel()}) {
        panel->chart().hideCrosshair();
    }
    return pictureOf(*this, scale);
}

bool LivePlots::savePng(const QString& path, double scale) {
    return picture(scale).save(path, "PNG");
}

}  // namespace highwater::widgets
