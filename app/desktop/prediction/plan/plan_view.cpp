#include "app/desktop/prediction/plan/plan_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/desktop/prediction/plan/plan_curve_plot.h"
#include "app/desktop/prediction/plan/plan_layers.h"
#include "app/desktop/prediction/plan/plan_side.h"
#include "app/desktop/prediction/plan/plan_slider.h"
#include "app/desktop/prediction/plan/plan_step_plot.h"
#include "widgets/plot/memory_scene.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

/// "6.1 GiB, +78 %".
QString endText(const PlanPoint& plan) {
    const long percent = std::lround(100 * plan.slower);
    return percent == 0 ? widgets::bytesText(plan.peak)
                        : QStringLiteral("%1, %2%3 %")
                              .arg(widgets::bytesText(plan.peak), percent > 0 ? "+" : "")
                              .arg(percent);
}

widgets::ElidedLabel* mutedLabel(QWidget* parent, Qt::Alignment side) {
    auto* label = new widgets::ElidedLabel(parent);
    label->setMuted(true);
    label->setAlignment(side | Qt::AlignVCenter);
    return label;
}

}  // namespace

PlanView::PlanView(QWidget* parent) : QWidget(parent) {
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addLayout(makeHead());
    layout->addWidget(makeProgress());
    steps_ = new PlanStepPlot(this);
    left_ = widgets::makeSplitter(Qt::Vertical, {makeCurve(), steps_}, {420, 260});
    left_->setStretchFactor(0, 3);
    left_->setStretchFactor(1, 2);
    columns_ = widgets::makeSplitter(Qt::Horizontal, {left_, makeSide()}, {840, 540});
    columns_->setStretchFactor(0, 3);
    columns_->setStretchFactor(1, 2);
    layout->addWidget(columns_, 1);
    connect(plot_, &PlanCurvePlot::planClicked, this, &PlanView::choose);
    connect(slider_, &PlanSlider::valueChanged, this, [this](int plan) {
        showPlan(plan);
        emit planChosen(plan);
    });
    setNoPlans({}, {});
    setProgress({});
}

QLayout* PlanView::makeHead() {
    auto* head = widgets::makeLayout<QHBoxLayout>(nullptr, 12, {16, 12, 16, 12});
    headline_ = new widgets::ElidedLabel(this);
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.35);
    large.setWeight(QFont::DemiBold);
    headline_->setFont(large);
    fields_ = widgets::makeLayout<QHBoxLayout>(nullptr, 8);
    confirm_ = new QPushButton(tr("Confirm: run both"), this);
    apply_ = new QPushButton(tr("Applied"), this);
    apply_->setProperty("primary", true);
    apply_->setMinimumWidth(apply_->sizeHint().width());  // so that the others stay when it is pressed
    apply_->setText(tr("Apply"));
    for (QPushButton* button : {confirm_, apply_}) {
        button->setAutoDefault(false);
    }
    head->addWidget(headline_, 1);
    head->addLayout(fields_);
    head->addWidget(confirm_);
    head->addWidget(apply_);
    connect(confirm_, &QPushButton::clicked, this, &PlanView::confirmRequested);
    connect(apply_, &QPushButton::clicked, this, &PlanView::applyRequested);
    return head;
}

QWidget* PlanView::makeProgress() {
    progressRow_ = new QWidget(this);
    auto* row = widgets::makeLayout<QHBoxLayout>(progressRow_, 12, {16, 0, 16, 10});
    progress_ = new QProgressBar(progressRow_);
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(8);
    progress_->setAccessibleName(tr("Search for plans"));
    auto* cancel = new QPushButton(tr("Cancel"), progressRow_);
    cancel->setAutoDefault(false);
    cancel->setObjectName("Cancel planning");
    row->addWidget(progress_, 1);
    row->addWidget(cancel);
    connect(cancel, &QPushButton::clicked, this, &PlanView::cancelRequested);
    return progressRow_;
}

QWidget* PlanView::makeCurve() {
    curvePanel_ = new widgets::Panel(tr("Memory against time"), this);
    report_ = widgets::linkButton(tr("report…"),
                                  tr("Save the plan, the curve and the step as a web page, PDF, CSV or JSON"),
                                  curvePanel_);
    curvePanel_->addHeaderWidget(report_);
    connect(report_, &QToolButton::clicked, this, &PlanView::reportRequested);
    auto* body = new QWidget(curvePanel_);
    auto* layout = widgets::makeLayout<QVBoxLayout>(body, 0);
    plot_ = new PlanCurvePlot(body);
    slider_ = new PlanSlider(body);
    setTabOrder(slider_, report_);  // the keys work on the slider once the plans are there
    least_ = mutedLabel(body, Qt::AlignLeft);
    how_ = mutedLabel(body, Qt::AlignHCenter);
    how_->setText(tr("drag, or ← →"), {QString()});
    fastest_ = mutedLabel(body, Qt::AlignRight);
    auto* ends = widgets::makeLayout<QHBoxLayout>(nullptr, 8, {16, 0, 16, 8});
    ends->addWidget(least_, 2);
    ends->addWidget(how_, 1);
    ends->addWidget(fastest_, 2);
    auto* track = widgets::makeLayout<QHBoxLayout>(nullptr, 0, {16, 2, 16, 0});
    track->addWidget(slider_);
    layout->addWidget(plot_, 1);
    layout->addLayout(track);
    layout->addLayout(ends);
    curvePanel_->setBody(body);
    return curvePanel_;
}

