#include "app/desktop/prediction/plan/plan_step_plot.h"

#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/prediction/plan/plan_colors.h"
#include "core/base/text.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/plot_menu.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

double endOf(const PlanSteps& steps) {
    double end = 0;
    for (const auto* step : {&steps.asItIs, &steps.plan}) {
        end = step->empty() ? end : std::max(end, step->back().ms);
    }
    return end > 0 ? end : 1;
}

const PlanStepPoint* stepPointAt(const std::vector<PlanStepPoint>& points, double ms) {
    const auto after = std::upper_bound(points.begin(), points.end(), ms,
                                        [](double at, const PlanStepPoint& p) { return at < p.ms; });
    return after == points.begin() || ms > points.back().ms ? nullptr : &*std::prev(after);
}

std::vector<widgets::SeriesStyle> styles() {
    return {{QObject::tr("this plan"), planColor(), QObject::tr("The predicted memory of the plan's step.")},
            {QObject::tr("recomputed"), againColor(),
             QObject::tr("What recomputation brings back until the backward pass has used it.")}};
}

void addPlan(widgets::ChartScene& scene, const std::vector<PlanStepPoint>& plan) {
    for (std::size_t i = 0; i < plan.size(); ++i) {
        widgets::Column column{plan[i].ms, i + 1 < plan.size() ? plan[i + 1].ms : plan[i].ms, {}, false};
        column.tops.fill(static_cast<double>(plan[i].total));
        column.tops[0] = static_cast<double>(plan[i].total - plan[i].again);
        scene.columns.push_back(column);
    }
}

void addPeak(widgets::ChartScene& scene, const std::vector<PlanStepPoint>& step) {
    const auto highest =
        std::max_element(step.begin(), step.end(),
                         [](const PlanStepPoint& a, const PlanStepPoint& b) { return a.total < b.total; });
    if (highest != step.end()) {
        scene.markers.push_back({widgets::MarkerKind::Peak, highest->ms, static_cast<double>(highest->total),
                                 widgets::bytesText(highest->total)});
    }
}

}  // namespace

widgets::ChartScene planStepScene(const PlanSteps& steps, widgets::StepRange view, QSizeF plot) {
    widgets::ChartScene scene;
    scene.from = view.from;
    scene.to = view.to;
    scene.series = styles();
    addPlan(scene, steps.plan);
    widgets::Outline before{{}, 0, true, true, widgets::theme().mutedText};
    double most = 0;
    for (const PlanStepPoint& point : steps.asItIs) {
        const auto total = static_cast<double>(point.total);
        before.points.push_back({point.ms, total, total, total});
        most = std::max(most, total);
    }
    for (const PlanStepPoint& point : steps.plan) {
        most = std::max(most, static_cast<double>(point.total));
    }
    scene.outlines.push_back(std::move(before));
    widgets::addMemoryAxis(scene, {}, most, plot.height());
    constexpr double kReach = 2;
    const auto budget = static_cast<double>(steps.budget);
    if (budget > 0 && budget < kReach * most) {
        scene.upper = std::max(scene.upper, 1.12 * budget);
        scene.lines.push_back({budget, steps.budgetName, widgets::theme().warning, false});
    }
    addPeak(scene, steps.asItIs);
    addPeak(scene, steps.plan);
    scene.x = widgets::timeTicks(view.from, view.to, std::max(2, static_cast<int>(plot.width() / 90)));
    if (!scene.x.ticks.empty()) {
        scene.x.ticks.front().label += ' ' + scene.x.unit;
    }
    return scene;
}

widgets::HoverCard planStepCard(const PlanSteps& steps, double ms) {
    widgets::HoverCard card;
    const PlanStepPoint* plan = stepPointAt(steps.plan, ms);
    const PlanStepPoint* before = stepPointAt(steps.asItIs, ms);
    if (plan == nullptr && before == nullptr) {
        return card;
    }
    card.x = ms;
    card.title = QString::fromStdString(base::formatMillis(std::max(0.0, ms)));
    card.note = plan != nullptr ? plan->where : before->where;
    if (plan != nullptr) {
        card.rows.push_back({planColor(), QObject::tr("this plan"), widgets::bytesText(plan->total)});
        if (plan->again > 0) {
            card.rows.push_back({againColor(), QObject::tr("recomputed"), widgets::bytesText(plan->again)});
        }
    }
    if (before != nullptr) {
        card.rows.push_back(
            {widgets::theme().mutedText, QObject::tr("unchanged"), widgets::bytesText(before->total)});
    }
    return card;
}

QString planStepData(const PlanSteps& steps) {
    std::vector<QStringList> table = {{"step", "ms", "bytes", "recomputed (bytes)"}};
    for (const auto& [name, points] : {std::pair{"unchanged", &steps.asItIs}, {"plan", &steps.plan}}) {
        for (const PlanStepPoint& point : *points) {
            table.push_back({name, widgets::exactly(point.ms), QString::number(point.total),
                             QString::number(point.again)});
        }
    }
    return widgets::tabbed(table);
}

PlanStepPlot::PlanStepPlot(QWidget* parent) : QWidget(parent) {
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    panel_ = new widgets::PlotPanel(tr("The step, before and after"), true, this, this);
    layout->addWidget(panel_);
    widgets::Chart& chart = panel_->chart();
    chart.setCards([this](double x) { return planStepCard(steps_, x); });
    connect(&chart, &widgets::Chart::viewRequested, this, [this](double from, double to) {
        view_ = widgets::fitView(from, to, {0, endOf(steps_)}, endOf(steps_) / 500);
        render();
    });
    connect(&chart, &widgets::Chart::resetRequested, this, [this] {
        view_.reset();
        render();
    });
    connect(&chart, &widgets::Chart::resized, this, &PlanStepPlot::render);
    panel_->setData([this] { return planStepData(steps_); });
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this,
            &PlanStepPlot::render);
    render();
}

void PlanStepPlot::setSteps(PlanSteps steps) {
    view_.reset();
    steps_ = std::move(steps);
    render();
}

void PlanStepPlot::render() {
    widgets::Chart& chart = panel_->chart();
    panel_->setNote(steps_.note);
    if (steps_.asItIs.empty() && steps_.plan.empty()) {
        widgets::ChartScene scene;
        scene.hint = steps_.note.isEmpty() ? QStringLiteral(" ") : steps_.note;
        panel_->setLegend({});
        return chart.setScene(std::move(scene));
    }
    std::vector<widgets::SeriesStyle> legend = styles();
    legend.push_back({tr("unchanged"), widgets::theme().mutedText, tr("The current experiment."), true});
    panel_->setLegend(std::move(legend));
    const widgets::StepRange view = view_.value_or(widgets::StepRange{0, endOf(steps_)});
    const auto draw = [&] {
        chart.setScene(planStepScene(steps_, view, chart.frame().rect.size().expandedTo(QSizeF(40, 30))),
                       view_.has_value());
    };
    draw();
    if (chart.setLeftMargin(std::max(48, chart.leftMarginNeeded()))) {
        draw();
    }
}

}  // namespace highwater::desktop

#include "moc_plan_step_plot.cpp"
