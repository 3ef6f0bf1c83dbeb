#include "app/desktop/run/live_page.h"

#include <algorithm>
#include <utility>

#include "app/desktop/prediction/predictor.h"
#include "app/desktop/run/live_values.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/window/text.h"
#include "core/base/text.h"
#include "core/stack/shapes.h"
#include "widgets/controls/control_bar.h"
#include "widgets/plot/live_plots.h"
#include "widgets/stack/checked_edit.h"
#include "widgets/stack/error_words.h"

namespace highwater::desktop {

namespace {

QString stateText(wire::RunStatus status) {
    return QString::fromUtf8(wire::statusKey(status)).replace('_', ' ');
}

/// The gauge of a run that has ended, or that another window measures.
widgets::GaugeState gaugeOf(base::Bytes peak, std::optional<base::Bytes> budget, wire::RunStatus status,
                            std::optional<widgets::GaugeDevice> device) {
    const bool worthSaying = status == wire::RunStatus::Cancelled || status == wire::RunStatus::Failed;
    return {peak,
            budget,
            false,
            status == wire::RunStatus::OutOfMemory,
            false,
            worthSaying ? stateText(status) : QString(),
            std::move(device)};
}

std::optional<widgets::GaugeDevice> gaugeDevice(const std::optional<wire::DeviceMemory>& device) {
    return device ? std::optional(toGauge(*device)) : std::nullopt;
}

}  // namespace

LivePage::LivePage(widgets::ExperimentDocument& document, Store& store, ScanPage& scan, QObject* parent)
    : QObject(parent),
      document_(document),
      store_(store),
      scan_(scan),
      controller_(store),
      controls_(new widgets::ControlBar(document)),
      plots_(new widgets::LivePlots) {
    connect(controls_, &widgets::ControlBar::runRequested, this, &LivePage::press);
    connect(&document_, &widgets::ExperimentDocument::changed, this, &LivePage::follow);
    connect(&controls_->target(), &widgets::TargetField::changed, this, &LivePage::follow);
    connect(controls_, &widgets::ControlBar::runOptionsChanged, this, &LivePage::judgeBudget);
    connect(plots_, &widgets::LivePlots::forecastWanted, this, &LivePage::showForecast);
    connect(plots_, &widgets::LivePlots::batchWanted, this, &LivePage::useBatch);
    connect(controls_, &widgets::ControlBar::stopRequested, this, &LivePage::stop);
    connect(&controller_, &RunController::stateChanged, this, &LivePage::showState);
    connect(&scan_, &ScanPage::stateChanged, this, &LivePage::startWaiting);
    connect(&scan_, &ScanPage::progressed, this, [this] {
        if (waiting_) {
            setGauge({0, {}, true, false, false, scan_.loadingText()});
        }
    });
    connect(&store_, &Store::rowsChanged, this, &LivePage::takeOverWhatIsLeft);
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
    connect(&controller_, &RunController::failedToStart, this, [this](const QString& message) {
        last_.reset();
        plots_->finish(tr("failed"));
        setGauge({0, budget_, false, false, false, tr("failed")});
        emit notice(NoticeBar::Kind::Error, tr("The run could not be started: %1").arg(message));
    });
}

QString LivePage::whyNot() const {
    if (running()) {
        return tr("A run is on already. Stop it first.");
    }
    if (blocked()) {
        return blocked_;
    }
    if (const auto& info = document_.info(); !info) {
        return widgets::plainError(info.error());
    } else if (const auto can = stack::checkSupported(document_.experiment(), *info,
                                                      controls_->runOptions().device != "cpu");
               !can) {
        return widgets::plainError(can.error());
    }
    if (const QString problem = widgets::wrongField(*controls_->window()); !problem.isEmpty()) {
        return problem;
    }
    return {};
}

QString LivePage::start() {
    if (const QString why = whyNot(); !why.isEmpty()) {
        return why;
    }
    scan_.prepareRun();
    if (!scan_.ready() && !scan_.loading()) {
        return tr("The scan is not there: %1").arg(scan_.problem());
    }
    if (!scan_.ready()) {
        waiting_ = true;
        setGauge({0, {}, true, false, false, scan_.loadingText()});
        showState();
        return {};
    }
    const widgets::RunOptions options = controls_->runOptions();
    RunController::Request request;
    request.experiment = document_.experiment();
    request.volumes = scan_.volumesForRun();
    request.device = options.device.toStdString();
    request.host = options.host.toStdString();
    request.steps = options.steps;
    request.warmup = options.warmup;
    request.budget = options.budget;
    budget_ = options.budget;
    stepsOfRun_ = options.steps + options.warmup;
    warmupOfRun_ = options.warmup;
    begin(request.experiment, tr("this run"));
    setGauge({0, budget_, true});
    controller_.start(std::move(request));
    emit shownChanged();
    return {};
}

/// Nothing has been measured of the run that is started or taken over.
void LivePage::begin(const stack::Experiment& experiment, const QString& title) {
    highest_ = 0;
    device_.reset();
    failure_.reset();
    reserved_ = {};
    hostSlower_ = false;
    step_ = -1;
    controls_->setProgress(0, stepsOfRun_, warmupOfRun_);
    starting_ = experiment;
    startingTitle_ = title;
    shown_.reset();
    ended_ = false;
    forecastWanted_ = budgetAnew_ = false;
    warnedOf_.clear();
    warnedOfSize_.clear();
}

void LivePage::press() {
    if (running() || blocked()) {
        startOrSay();
        return;
    }
    if (!controls_->runOptions().host.isEmpty()) {  // what is measured here disturbs nothing there
        startOrSay();
        return;
    }
    if (!std::exchange(asking_, true)) {
        store_.measuredByOthers([this](const std::optional<runs::ActiveRun>& other) {
            asking_ = false;
            startUnlessDisturbed(other);
        });
    }
}

void LivePage::startUnlessDisturbed(const std::optional<runs::ActiveRun>& other) {
    if (tooLarge_ != warnedOfSize_ && !tooLarge_.isEmpty() && whyNot().isEmpty()) {
        warnedOfSize_ = tooLarge_;
        emit notice(NoticeBar::Kind::Warning, tr("%1 Press Run again to run all the same.").arg(tooLarge_));
        return;
    }
    if (!other || running() || blocked() || other->id == warnedOf_) {
        startOrSay();
        return;
    }
    warnedOf_ = other->id;
    emit notice(NoticeBar::Kind::Warning,
                tr("Another program is measuring run #%1 now. The times of two runs at once are not "
                   "those of one. Press Run again to run all the same.")
                    .arg(other->number));
}

void LivePage::startOrSay() {
    const QString why = whyNot();
    if (!why.isEmpty()) {
        emit refused(why);
    } else if (const QString problem = start(); !problem.isEmpty()) {
        emit notice(NoticeBar::Kind::Error, problem);
    }
}

void LivePage::setTakesOver(bool on) {
    takesOver_ = on;
    takeOverWhatIsLeft();
}

bool LivePage::catchingUp() const {
    return takesOver_ && (!store_.listed() || controller_.behind());
}

void LivePage::takeOverWhatIsLeft() {
    if (!takesOver_) {
        return;
    }
    for (const runs::ActiveRun& run : store_.active()) {
        const auto cannot = [this, id = run.id, number = run.number,
                             there = !run.host.empty()](const std::string& problem) {
            notTaken_.insert(id);
            if (there) {  // until the host is back
                QTimer::singleShot(60'000, this, [this, id] { notTaken_.erase(id); });
            }
            if (saidNotTaken_.insert(id).second) {
                emit notice(NoticeBar::Kind::Warning,
                            tr("Run #%1 goes on, but this window cannot follow it: %2")
                                .arg(number)
                                .arg(text(problem)));
            }
        };
        if (!run.problem.empty()) {
            cannot(run.problem);
        } else if (run.followedBy == runs::ActiveRun::FollowedBy::Nobody && !running() && !blocked() &&
                   !notTaken_.contains(run.id)) {
            controller_.takeOver(run, cannot);
        }
    }
}

void LivePage::takenOver(const runs::TakenRun& run) {
    stepsOfRun_ = warmupOfRun_ = 0;  // until what its engine said first has been read
    budget_.reset();
    begin(run.experiment, tr("run #%1").arg(run.number));
    setGauge({0, {}, true});
    emit shownChanged();
    emit tookOver(run.number);
}

bool LivePage::runOnShow() const {
    return controller_.running() || (shown_ && !forecastWanted_);
}

/// What is edited is what is shown: a run stays in sight as long as it is a run of just that.
void LivePage::follow() {
    showMark();
    if (!running() && shown_) {
        showForecast(budgetAnew_ || !apart().isEmpty());
    }
}

/// How the run on show is another thing than what is edited and predicted; empty if it is not.
QString LivePage::apart() const {
    if (document_.experiment() != shown_->experiment) {
        return tr("not as edited now");
    }
    const QString& ran = shown_->target.id;
    if (ran.isEmpty() || controls_->target().choice().id == ran) {
        return {};
    }
    return tr("not on %1").arg(controls_->target().title());
}

void LivePage::showMark() {
    if (shown_) {
        plots_->setRunMark(runMark(shown_->experiment, shown_->title), apart());
        gauge_.apart = running() ? QString() : apart();
    }
}

/// Another budget is judged at once, or when the run has ended, against what is predicted: a run has the
/// budget that it ran with.
void LivePage::judgeBudget() {
    const auto budget = controls_->runOptions().budget;
    if (budget == std::exchange(budgetInField_, budget)) {
        return;
    }
    budgetAnew_ = (running() || shown_) && budget != budget_;
    if (!running() && shown_) {
        showForecast(budgetAnew_ || !apart().isEmpty());
    }
}

void LivePage::showForecast(bool on) {
    if (running()) {
        return;
    }
    forecastWanted_ = on;
    plots_->showForecast(on);
    controls_->setGauge(runOnShow() ? gauge_ : widgets::GaugeState());
    emit viewChanged();
}

void LivePage::setGauge(const widgets::GaugeState& state) {
    gauge_ = state;
    gauge_.run = shown_ ? shown_->title : QString();
    gauge_.apart = shown_ && !running() ? apart() : QString();
    controls_->setGauge(gauge_);
}

void LivePage::startWaiting() {
    if (!waiting_ || scan_.loading()) {
        return;
    }
    waiting_ = false;
    const QString problem = scan_.ready() ? start() : tr("The scan is not there: %1").arg(scan_.problem());
    if (!problem.isEmpty()) {
        setGauge({});
        showState();
        emit notice(NoticeBar::Kind::Error, problem);
    }
}

void LivePage::stop() {
    if (waiting_) {
        waiting_ = false;
        scan_.cancelPreparing();
        setGauge({});
        showState();
        return;
    }
    controller_.cancel();
}

void LivePage::setBlocked(const QString& whyNot) {
    blocked_ = whyNot;
    controls_->setBlocked(whyNot);
    emit stateChanged();
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

/// A few times a second: it is to be read.
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
        emit notice(NoticeBar::Kind::Warning, QString::fromStdString(warning->message));
    } else if (const auto* failed = std::get_if<wire::Failed>(&event)) {
        if (failed->status == wire::RunStatus::OutOfMemory) {
            plots_->markRefused(toRefusal(*failed, layers_));
        }
    } else if (const auto* finishedEvent = std::get_if<wire::Finished>(&event)) {
        finished(finishedEvent->result);
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

/// With what would have fitted, where it is known, and the way there. How memory ran out stands over the
/// plots.
void LivePage::sayFailure(const runs::RunSummary& summary) {
    const bool told = failure_ && failure_->status == wire::RunStatus::OutOfMemory;
    QString text = tr("Run #%1: %2.")
                       .arg(summary.number)
                       .arg(told ? stateText(failure_->status) : QString::fromStdString(summary.message)) +
                   ' ';
    const QString fits = failure_ ? QString::fromStdString(failure_->wouldFit).section(':', 0, 0) : QString();
    text += fits.isEmpty() ? tr("What was measured until then is kept.") : tr("An estimate: %1.").arg(fits);
    const qint64 batch = failure_ ? failure_->fittingBatch : 0;
    if (batch > 0) {
        emit notice(NoticeBar::Kind::Error, text, tr("Use batch %1").arg(batch),
                    [this, batch] { useBatch(batch); });
    } else {
        emit notice(NoticeBar::Kind::Error, text);
    }
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
    widgets::StoredRun stored;
    const std::vector<wire::LayerCost>* layers = &run.result.layers;
    const wire::Environment* environment = &run.result.environment;
    ReservedTrack reserved;
    for (const wire::Event& event : run.events) {
        if (const auto* sample = std::get_if<wire::LedgerSample>(&event)) {
            reserved.add(*sample);
            if (std::exchange(stored.begunStep, sample->step) != sample->step) {
                stored.begun.clear();
            }
            stored.begun.push_back(toPoint(*sample));
        } else if (const auto* started = std::get_if<wire::Started>(&event)) {
            stored.shape = toRunShape(*started);
            layers = &started->layers;
            environment = &started->environment;
        } else if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            stored.steps.push_back(toStepBar(*step));
            stored.begun.clear();
            if (step->timeline.empty()) {
                continue;
            }
            stored.timelineStep = step->index;
            stored.timeline = toPoints(step->timeline);
            reserved.fill(step->index, stored.timeline);
            stored.spans = toSpans(step->marks);
            stored.peak = toPeakInfo(step->peak);
        } else if (const auto* failed = std::get_if<wire::Failed>(&event);
                   failed && failed->status == wire::RunStatus::OutOfMemory) {
            stored.refusal = toRefusal(*failed, *layers);
        }
    }
    stored.stepMs = run.result.stepMs;
    stored.throughput = run.result.throughput;
    stored.device = endStatus(run.result);
    stored.state = tr("run #%1, %2").arg(run.summary.number).arg(stateText(run.summary.status));
    controls_->setProgress(0, 0);
    forecastWanted_ = false;
    shown_ = Shown{run.experiment, tr("run #%1").arg(run.summary.number), run.result,
                   targetOfRun(*environment), run.summary.id};
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
