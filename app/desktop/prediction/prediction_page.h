#pragma once

#include <QObject>
#include <QPointer>
#include <optional>

#include "app/desktop/experiment/target/predictor.h"
#include "app/desktop/prediction/asker.h"
#include "app/desktop/prediction/plan/plan_confirm.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/run/report_file.h"

namespace highwater::desktop {

class CalibrateDialog;
class DifferenceDialog;
class FitDialog;
class GrowthDialog;
class PlanDialog;
class SnapshotDialog;
class StackEditor;

/// Predicts while the experiment is edited, and shows the prediction in the gauge, the stack, the plots, and
/// the related dialogs.
class PredictionPage : public QObject {
    Q_OBJECT
public:
    PredictionPage(ExperimentDocument& document, LivePage& live, StackEditor& editor,
                   Predictor::Work work = predictNow, QObject* parent = nullptr);

    /// Restores the target of the last launch, and stores the choice for the next launch.
    void rememberTarget();

    /// The prediction for the current experiment and target; std::nullopt before the first answer.
    const std::optional<PredictionAnswer>& current() const { return current_; }
    /// True if no prediction is in progress.
    bool settled() const { return !predictor_.busy(); }
    /// Predicts for this target from now on, as if the user had chosen it, but does not store the choice for
    /// the next launch.
    void predictFor(const TargetChoice& target);
    /// Predicts again, because something outside the experiment has changed (a calibration).
    void refresh();
    /// Predicts again, because the size of a CUDA context that is kept has changed.
    void refreshContext();

    /// Asks for a file name and writes the report of the current prediction there; `format` is offered
    /// first.
    void chooseReport(QWidget* parent, const report::Format& format = report::formats().front());
    /// Writes the report of the current prediction; the suffix of the file decides the format.
    void saveReport(const QString& file);
    void showDifferences(QWidget* parent);
    void showFit(QWidget* parent);
    void showGrowth(QWidget* parent);
    void showPlans(QWidget* parent);
    /// The dialog of plans; null unless it is open.
    PlanDialog* plans() const;
    /// Sets what plans need in order to be run; call it before the dialog is opened.
    void setPlanAround(PlanAround around) { planAround_ = std::move(around); }
    void showCalibration(QWidget* parent);
    /// Opens the dialog that compares a memory snapshot with the experiment.
    void learnFrom(const QString& snapshot, QWidget* parent);

signals:
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text, const QString& action = {},
                std::function<void()> act = {});
    /// The last notice() no longer applies.
    void noticePassed();
    void timelineWanted(const QString& snapshot);
    /// Gauge, stack list and plots now show this revision.
    void updated(qint64 revision);

private:
    TargetField& targetField() const;
    void keepContext(std::optional<base::Bytes> bytes);
    void keepTarget();
    QString tooLarge(const PredictionAnswer& answer) const;
    void offerCalibration(const PredictionAnswer& answer);
    void chooseTarget();
    void ask();
    void take(const PredictionAnswer& answer);
    void askForRun();
    void showGauge();
    void fillDifferences();
    void useSize(const QString& axis, qint64 value);
    QString saidOf(const PredictionAnswer& answer) const;
    std::vector<std::string> guessesOf(const PredictionAnswer& answer) const;
    QString unmeasuredTitle(const TargetChoice& target) const;
    QString runsElsewhere(const TargetChoice& target) const;
    QString deviceOf(const TargetChoice& target) const;

    ExperimentDocument& document_;
    LivePage& live_;
    StackEditor& editor_;
    std::optional<PredictionAnswer> current_;
    /// The prediction for the displayed run, and for the device that it used.
    std::optional<PredictionAnswer> ofRun_;
    bool remembers_ = false;
    /// When calibration was offered: convolution passes without a row, and all of them.
    std::pair<std::size_t, std::size_t> offered_{};
    bool offeredForTime_ = false;  ///< calibration was offered because the time was very uncertain
    qint64 runRevision_ = 0;       ///< counts the runs shown
    QPointer<DifferenceDialog> differences_;
    QPointer<GrowthDialog> growth_;
    QPointer<FitDialog> fit_;
    QPointer<PlanDialog> plans_;
    PlanAround planAround_;
    QPointer<CalibrateDialog> calibration_;
    QPointer<SnapshotDialog> snapshot_;
    Asker asker_;
    Predictor predictor_;
    widgets::Background reports_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
