#pragma once

#include <QWidget>

#include "app/desktop/prediction/plan/plan_values.h"
#include "widgets/plot/chart_scene.h"
#include "widgets/plot/step_groups.h"

namespace highwater::widgets {
class PlotPanel;
}

namespace highwater::desktop {

/// The scene of two predicted steps in the range `view`, for an area of `plot` logical pixels.
widgets::ChartScene planStepScene(const PlanSteps& steps, widgets::StepRange view, QSizeF plot);
widgets::HoverCard planStepCard(const PlanSteps& steps, double ms);
/// Both steps as a table for the clipboard (see tabbed()).
QString planStepData(const PlanSteps& steps);

/// "The step, before and after": the predicted memory of a plan's step as an area, with recomputed memory in
/// a separate color, the step of the unchanged experiment as a dotted line, the budget as a line.
class PlanStepPlot : public QWidget {
    Q_OBJECT
public:
    explicit PlanStepPlot(QWidget* parent = nullptr);
    void setSteps(PlanSteps steps);
    const PlanSteps& steps() const { return steps_; }
    widgets::PlotPanel& panel() { return *panel_; }

private:
    void render();
    widgets::PlotPanel* panel_;
    PlanSteps steps_;
    std::optional<widgets::StepRange> view_;
};

}  // namespace highwater::desktop
