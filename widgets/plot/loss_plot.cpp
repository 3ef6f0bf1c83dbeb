#include "widgets/plot/loss_plot.h"

#include <QAction>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/plot/plot_panel.h"

namespace highwater::widgets {

namespace {

constexpr double kLeastSteps = 3;  ///< minimum number of steps in view

/// "0.91 to 0.2481" for one curve, otherwise the number of curves.
QString noteOf(const std::vector<LossCurve>& curves) {
    if (curves.size() != 1) {
        return QObject::tr("%1 runs").arg(curves.size());
    }
    const auto& losses = curves.front().losses;
    const QString last = lossText(losses.back());
    return losses.size() < 2 ? last : QObject::tr("%1 to %2").arg(lossText(losses.front()), last);
}

}  // namespace

LossPlot::LossPlot(QWidget* parent) : QWidget(parent) {
    auto* layout = makeLayout<QVBoxLayout>(this, 0);
    panel_ = new PlotPanel(tr("Loss"), true, parent ? parent : this, this);
    panel_->setToolTip(
        tr("The loss of every step; with several runs selected, the losses of all of them.\nWheel: zoom. "
           "Drag: zoom into a range. Shift and drag: move. Double-click: show all. Right click: picture, "
           "data, logarithmic axis."));
    layout->addWidget(panel_);
    Chart& chart = panel_->chart();
    chart.setCards([this](double x) { return lossCard(curves(), x); });
    connect(&chart, &Chart::viewRequested, this, [this](double from, double to) {
        view_ = fitView(from, to, lossRange(curves()), kLeastSteps);
        emit changed();
    });
    connect(&chart, &Chart::resetRequested, this, [this] {
        view_.reset();
        emit changed();
    });
    connect(&chart, &Chart::resized, this, &LossPlot::changed);
    panel_->setData([this] { return lossData(curves()); });
    logAction_ = new QAction(tr("Logarithmic axis"), panel_);
    logAction_->setCheckable(true);
    panel_->addAction(logAction_);
    connect(logAction_, &QAction::toggled, this, &LossPlot::setLogarithmic);
}

void LossPlot::setRun(const RunShape& run, std::span<const StepBar> steps, bool running) {
    own_ = {tr("the run shown"), {}, run.warmup};
    running_ = running;
    if (steps.empty()) {
        return;
    }
    own_.losses.assign(static_cast<std::size_t>(std::max(0, steps.back().index)) + 1, std::nan(""));
    for (const StepBar& step : steps) {
        if (step.loss && step.index >= 0) {
            own_.losses[static_cast<std::size_t>(step.index)] = *step.loss;
        }
    }
    if (std::none_of(own_.losses.begin(), own_.losses.end(),
                     [](double loss) { return std::isfinite(loss); })) {
        own_.losses.clear();
    }
}

void LossPlot::setSelected(std::vector<LossCurve> curves) {
    selected_ = std::move(curves);
    view_.reset();
    emit changed();
}

void LossPlot::setLogarithmic(bool on) {
    log_ = on;
    logAction_->setChecked(on);
    emit changed();
}

std::vector<LossCurve> LossPlot::curves() const {
    std::vector<LossCurve> curves;
    if (!ofRunAlone()) {
        curves = selected_;
    }
    if ((curves.empty() || running_) && !own_.losses.empty()) {
        curves.push_back(own_);
        curves.back().color = static_cast<int>(curves.size()) - 1;
    }
    std::erase_if(curves, [](const LossCurve& curve) { return curve.losses.empty(); });
    return curves;
}

void LossPlot::render(const QString& hint, const QString& time) {
    const std::vector<LossCurve> shown = curves();
    Chart& chart = panel_->chart();
    if (shown.empty()) {
        ChartScene scene;
        scene.hint = hint;
        chart.setScene(std::move(scene));
        panel_->setNote({});
        panel_->setLegend({});
        return;
    }
    const StepRange whole = lossRange(shown);
    StepRange view = whole;
    if (view_) {
        view = fitView(view_->from, view_->to, whole, 0).value_or(whole);
    }
    const QSizeF plot = chart.frame().rect.size().expandedTo(QSizeF(40, 30));
    chart.setScene(lossScene(shown, view, plot, log_), view_.has_value());
    panel_->setLegend(ofRunAlone() ? std::vector<SeriesStyle>() : lossLegend(shown));
    const QString losses = noteOf(shown);
    if (time.isEmpty()) {
        panel_->setNote(losses);
    } else {
        panel_->setNote(losses + QStringLiteral(" · ") + time, {time, losses});
    }
}

}  // namespace highwater::widgets

#include "moc_loss_plot.cpp"
