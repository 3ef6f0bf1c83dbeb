#pragma once

#include <QDialog>
#include <QTimer>
#include <map>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/prediction/plan/plan_confirm.h"
#include "app/desktop/prediction/plan/plan_scan.h"
#include "app/desktop/run/report_file.h"

class QPushButton;

namespace highwater::widgets {
class CheckedEdit;
}
namespace highwater::desktop {

class PlanView;

/// The dialog "Make it fit": plans of the experiment for the target device, from the least memory to the
/// fastest. It follows the experiment. A plan is applied as one undoable step, and confirmed by running it
/// and the unchanged experiment in turns.
class PlanDialog : public QDialog {
    Q_OBJECT
public:
    /// Both references must outlive the dialog. `work` asks cuDNN.
    PlanDialog(ExperimentDocument& document, TargetField& targets, PlanAround around,
               QWidget* parent = nullptr, ask::Learner::Work work = Asker::askUsersCudnn);
    ~PlanDialog() override;

    /// To be called after the experiment was edited. Looks for plans again after a moment, unless the
    /// experiment is one of those shown.
    void experimentChanged();
    /// Runs the unchanged experiment and the selected plan, as Confirm does. Returns why this is not
    /// possible, or an empty string.
    QString run();
    /// Writes the report of the selected plan; the suffix of the file decides the format.
    void saveReport(const QString& file);
    PlanView& view() { return *view_; }
    widgets::CheckedEdit& budgetField() { return *budget_; }
    /// True while something that will be shown is being computed.
    bool busy() const { return scan_.busy() || later_.isActive() || rest_.isActive() || confirming_; }

private:
    void makeBudget();
    void takeBudget(const QString& typed);
    void makeChoices();
    void showChoices();
    void connectView();
    void connectScan();
    void connectWorker();
    void search();
    void sayNone(const QString& headline, const QString& hint);
    void showFound(const std::shared_ptr<const PlanScan::Found>& found);
    void finish(const QString& problem);
    void showSteps(int plan);
    void showApplied();
    void showConfirmable();
    void apply(const QString& what, const plan::Plan& plan);
    void showConfirmation(const Confirmation& confirmation, const base::Status& status, bool cancelled);
    void followWorker();
    void showTaskChanges(const std::vector<plan::Plan>& plans, const QString& problem);

    ExperimentDocument& document_;
    TargetField& targets_;
    PlanAround around_;
    PlanScan scan_;
    std::shared_ptr<const PlanScan::Found> found_;
    std::map<int, PlanSteps> steps_;  ///< by plan
    std::vector<plan::Plan> taskChanges_;
    QTimer later_, rest_;
    PlanView* view_;
    plan::PlanChoices choices_;
    QPushButton* choicesButton_ = nullptr;
    widgets::CheckedEdit* budget_;
    plan::Budget limit_;  ///< the value in the field, to the byte
    bool chosenByUser_ = false;
    bool confirming_ = false;
    widgets::NoticeBar* notices_;
    widgets::Background reports_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