QWidget* PlanView::makeSide() {
    auto* side = new QWidget(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(side, 0);
    layers_ = new PlanLayers(side);
    confirmed_ = new ConfirmedPanel(side);
    taskChanges_ = new TaskChangesPanel(side);
    layout->addWidget(layers_, 1);
    layout->addWidget(confirmed_);
    layout->addWidget(taskChanges_);
    side->setMinimumWidth(300);
    return side;
}

void PlanView::addField(const QString& label, QWidget* field) {
    auto* text = new QLabel(label, this);
    text->setProperty("muted", true);
    text->setBuddy(field);
    field->setAccessibleName(label);
    fields_->addWidget(text);
    fields_->addWidget(field);
}

void PlanView::setTitle(const QString& title) {
    layers_->setNote(title);
}

void PlanView::setProgress(std::optional<double> done) {
    progressRow_->setVisible(done.has_value());
    progress_->setValue(static_cast<int>(std::lround(1000 * done.value_or(0))));
}

void PlanView::setCurve(PlanCurveValues curve, int chosen) {
    curve_ = std::move(curve);
    const int plans = static_cast<int>(curve_.points.size());
    applied_ = -1;
    curvePanel_->setNote(plans == 1 ? tr("no other plan takes less memory")
                                    : tr("%1 plans · same training results").arg(plans));
    plot_->setCurve(curve_);
    least_->setText(tr("least memory: %1").arg(endText(curve_.points.front())));
    fastest_->setText(tr("fastest: %1").arg(endText(curve_.points.back())));
    {
        const QSignalBlocker quiet(slider_);
        slider_->setRange(0, plans - 1);
        slider_->setValue(chosen);
    }
    slider_->setEnabled(plans > 1);
    showParts(true);
    showPlan(slider_->value());
    showButtons();
}

void PlanView::setNoPlans(const QString& headline, const QString& hint) {
    curve_ = {};
    curvePanel_->setNote({});
    plot_->setHint(hint);
    plot_->setCurve({});
    least_->setText({});
    fastest_->setText({});
    {
        const QSignalBlocker quiet(slider_);
        slider_->setRange(0, 0);
    }
    slider_->setEnabled(false);
    showParts(false);
    headline_->setText(headline);
    layers_->setLayers({}, {});
    setSteps({});
    confirmed_->setRows({}, {});
    taskChanges_->setUnasked(false);
    showButtons();
}

/// Shows or hides the parts that describe a plan.
void PlanView::showParts(bool plans) {
    for (QWidget* part : {static_cast<QWidget*>(how_), static_cast<QWidget*>(confirmed_),
                          static_cast<QWidget*>(taskChanges_)}) {
        part->setVisible(plans);
    }
}

void PlanView::setSteps(PlanSteps steps) {
    steps_->setSteps(std::move(steps));
}

QString PlanView::headline() const {
    return headline_->text();
}

int PlanView::chosen() const {
    return curve_.points.empty() ? -1 : slider_->value();
}

void PlanView::choose(int plan) {
    slider_->setValue(plan);
}

void PlanView::showPlan(int plan) {
    if (plan < 0 || plan >= static_cast<int>(curve_.points.size())) {
        return;
    }
    const PlanPoint& point = curve_.points[static_cast<std::size_t>(plan)];
    headline_->setText(point.headline);
    plot_->setChosen(plan);
    slider_->setAccessibleDescription(point.headline);
    layers_->setLayers(point.layers,
                       point.kept.isEmpty() ? point.changes : point.changes + QStringList{point.kept});
    showButtons();
}

void PlanView::setApplied(int plan) {
    applied_ = plan;
    showButtons();
}

void PlanView::setConfirmable(const QString& whyNot) {
    whyNotConfirm_ = whyNot;
    showButtons();
}

void PlanView::showButtons() {
    const int plan = chosen();
    report_->setEnabled(plan >= 0);
    const bool asItIs = plan >= 0 && curve_.points[static_cast<std::size_t>(plan)].asItIs;
    const bool applied = plan >= 0 && plan == applied_;
    apply_->setEnabled(plan >= 0 && !applied);
    apply_->setText(applied ? tr("Applied") : tr("Apply"));
    apply_->setToolTip(applied ? tr("This plan is in the editor")
                               : tr("Apply this plan to the experiment; Ctrl+Z to undo"));
    const QString why = plan < 0 ? tr("There is no plan to run.")
                        : asItIs ? tr("This plan is the current experiment: there is nothing to compare.")
                                 : whyNotConfirm_;
    confirm_->setEnabled(why.isEmpty());
    confirm_->setToolTip(why.isEmpty() ? tr("Run the current experiment and this plan in turns on this "
                                            "machine and compare the measurements")
                                       : why);
}

}  // namespace highwater::desktop

#include "moc_plan_view.cpp"
