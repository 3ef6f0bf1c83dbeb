#include "app/desktop/run/live_page.h"

#include <algorithm>
#include <utility>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/target/predictor.h"
#include "app/desktop/run/live_values.h"
#include "app/desktop/run/pretended_twin.h"
#include "app/desktop/run/run_row.h"
#include "app/desktop/scan/scan_page.h"
#include "core/base/text.h"
#include "widgets/plot/live_plots.h"

namespace highwater::desktop {

LivePage::LivePage(ExperimentDocument& document, Store& store, ScanPage& scan, QObject* parent)
    : QObject(parent),
      document_(document),
      store_(store),
      scan_(scan),
      controller_(store),
      left_(store, controller_, [this] { return !running() && !blocked(); }),
      controls_(new ControlBar(document)),
      plots_(new widgets::LivePlots) {
    connect(controls_, &ControlBar::runRequested, this, &LivePage::press);
    connect(&document_, &ExperimentDocument::changed, this, &LivePage::follow);
    connect(&controls_->target(), &TargetField::changed, this, &LivePage::follow);
    connect(controls_, &ControlBar::runOptionsChanged, this, &LivePage::judgeBudget);
    connect(plots_, &widgets::LivePlots::forecastWanted, this, &LivePage::showForecast);
    connect(plots_, &widgets::LivePlots::batchWanted, this, &LivePage::useBatch);
    connect(controls_, &ControlBar::stopRequested, this, &LivePage::stop);
    connect(&controller_, &RunController::stateChanged, this, &LivePage::showState);
    connect(&scan_, &ScanPage::stateChanged, this, &LivePage::startWaiting);
    connect(&scan_, &ScanPage::progressed, this, [this] {
        if (waiting_) {
            setGauge({0, {}, true, false, false, scan_.loadingText()});
        }
    });
    connect(&left_, &LeftRuns::notice, this, &LivePage::notice);
    connect(&left_, &LeftRuns::giveUpWanted, this, &LivePage::giveUp);
    connect(&controller_, &RunController::takenOver, this, &LivePage::takenOver);
    connect(&controller_, &RunController::events, this,
            qOverload<const std::vector<wire::Event>&>(&LivePage::take));
    connect(&controller_, &RunController::activityChanged, this, [this](const QString& activity) {
        if (!activity.isEmpty()) {
            setGauge({highest_, budget_, true, false, false, activity});
        } else if (!ended_) {
            showGauge();
        }
    });
    connect(&controller_, &RunController::settled, this, &LivePage::settled);
    connect(&controller_, &RunController::recordedLate, this,
            [this](const runs::RunSummary& summary, const QString& why) {
                emit notice(widgets::NoticeBar::Kind::Warning,
                            tr("Run #%1 was recorded after a retry: %2").arg(summary.number).arg(why));
            });
    connect(&controller_, &RunController::failedToStart, this, [this](const QString& message) {
        last_.reset();
        plots_->finish(tr("failed"));
        setGauge({0, budget_, false, false, false, tr("failed")});
        emit notice(widgets::NoticeBar::Kind::Error, tr("The run could not be started: %1").arg(message));
    });
}

void LivePage::takenOver(const runs::TakenRun& run) {
    stepsOfRun_ = warmupOfRun_ = 0;  // until the engine's first events have been read
    budget_.reset();
    begin(run.experiment, tr("run #%1").arg(run.number));
    setGauge({0, {}, true});
    emit shownChanged();
    emit tookOver(run.number);
}

bool LivePage::runOnShow() const {
    return (controller_.running() || shown_) && !forecastWanted_;
}

/// Keeps the run in view, even while it is in progress, as long as it is of exactly the current experiment.
void LivePage::follow() {
    showMark();
    if (shown_) {
        showForecast(budgetAnew_ || !apart().isEmpty());
    }
}

/// How the run that is shown differs from what is edited and predicted; empty if it does not.
QString LivePage::apart() const {
    if (document_.experiment() != shown_->experiment) {
        return tr("differs from the current experiment");
    }
    const QString& ran = shown_->target.id;
    if (ran.isEmpty() || controls_->target().choice().id == ran) {
        return {};
    }
    return tr("not on %1").arg(controls_->target().title());
}

/// What is said of that: a run of a script is called one, and is never the current experiment.
QString LivePage::apartText() const {
    return shown_->script ? QString() : apart();
}

void LivePage::showMark() {
    if (shown_) {
        plots_->setRunMark(runMark(shown_->experiment, shown_->title), apartText());
        gauge_.apart = running() ? QString() : apartText();
    }
}

/// Judges a changed budget at once, against the prediction: a run keeps the budget that it was started with.
void LivePage::judgeBudget() {
    const auto budget = controls_->runOptions().budget;
    if (budget == std::exchange(budgetInField_, budget)) {
        return;
    }
    budgetAnew_ = (running() || shown_) && budget != budget_;
    if (shown_) {
        showForecast(budgetAnew_ || !apart().isEmpty());
    }
}

void LivePage::showForecast(bool on) {
    forecastWanted_ = on;
    plots_->showForecast(on);
    controls_->setGauge(runOnShow() ? gauge_ : GaugeState());
    emit viewChanged();
}

void LivePage::setGauge(const GaugeState& state) {
    gauge_ = state;
    gauge_.run = shown_ ? shown_->title : QString();
    gauge_.apart = shown_ && !running() ? apartText() : QString();
    controls_->setGauge(forecastWanted_ && !waiting_ ? GaugeState() : gauge_);
}

void LivePage::showState() {
    controls_->setRunning(running());
    controls_->setStopping(controller_.cancelling());
    if (controller_.cancelling()) {
        showGauge();
    }
    emit stateChanged();
}

void LivePage::showGauge() {
    setGauge({highest_, budget_, true, false, controller_.cancelling(), {}, gaugeDevice(device_)});
}

/// A few times per second, so that it can be read.
void LivePage::showDevice() {
    constexpr qint64 kPauseMs = 250;
    if (!device_ || (deviceShown_.isValid() && deviceShown_.elapsed() < kPauseMs)) {
        return;
    }
    deviceShown_.start();
    plots_->setDevice(liveStatus(*device_, hostSlower_));
}

void LivePage::useBatch(qint64 batch) {
    document_.edit(tr("Use batch %1").arg(batch),
                   [batch](stack::Experiment& experiment) { experiment.step.batchSize = batch; });
}

void LivePage::take(const std::vector<wire::Event>& events) {
    std::vector<widgets::MemoryPoint> samples;
    std::vector<widgets::StepBar> bars;
    for (const wire::Event& event : events) {
        take(event, samples, bars);
    }
    if (!samples.empty()) {
        plots_->addLiveSamples(samples, step_);
        if (bars.empty() && !ended_) {
            showGauge();
        }
    }
    if (!bars.empty()) {
        plots_->addSteps(bars);
        controls_->setProgress(bars.back().index + 1, stepsOfRun_, warmupOfRun_);
        showGauge();
        emit leftChanged(QString::fromStdString(runId()), plots_->left());
    }
    if (!ended_) {
        showDevice();
    }
}

void LivePage::take(const wire::Event& event, std::vector<widgets::MemoryPoint>& samples,
                    std::vector<widgets::StepBar>& bars) {
    if (const auto* started = std::get_if<wire::Started>(&event)) {
        layers_ = started->layers;
        budget_ = started->budget;
        stepsOfRun_ = started->warmup + started->steps;
        warmupOfRun_ = started->warmup;
        plots_->startRun(toRunShape(*started));
        shown_ = Shown{starting_, startingTitle_, {}, targetOfRun(started->environment)};
        controls_->setProgress(0, stepsOfRun_, warmupOfRun_);
        showMark();
        showGauge();
        if (document_.experiment() != editedAtStart_) {  // edited while the engine was starting
            follow();
        }
        emit shownChanged();
    } else if (const auto* sample = std::get_if<wire::LedgerSample>(&event)) {
        if (sample->step != step_ && !samples.empty()) {
            plots_->addLiveSamples(samples, step_);
            samples.clear();
        }
        step_ = sample->step;
        highest_ = std::max(highest_, sample->ledger.total());
        samples.push_back(toPoint(*sample));
        reserved_.add(*sample);
        if (sample->device) {
            device_ = sample->device;
        }
    } else if (const auto* step = std::get_if<wire::StepDone>(&event)) {
        bars.push_back(toStepBar(*step));
        highest_ = std::max(highest_, step->peak.ledger.total());
        hostSlower_ = bars.back().hostSlower;
        if (step->timeline.empty()) {
            return;
        }
        auto points = toPoints(step->timeline);
        reserved_.fill(step->index, points);
        plots_->setStepTimeline(step->index, std::move(points), toSpans(step->marks), toPeakInfo(step->peak));
    } else if (const auto* patch = std::get_if<wire::PatchSaved>(&event)) {
        emit patchSaved(*patch);
    } else if (const auto* warning = std::get_if<wire::Warning>(&event)) {
        emit notice(widgets::NoticeBar::Kind::Warning, QString::fromStdString(warning->message));
    } else if (const auto* failed = std::get_if<wire::Failed>(&event)) {
        if (failed->status == wire::RunStatus::OutOfMemory) {
            plots_->markRefused(toRefusal(*failed, layers_));
        }
    } else if (const auto* finishedEvent = std::get_if<wire::Finished>(&event)) {
        finished(*finishedEvent->result);
    }
}

void LivePage::finished(const wire::RunResult& result) {
    plots_->setSummary(result.stepMs, result.throughput);
    plots_->finish(stateText(result.status));
    plots_->setDevice(endStatus(result));
    ended_ = true;
    device_ = shownDevice(result);
    failure_ = result.failure;
    setGauge(gaugeOf(result.peakAllocated, budget_, result.status, gaugeDevice(device_)));
    if (shown_) {
        shown_->measured = result;
    }
    emit measuredChanged();
}

void LivePage::settled(const runs::RunSummary& summary) {
    last_ = summary;
    if (shown_) {
        shown_->title = tr("run #%1").arg(summary.number);
        shown_->id = summary.id;
        showMark();
    }
    setGauge(gaugeOf(summary.peakAllocated, budget_, summary.status, gaugeDevice(device_)));
    if (summary.status == wire::RunStatus::Failed || summary.status == wire::RunStatus::OutOfMemory) {
        plots_->finish(stateText(summary.status));
        sayFailure(summary);
    }
    if (budgetAnew_) {
        showForecast(true);
    }
    emit stateChanged();
}

/// Says what would have fitted, if known, with an action to apply it. How memory ran out is shown above the
/// plots.
void LivePage::sayFailure(const runs::RunSummary& summary) {
    const bool told = failure_ && failure_->status == wire::RunStatus::OutOfMemory;
    QString text = tr("Run #%1: %2.")
                       .arg(summary.number)
                       .arg(told ? stateText(failure_->status) : QString::fromStdString(summary.message)) +
                   ' ';
    const QString fits = failure_ ? QString::fromStdString(failure_->wouldFit).section(':', 0, 0) : QString();
    text += fits.isEmpty() ? tr("What was recorded so far is kept.") : tr("An estimate: %1.").arg(fits);
    const qint64 batch = failure_ ? failure_->fittingBatch : 0;
    if (batch > 0) {
        emit notice(widgets::NoticeBar::Kind::Error, text, tr("Use batch %1").arg(batch),
                    [this, batch] { useBatch(batch); });
    } else {
        emit notice(widgets::NoticeBar::Kind::Error, text);
    }
}

void LivePage::askForTwin(std::function<void(widgets::Forecast)> then) {
    const runs::RunSummary* twin =
        shown_ && shown_->watched
            ? pretendedTwin(store_.rows(), shown_->experiment.name, shown_->target.id.toStdString())
            : nullptr;
    if (!twin) {
        return;
    }
    store_.load({twin->id}, [then = std::move(then)](base::Result<std::vector<runs::RunRecord>> records) {
        auto forecast = records && !records->empty() ? forecastOfTwin(records->front()) : std::nullopt;
        if (forecast) {
            then(std::move(*forecast));
        }
    });
}

void LivePage::giveUp(const std::string& id) {
    left_.giveUp(id, controls_->window());
}

void LivePage::forget(const std::vector<std::string>& ids) {
    if (running() || !shown_ || std::ranges::find(ids, shown_->id) == ids.end()) {
        return;
    }
    shown_.reset();
    forecastWanted_ = false;
    plots_->clear();
    setGauge({});
    emit shownChanged();
}

void LivePage::show(const runs::RunRecord& run) {
    widgets::StoredRun stored = toStoredRun(run);
    const QString title = (!run.script               ? tr("run #%1")
                           : run.script->pretended() ? tr("run #%1, pretended")
                                                     : tr("run #%1, watched"))
                              .arg(run.summary.number);
    stored.state = tr("%1, %2").arg(title, stateText(run.summary.status));
    controls_->setProgress(0, 0);
    forecastWanted_ = false;
    shown_ = Shown{run.experiment,
                   title,
                   run.result,
                   targetOfRun(environmentOf(run)),
                   run.summary.id,
                   run.script.has_value(),
                   run.script && !run.script->pretended()};
    budget_ = stored.shape.budget;
    budgetAnew_ = false;
    plots_->showRun(std::move(stored));
    showMark();
    setGauge(
        gaugeOf(run.result.peakAllocated, budget_, run.summary.status, gaugeDevice(shownDevice(run.result))));
    emit shownChanged();
}

}  // namespace highwater::desktop

#include "moc_live_page.cpp"
