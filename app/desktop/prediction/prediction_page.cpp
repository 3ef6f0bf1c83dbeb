#include "app/desktop/prediction/prediction_page.h"

#include <QScopedValueRollback>
#include <QSettings>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/experiment/target/targets.h"
#include "app/desktop/prediction/calibrate_dialog.h"
#include "app/desktop/prediction/difference_dialog.h"
#include "app/desktop/prediction/fit_dialog.h"
#include "app/desktop/prediction/forecast_values.h"
#include "app/desktop/prediction/growth_dialog.h"
#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/snapshot_dialog.h"
#include "core/base/id.h"
#include "core/base/text.h"
#include "core/predict/tables/contexts.h"
#include "core/report/prediction_report.h"
#include "widgets/plot/live_plots.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

bool isGpu(const TargetChoice& target) {
    return target.id != "cpu";
}

}  // namespace

PredictionPage::PredictionPage(ExperimentDocument& document, LivePage& live, StackEditor& editor,
                               Predictor::Work work, QObject* parent)
    : QObject(parent), document_(document), live_(live), editor_(editor), predictor_(std::move(work)) {
    offerVersions(targetField());
    if (const QString why = offerTargets(targetField()); !why.isEmpty()) {
        // The window is still being built, so show this once it is visible.
        QMetaObject::invokeMethod(
            this, [this, why] { emit notice(widgets::NoticeBar::Kind::Error, why); }, Qt::QueuedConnection);
    }
    connect(&predictor_, &Predictor::answered, this, &PredictionPage::take);
    connect(&asker_, &Asker::learned, this, &PredictionPage::refresh);
    connect(&asker_, &Asker::saidChanged, this, [this] {
        showGauge();
        fillDifferences();
    });
    connect(&document_, &ExperimentDocument::changed, this, &PredictionPage::ask);
    connect(&targetField(), &TargetField::changed, this, &PredictionPage::chooseTarget);
    connect(&targetField(), &TargetField::contextGiven, this, &PredictionPage::keepContext);
    connect(&live_.controls()->gauge(), &Gauge::clicked, this,
            [this] { showDifferences(live_.controls()->window()); });
    connect(live_.controls(), &ControlBar::runOptionsChanged, this, [this] {
        if (current_) {
            take(*current_);
        }
    });
    connect(&live_, &LivePage::shownChanged, this, &PredictionPage::askForRun);
    connect(&live_, &LivePage::measuredChanged, this, &PredictionPage::fillDifferences);
    connect(&live_, &LivePage::viewChanged, this, [this] {
        showGauge();
        fillDifferences();
    });
    connect(&editor_, &StackEditor::safeSizeChosen, this, &PredictionPage::useSize);
    ask();
}

TargetField& PredictionPage::targetField() const {
    return live_.controls()->target();
}

void PredictionPage::rememberTarget() {
    remembers_ = true;
    const QSettings settings;
    targetField().setChoice({settings.value("predict/target", "cpu").toString(),
                             settings.value("predict/libtorch").toString(),
                             settings.value("predict/cudnn").toString(),
                             std::max<qint64>(0, settings.value("predict/others").toLongLong())});
    showDefaultCudnn(targetField());
    showContext(targetField());
    ask();
}

void PredictionPage::chooseTarget() {
    if (remembers_) {
        keepTarget();
    }
    showDefaultCudnn(targetField());
    showContext(targetField());
    ask();
}

void PredictionPage::predictFor(const TargetChoice& target) {
    const QScopedValueRollback quiet(remembers_, false);
    TargetField& field = targetField();
    field.setChoice(target);
    emit field.changed(field.choice());
}

void PredictionPage::keepContext(std::optional<base::Bytes> bytes) {
    const std::string profile = targetField().choice().id.toStdString();
    const auto kept = bytes ? predict::keepGivenContext(profile, *bytes) : predict::forgetContext(profile);
    if (!kept) {
        emit notice(widgets::NoticeBar::Kind::Error, plainError(kept.error()));
    }
    refreshContext();
}

void PredictionPage::refreshContext() {
    showContext(targetField());
    refresh();
}

void PredictionPage::keepTarget() {
    const TargetChoice& choice = targetField().choice();
    QSettings settings;
    settings.setValue("predict/target", choice.id);
    settings.setValue("predict/libtorch", choice.libtorch);
    settings.setValue("predict/cudnn", choice.cudnn);
    settings.setValue("predict/others", static_cast<qint64>(choice.others));
}

