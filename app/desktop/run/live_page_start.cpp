#include "app/desktop/run/live_page.h"

#include <utility>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/run/live_values.h"
#include "app/desktop/scan/scan_page.h"
#include "core/stack/shapes.h"
#include "widgets/controls/checked_edit.h"
#include "widgets/plot/live_plots.h"

/// Starting and stopping runs.
namespace highwater::desktop {

QString LivePage::whyNot() const {
    if (running()) {
        return tr("A run is already in progress. Stop it first.");
    }
    if (blocked()) {
        return blocked_;
    }
    if (const auto& info = document_.info(); !info) {
        return plainError(info.error());
    } else if (const auto can = stack::checkSupported(document_.experiment(), *info,
                                                      controls_->runOptions().device != "cpu");
               !can) {
        return plainError(can.error());
    }
    if (!throughPython().isEmpty()) {
        if (const auto can = python::checkExportable(document_.experiment()); !can) {
            return plainError(can.error());
        }
        if (throughPython() == kPretended && controls_->target().choice().id == "cpu") {
            return tr("Choose the GPU to pretend under Predict for.");
        }
    }
    if (const QString problem = widgets::wrongField(*controls_->window()); !problem.isEmpty()) {
        return problem;
    }
    return {};
}

/// kThroughPython or kPretended where the chosen device is one of these; empty: the engine is to run.
QString LivePage::throughPython() const {
    const QString host = controls_->runOptions().host;
    return host == kThroughPython || host == kPretended ? host : QString();
}

QString LivePage::start() {
    if (const QString why = whyNot(); !why.isEmpty()) {
        return why;
    }
    scan_.prepareRun();
    if (!scan_.ready() && !scan_.loading()) {
        return tr("The scan is missing: %1").arg(scan_.problem());
    }
    if (!scan_.ready()) {
        waiting_ = true;
        setGauge({0, {}, true, false, false, scan_.loadingText()});
        showState();
        return {};
    }
    const RunOptions options = controls_->runOptions();
    RunController::Request request;
    request.experiment = document_.experiment();
    request.volumes = scan_.volumesForRun();
    request.device = options.device.toStdString();
    request.host = options.host.toStdString();
    if (const QString python = throughPython(); !python.isEmpty()) {
        request.host.clear();
        request.volumes.clear();  // a program reads its scans itself
        request.python.emplace();
        if (python == kPretended) {
            request.python->gpu = controls_->target().choice().id.toStdString();
            request.device = "pretended " + request.python->gpu;
        }
    }
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

/// Resets the measurements for a run that is started or taken over.
void LivePage::begin(const stack::Experiment& experiment, const QString& title) {
    highest_ = 0;
    device_.reset();
    failure_.reset();
    reserved_ = {};
    hostSlower_ = false;
    step_ = -1;
    controls_->setProgress(0, stepsOfRun_, warmupOfRun_);
    starting_ = experiment;
    editedAtStart_ = document_.experiment();  // a run that is taken over may have another experiment
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
    if (!controls_->runOptions().host.isEmpty() &&
        throughPython().isEmpty()) {  // a measurement here does not disturb the host
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
        emit notice(widgets::NoticeBar::Kind::Warning,
                    tr("%1 Press Run again to run anyway.").arg(tooLarge_));
        return;
    }
    if (!other || running() || blocked() || other->id == warnedOf_) {
        startOrSay();
        return;
    }
    warnedOf_ = other->id;
    emit notice(widgets::NoticeBar::Kind::Warning,
                tr("Another program is measuring run #%1. Two runs at once slow "
                   "each other down. Press Run again to run anyway.")
                    .arg(other->number));
}

void LivePage::startOrSay() {
    const QString why = whyNot();
    if (!why.isEmpty()) {
        emit refused(why);
    } else if (const QString problem = start(); !problem.isEmpty()) {
        emit notice(widgets::NoticeBar::Kind::Error, problem);
    }
}

void LivePage::startWaiting() {
    if (!waiting_ || scan_.loading()) {
        return;
    }
    waiting_ = false;
    const QString problem = scan_.ready() ? start() : tr("The scan is missing: %1").arg(scan_.problem());
    if (!problem.isEmpty()) {
        setGauge({});
        showState();
        emit notice(widgets::NoticeBar::Kind::Error, problem);
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

}  // namespace highwater::desktop
