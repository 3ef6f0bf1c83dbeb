#pragma once

#include <QWidget>

#include "app/desktop/prediction/plan/plan_values.h"
#include "app/desktop/study/study_values.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QToolButton;

namespace highwater::widgets {
class ElidedLabel;
class Panel;
}  // namespace highwater::widgets

namespace highwater::desktop {

class ConfirmedPanel;
class PlanCurvePlot;
class PlanLayers;
class PlanSlider;
class PlanStepPlot;
class TaskChangesPanel;

/// Plans of an experiment for a device: the curve of memory against time with a slider along it, what the
/// selected plan does, its predicted step, and its measurements. It computes nothing: the slider selects one
/// of the plans.
class PlanView : public QWidget {
    Q_OBJECT
public:
    explicit PlanView(QWidget* parent = nullptr);

    /// Shows the plans (at least one) and selects one of them. Confirmations of other plans are removed.
    void setCurve(PlanCurveValues curve, int chosen);
    /// Shows that there are no plans: `headline` says why, `hint` what to do or what is in progress.
    void setNoPlans(const QString& headline, const QString& hint);
    /// The progress of the search for plans, 0 to 1; std::nullopt: none is in progress.
    void setProgress(std::optional<double> done);
    void setSteps(PlanSteps steps);
    /// The experiment of the plans: "U-Net 3D · batch 2 · 96³".
    void setTitle(const QString& title);
    /// Adds a field to the header, before the buttons.
    void addField(const QString& label, QWidget* field);

    /// The selected plan; -1 if there are none.
    int chosen() const;
    void choose(int plan);
    const PlanCurveValues& curve() const { return curve_; }

    ConfirmedPanel& confirmed() { return *confirmed_; }
    TaskChangesPanel& taskChanges() { return *taskChanges_; }
    PlanStepPlot& steps() { return *steps_; }
    PlanCurvePlot& plot() { return *plot_; }
    PlanLayers& layers() { return *layers_; }
    PlanSlider& slider() { return *slider_; }
    QPushButton& applyButton() { return *apply_; }
    QPushButton& confirmButton() { return *confirm_; }
    QToolButton& reportButton() { return *report_; }
    /// Sets the plan that equals the current experiment; -1 if none does.
    void setApplied(int plan);
    /// Why plan and experiment cannot be run here and compared; empty if they can.
    void setConfirmable(const QString& whyNot);
    QString headline() const;

signals:
    void planChosen(int plan);
    void applyRequested();
    void confirmRequested();
    void reportRequested();
    void cancelRequested();

private:
    QLayout* makeHead();
    QWidget* makeProgress();
    QWidget* makeCurve();
    QWidget* makeSide();
    void showPlan(int plan);
    void showParts(bool plans);
    void showButtons();
    PlanCurveValues curve_;
    int applied_ = -1;
    QString whyNotConfirm_;
    widgets::ElidedLabel* headline_;
    QHBoxLayout* fields_;
    QPushButton *confirm_, *apply_;
    QToolButton* report_;
    QWidget* progressRow_;
    QProgressBar* progress_;
    widgets::Panel* curvePanel_;
    PlanCurvePlot* plot_;
    PlanSlider* slider_;
    widgets::ElidedLabel *least_, *how_, *fastest_;
    PlanStepPlot* steps_;
    PlanLayers* layers_;
    ConfirmedPanel* confirmed_;
    TaskChangesPanel* taskChanges_;
    QSplitter *left_, *columns_;
};

}  // namespace highwater::desktop