void PredictionPage::refresh() {
    ask();
    askForRun();
}

void PredictionPage::ask() {
    if (growth_) {
        growth_->experimentChanged();
    }
    if (snapshot_) {
        snapshot_->experimentChanged();
    }
    if (fit_) {
        fit_->experimentChanged();
    }
    if (plans_) {
        plans_->experimentChanged();
    }
    const TargetChoice& target = targetField().choice();
    if (const auto& info = document_.info()) {
        editor_.awaitPrediction();
        predictor_.ask(document_.experiment(), *info, target);
        return;
    }
    predictor_.drop();
    take({predictor_.revision(), target, {}, nullptr, tr("the stack is not valid yet")});
}

void PredictionPage::take(const PredictionAnswer& answer) {
    current_ = answer;
    editor_.setPrediction(answer.prediction);
    std::optional<widgets::Forecast> forecast;
    if (answer.prediction) {
        forecast = toForecast(*answer.prediction, answer.info, deviceOf(answer.target));
        const RunOptions run = live_.controls()->runOptions();
        forecast->budget = run.budget;
        forecast->runsOn = runsElsewhere(answer.target);
        forecast->steps = forecast->runsOn.isEmpty() ? run.steps + run.warmup : 0;
    }
    live_.setTooLarge(tooLarge(answer));
    live_.controls()->setRunTime(forecast ? widgets::runTimeText(*forecast) : QString());
    live_.plots()->setForecast(std::move(forecast), plainError(answer.trouble));
    showGauge();
    fillDifferences();
    offerCalibration(answer);
    asker_.look(answer);
    emit updated(answer.revision);
}

/// Only the CPU needs this warning: a GPU reports that it is full, and a budget stops a run in time, but CPU
/// memory is shared by all programs.
QString PredictionPage::tooLarge(const PredictionAnswer& answer) const {
    const auto& prediction = answer.prediction;
    if (!prediction || isGpu(answer.target) || !runsElsewhere(answer.target).isEmpty() ||
        live_.controls()->runOptions().budget || prediction->fits != predict::Fits::No) {
        return {};
    }
    return tr("The prediction is %1, and this machine has %2 available: without a budget, the run can bring "
              "the machine to a halt.")
        .arg(widgets::fromUtf8(base::formatBytes(prediction->peakAllocated.expected)),
             widgets::fromUtf8(base::formatBytes(prediction->capacity)));
}

/// Offered once per machine, and once per window if the time is very uncertain; otherwise it is available in
/// the menu and in the table of differences.
void PredictionPage::offerCalibration(const PredictionAnswer& answer) {
    constexpr auto kOffered = "predict/calibrationOffered";
    const bool same = answer.prediction && !isGpu(answer.target) &&
                      std::pair(answer.prediction->withoutRow, answer.prediction->convolutions) == offered_;
    if (offered_.second > 0 && !same) {  // the notice was about another stack
        offered_ = {};
        emit noticePassed();
    }
    if (!remembers_ || isGpu(answer.target) || !answer.prediction || answer.prediction->withoutRow == 0) {
        return;
    }
    constexpr double kWide = 5;  // high/low ratio above which the displayed time can be far off
    const bool wide = answer.prediction->stepMs.high > kWide * answer.prediction->stepMs.low;
    if (QSettings().value(kOffered).toBool() && (!wide || std::exchange(offeredForTime_, true))) {
        return;
    }
    QSettings().setValue(kOffered, true);
    offered_ = {answer.prediction->withoutRow, answer.prediction->convolutions};
    emit notice(widgets::NoticeBar::Kind::Info,
                tr("%1 of %2 convolution passes of this stack have not been measured on this machine: the "
                   "prediction is an estimate.")
                    .arg(answer.prediction->withoutRow)
                    .arg(answer.prediction->convolutions),
                tr("Calibrate…"), [this] { showCalibration(live_.controls()->window()); });
}

void PredictionPage::showCalibration(QWidget* parent) {
    if (!calibration_) {
        calibration_ = new CalibrateDialog(document_.experiment(), {}, parent);
        calibration_->setAttribute(Qt::WA_DeleteOnClose);
        connect(calibration_, &CalibrateDialog::calibrated, this, &PredictionPage::refresh);
    }
    calibration_->show();
    calibration_->raise();
}

