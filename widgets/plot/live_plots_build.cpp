#include <QLabel>
#include <QSplitter>
#include <QStackedLayout>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/plot/live_plots.h"
#include "widgets/plot/loss_plot.h"
#include "widgets/plot/plot_data.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/theme/pages.h"

/// Creates the parts of LivePlots and connects their charts' requests.
namespace highwater::widgets {
namespace {

QWidget* makeHint(QWidget* parent, QLabel* hint) {
    auto* panel = new Panel(QObject::tr("Memory and time"), parent);
    auto* body = new QWidget(panel);
    auto* column = new QVBoxLayout(body);
    auto* more = new ElidedLabel(body);
    more->setText(QObject::tr("memory within a step, peaks over steps, time by phase"));
    more->setMuted(true);
    more->setAlignment(Qt::AlignCenter);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    column->addStretch();
    column->addWidget(hint);
    column->addWidget(more);
    column->addStretch();
    panel->setBody(body);
    return panel;
}

}  // namespace

void LivePlots::buildPages() {
    pages_ = new QStackedLayout(this);
    hint_ = new QLabel(tr("Press Run to see how memory is used"), this);
    pages_->addWidget(makeHint(this, hint_));
    auto* page = new QWidget(this);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    device_ = new DeviceStrip(page);
    device_->hide();
    splitter_ = new QSplitter(Qt::Vertical, page);
    column->addWidget(device_);
    column->addWidget(splitter_, 1);
    pages_->addWidget(page);
    connect(device_, &DeviceStrip::batchWanted, this, &LivePlots::batchWanted);
}

void LivePlots::buildPanels() {
    memory_ = new PlotPanel(tr("Memory in the last step"), true, this);
    peaks_ = new PlotPanel(tr("Peak over steps"), false, this);
    times_ = new PlotPanel(tr("Time by phase"), true, this);
    loss_ = new LossPlot(this);
    lower_ = new Pages(this);
    for (QWidget* part : std::initializer_list<QWidget*>{memory_, peaks_, lower_}) {
        splitter_->addWidget(part);
    }
    for (PlotPanel* panel : {memory_, peaks_, times_, &loss_->panel()}) {
        connect(panel, &PlotPanel::aboutToPicture, this, &LivePlots::flush);
    }
    memory_->setData([this] { return memoryData(shown_); });
    peaks_->setData([this] { return peakData(run_, steps_); });
    times_->setData([this] { return timeData(run_, steps_); });
    const QString how =
        tr("Wheel: zoom. Drag: zoom into a range. Shift and drag: move. Double-click: show all. Right click: "
           "picture, data.");
    memory_->setToolTip(tr("Memory by category over the step. Click: select the layer.") + '\n' + how);
    peaks_->setToolTip(tr("The peak of each step, by category.") + '\n' + how);
    times_->setToolTip(tr("Where the time of each step went. Faded: warm-up, not counted.") + '\n' + how);
    lower_->addPage(tr("Time by phase"), tr("Where the time of each step went"), times_, times_);
    lower_->addPage(tr("Loss"), tr("The loss of each step, and of the selected runs"), loss_,
                    &loss_->panel());
    connect(loss_, &LossPlot::changed, this, [this] { schedule(Steps); });
    connect(lower_, &Pages::currentChanged, this, [this] { schedule(Steps); });
    switch_ = new QToolButton(memory_);
    switch_->setProperty("link", true);
    switch_->hide();
    memory_->addHeaderWidget(switch_);
    connect(switch_, &QToolButton::clicked, this, [this] { emit forecastWanted(!forecastOnShow()); });
    // In a small window, memory within the step matters most.
    memory_->setLeastChart(kLeastMemory);
    peaks_->setLeastChart(kLeastSteps);
    times_->setLeastChart(kLeastSteps);
    loss_->panel().setLeastChart(kLeastSteps);
    splitter_->setStretchFactor(0, 5);
    splitter_->setStretchFactor(1, 2);
    splitter_->setStretchFactor(2, 3);
    splitter_->setSizes({500, 210, 290});
    splitter_->setHandleWidth(1);
    splitter_->setChildrenCollapsible(true);
    // Tab follows the reading order.
    QWidget* before = switch_;
    for (QWidget* next :
         std::initializer_list<QWidget*>{&memory_->chart(), &peaks_->chart(), lower_->findChild<QTabBar*>(),
                                         &times_->chart(), &loss_->panel().chart()}) {
        setTabOrder(before, next);
        before = next;
    }
    connectMemory();
    connectSteps(peaks_);
    connectSteps(times_);
}

bool LivePlots::lossOnShow() const {
    return lower_->current() == 1;
}

void LivePlots::showLoss(bool on) {
    lower_->setCurrent(on ? 1 : 0);
}

void LivePlots::connectMemory() {
    Chart& chart = memory_->chart();
    chart.setCards([this](double ms) { return memoryCard(shownRun_, shown_, ms); });
    connect(&chart, &Chart::viewRequested, this, &LivePlots::setMemoryView);
    connect(&chart, &Chart::resetRequested, this, [this] {
        memoryView_.reset();
        schedule(Memory);
    });
    connect(&chart, &Chart::clicked, this, &LivePlots::clickAt);
    connect(&chart, &Chart::resized, this, [this] { schedule(Memory); });
}

void LivePlots::connectSteps(PlotPanel* panel) {
    Chart& chart = panel->chart();
    if (panel == peaks_) {
        chart.setCards([this](double x) { return peakCard(run_, peakGroups_, x); });
    } else {
        chart.setCards([this](double x) { return timeCard(run_, groups_, x); });
    }
    connect(&chart, &Chart::viewRequested, this, &LivePlots::setStepsView);
    connect(&chart, &Chart::resetRequested, this, [this] {
        stepsView_.reset();
        schedule(Steps);
    });
    connect(&chart, &Chart::resized, this, [this] { schedule(Steps); });
}

}  // namespace highwater::widgets