/// The displayed run is predicted for the device that it used, whatever the current target.
void PredictionPage::askForRun() {
    ofRun_.reset();
    live_.plots()->setRunForecast({});
    showGauge();
    const auto& shown = live_.shown();
    live_.askForTwin([this, revision = ++runRevision_](widgets::Forecast twin) {
        if (revision == runRevision_) {
            live_.plots()->setRunForecast(std::move(twin));
        }
    });
    const auto info =
        shown ? stack::inferShapes(shown->experiment) : base::Result<stack::StackInfo>(base::Error{"no run"});
    if (!info) {
        return;
    }
    const PredictionRequest request{++runRevision_, shown->experiment, *info, shown->target};
    predictor_.once(request, this, [this](PredictionAnswer answer) {
        if (answer.revision != runRevision_) {
            return;
        }
        if (answer.prediction) {
            live_.plots()->setRunForecast(
                toForecast(*answer.prediction, answer.info, deviceOf(answer.target)));
        }
        ofRun_ = std::move(answer);
        showGauge();
        fillDifferences();
    });
}

void PredictionPage::showGauge() {
    const auto& answer = live_.runOnShow() ? ofRun_ : current_;
    if (!answer) {
        live_.controls()->gauge().setForecast({});
        return;
    }
    const QString device = deviceOf(answer->target);
    live_.controls()->gauge().setForecast(
        answer->prediction ? toGauge(*answer->prediction, device, isGpu(answer->target), saidOf(*answer))
                           : noGauge(answer->trouble, device));
}

/// What cuDNN answered, and the device memory that is not available to the run.
QString PredictionPage::saidOf(const PredictionAnswer& answer) const {
    QStringList lines = {asker_.said(answer)};
    if (answer.target.others > 0 && isGpu(answer.target)) {
        lines << tr("Other programs use %1 of the device.")
                     .arg(widgets::fromUtf8(base::formatBytes(answer.target.others)));
    }
    lines.removeAll(QString());
    return lines.join('\n');
}

std::vector<std::string> PredictionPage::guessesOf(const PredictionAnswer& answer) const {
    std::vector<std::string> guesses = answer.prediction->guesses;
    if (const QString said = asker_.said(answer); !said.isEmpty()) {
        guesses.push_back(said.toStdString());
    }
    return guesses;
}

QString PredictionPage::deviceOf(const TargetChoice& target) const {
    for (const TargetItem& item : targetField().targets()) {
        if (item.id == target.id && isGpu(target)) {
            return item.title;
        }
    }
    return isGpu(target) ? tr("this GPU") : tr("this CPU");
}

void PredictionPage::chooseReport(QWidget* parent, const report::Format& format) {
    if (!settled()) {
        return emit notice(widgets::NoticeBar::Kind::Info, tr("Predicting…"));
    }
    if (!current_ || !current_->prediction) {
        return emit notice(widgets::NoticeBar::Kind::Warning,
                           tr("There is no prediction to report: %1").arg(plainError(current_->trouble)));
    }
    if (const QString file = askReportFile(parent, format); !file.isEmpty()) {
        saveReport(file);
    }
}

void PredictionPage::saveReport(const QString& file) {
    report::PredictionInput input;
    input.experiment = current_->experiment;
    input.info = current_->info;
    input.prediction = *current_->prediction;
    input.budget = live_.controls()->runOptions().budget;
    if (const QString said = asker_.said(*current_); !said.isEmpty()) {
        input.remarks.push_back(said.toStdString());
    }
    const auto write = [input = std::move(input), choice = current_->target](
                           const std::filesystem::path& path,
                           const report::Stop& stop) mutable -> base::Status {
        auto target = targetOf(choice, input.experiment);
        if (!target) {
            return target.error();
        }
        input.target = std::move(*target);
        input.created = base::isoNow();
        return report::write(report::contentOf(input), path, stop);
    };
    writeReport(file, write, reports_, this,
                [this](widgets::NoticeBar::Kind kind, const QString& text, const QString& action,
                       std::function<void()> act) { emit notice(kind, text, action, std::move(act)); });
}

void PredictionPage::useSize(const QString& axis, qint64 value) {
    auto next = predict::withAxis(document_.experiment(), axis.toStdString(), value);
    if (!next) {
        emit notice(widgets::NoticeBar::Kind::Error, plainError(next.error()));
        return;
    }
    const QString word = axisWord(axis.toStdString());
    document_.edit(tr("Use %1 %2").arg(word).arg(value),
                   [&](stack::Experiment& experiment) { experiment = std::move(*next); });
}

void PredictionPage::showDifferences(QWidget* parent) {
    if (!differences_) {
        differences_ = new DifferenceDialog(parent);
        differences_->setAttribute(Qt::WA_DeleteOnClose);
        connect(differences_, &DifferenceDialog::calibrationWanted, this,
                [this] { showCalibration(differences_); });
        connect(differences_, &DifferenceDialog::layerChosen, this, [this](int layer) {
            const auto& info = document_.info();
            if (info && layer >= 0 && layer < static_cast<int>(info->layers.size())) {
                editor_.select({info->layers[static_cast<std::size_t>(layer)].path});
            }
        });
    }
    fillDifferences();
    differences_->show();
    differences_->raise();
}

void PredictionPage::fillDifferences() {
    if (!differences_) {
        return;
    }
    const bool run = live_.runOnShow();
    const auto& answer = run ? ofRun_ : current_;
    if (!answer || !answer->prediction) {
        differences_->showNothing(answer ? answer->trouble : tr("Predicting…"));
        return;
    }
    const auto& shown = live_.shown();
    const wire::RunResult* measured = run && shown && shown->measured ? &*shown->measured : nullptr;
    differences_->showRows(
        differences(*answer->prediction, answer->info, measured, isGpu(answer->target)),
        measured ? tr("Predicted for %1, measured in %2").arg(deviceOf(answer->target), shown->title)
                 : unmeasuredTitle(answer->target),
        guessesOf(*answer), !isGpu(answer->target) && answer->prediction->withoutRow > 0);
}

/// Run measures the prediction only if it uses the target device.
QString PredictionPage::unmeasuredTitle(const TargetChoice& target) const {
    const QString predicted = tr("Predicted for %1.").arg(deviceOf(target));
    const QString elsewhere = runsElsewhere(target);
    return predicted + ' ' +
           (elsewhere.isEmpty() ? tr("Press Run to measure it.") : tr("Runs on the %1.").arg(elsewhere));
}

/// Where a run would execute if that is not the target: "CPU"; otherwise empty.
QString PredictionPage::runsElsewhere(const TargetChoice& target) const {
    const bool onCpu = live_.controls()->runOptions().device == "cpu";
    return isGpu(target) != onCpu ? QString() : onCpu ? tr("CPU") : tr("GPU");
}

void PredictionPage::showFit(QWidget* parent) {
    if (!fit_) {
        fit_ = new FitDialog(document_, targetField(), parent);
        fit_->setAttribute(Qt::WA_DeleteOnClose);
        connect(fit_, &FitDialog::deviceChosen, this, [this](const QString& id) {
            TargetChoice choice = targetField().choice();
            choice.id = id;
            targetField().setChoice(choice);
            emit targetField().changed(targetField().choice());
        });
        connect(fit_, &FitDialog::changeChosen, this,
                [this](const QString& what, const stack::Experiment& experiment) {
                    document_.edit(what, [&](stack::Experiment& edited) { edited = experiment; });
                });
        connect(fit_, &FitDialog::plansWanted, this, [this] { showPlans(live_.controls()->window()); });
    }
    fit_->show();
    fit_->raise();
}

PlanDialog* PredictionPage::plans() const {
    return plans_;
}

void PredictionPage::showPlans(QWidget* parent) {
    if (!plans_) {
        plans_ = new PlanDialog(document_, targetField(), planAround_, parent);
        plans_->setAttribute(Qt::WA_DeleteOnClose);
    }
    plans_->show();
    plans_->raise();
}

void PredictionPage::showGrowth(QWidget* parent) {
    if (!growth_) {
        growth_ = new GrowthDialog(document_, targetField(), parent);
        growth_->setAttribute(Qt::WA_DeleteOnClose);
        connect(growth_, &GrowthDialog::sizeChosen, this, &PredictionPage::useSize);
    }
    growth_->show();
    growth_->raise();
}

void PredictionPage::learnFrom(const QString& snapshot, QWidget* parent) {
    delete snapshot_;
    snapshot_ = new SnapshotDialog(document_, targetField(), snapshot, parent);
    snapshot_->setAttribute(Qt::WA_DeleteOnClose);
    connect(snapshot_, &SnapshotDialog::kept, this, &PredictionPage::refresh);
    connect(snapshot_, &SnapshotDialog::timelineWanted, this, &PredictionPage::timelineWanted);
    snapshot_->show();
    snapshot_->raise();
}

}  // namespace highwater::desktop

#include "moc_prediction_page.cpp"
