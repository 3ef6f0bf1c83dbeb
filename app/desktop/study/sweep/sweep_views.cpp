#include "app/desktop/study/sweep/sweep_views.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/study/empty_menu.h"
#include "app/desktop/study/sweep/sweep_heat_map.h"
#include "app/desktop/study/sweep/sweep_parallel.h"
#include "app/desktop/study/sweep/sweep_scatter.h"
#include "app/desktop/study/sweep/sweep_table.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

/// Selects the entry of a column, if it exists.
void choose(QComboBox& box, std::size_t column) {
    box.setCurrentIndex(std::max(0, box.findData(static_cast<int>(column))));
}

std::size_t chosenIn(const QComboBox& box) {
    return static_cast<std::size_t>(std::max(0, box.currentData().toInt()));
}

}  // namespace

SweepViews::SweepViews(QWidget* parent) : QWidget(parent), link_(new SweepLink(this)) {
    buildCharts();
    buildTable();
    buildStrip();
    splitter_ = widgets::makeSplitter(Qt::Vertical, {chartPanel_, tablePanel_}, {430, 300});
    splitter_->setStretchFactor(0, 3);
    splitter_->setStretchFactor(1, 2);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 0);
    layout->addWidget(strip_);
    layout->addWidget(splitter_, 1);
    connect(link_, &SweepLink::axesChanged, this, [this] {
        fillBoxes();
        fillFilterMenu();
    });
    connect(link_, &SweepLink::shownChanged, this, &SweepViews::showFilter);
    connect(link_, &SweepLink::currentChanged, this, &SweepViews::showFilter);
    connect(link_, &SweepLink::openRequested, this, &SweepViews::openRequested);
    fillBoxes();
    fillFilterMenu();
    showFilter();
}

QComboBox* SweepViews::columnBox(const char* name, const QString& tip) {
    auto* box = new QComboBox(this);
    box->setObjectName(name);
    box->setToolTip(tip);
    box->setAccessibleName(tip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setMinimumWidth(96);  // for narrow windows
    connect(box, &QComboBox::currentIndexChanged, this, &SweepViews::takeBoxes);
    return box;
}

void SweepViews::buildCharts() {
    parallel_ = new SweepParallel(*link_, this);
    scatter_ = new SweepScatter(*link_, this);
    heatMap_ = new SweepHeatMap(*link_, this);
    charts_ = new QStackedWidget(this);
    for (QWidget* chart : {static_cast<QWidget*>(parallel_), static_cast<QWidget*>(scatter_),
                           static_cast<QWidget*>(heatMap_)}) {
        charts_->addWidget(chart);
    }
    tabs_ = new QTabBar(this);
    tabs_->setProperty("strip", true);
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setUsesScrollButtons(false);
    tabs_->setAccessibleName(tr("View of the cells"));
    tabs_->addTab(tr("Parallel coordinates"));
    tabs_->addTab(tr("Scatter"));
    tabs_->addTab(tr("Heat map"));
    scatterX_ = columnBox("Scatter x", tr("Along the chart"));
    scatterY_ = columnBox("Scatter y", tr("Upright"));
    heatX_ = columnBox("Heat x", tr("Axis along the chart"));
    heatY_ = columnBox("Heat y", tr("Upright axis"));
    heatFigure_ = columnBox("Heat figure", tr("Color the tiles by"));
    scatterBoxes_ = new QWidget(this);
    heatBoxes_ = new QWidget(this);
    const auto lay = [this](QWidget* in, const std::vector<std::pair<QString, QComboBox*>>& boxes) {
        auto* row = widgets::makeLayout<QHBoxLayout>(in, 5);
        for (const auto& [word, box] : boxes) {
            auto* label = new QLabel(word, this);
            label->setProperty("muted", true);
            row->addWidget(label);
            row->addWidget(box);
        }
    };
    lay(scatterBoxes_, {{tr("x"), scatterX_}, {tr("y"), scatterY_}});
    lay(heatBoxes_, {{tr("x"), heatX_}, {tr("y"), heatY_}, {tr("color"), heatFigure_}});
    auto* body = new QWidget(this);
    auto* column = widgets::makeLayout<QVBoxLayout>(body, 0);
    auto* head = widgets::makeLayout<QHBoxLayout>(nullptr, 8, {8, 2, 10, 2});
    head->addWidget(tabs_);
    head->addStretch(1);
    head->addWidget(scatterBoxes_);
    head->addWidget(heatBoxes_);
    column->addLayout(head);
    column->addWidget(charts_, 1);
    chartPanel_ = new widgets::Panel({}, this);
    chartPanel_->setHeaderVisible(false);
    chartPanel_->setBody(body);
    const auto show = [this](int index) {
        charts_->setCurrentIndex(index);
        scatterBoxes_->setVisible(index == static_cast<int>(View::Scatter));
        heatBoxes_->setVisible(index == static_cast<int>(View::HeatMap));
    };
    connect(tabs_, &QTabBar::currentChanged, this, show);
    show(0);
}

void SweepViews::buildTable() {
    table_ = new SweepTable(*link_, this);
    tablePanel_ = new widgets::Panel(tr("Cells"), this);
    group_ = new QComboBox(this);
    group_->setObjectName("Group");
    group_->setToolTip(tr("A heading above the cells of each value, with the best of them"));
    group_->setAccessibleName(tr("Group the cells"));
    group_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    group_->setMinimumContentsLength(14);
    open_ = widgets::linkButton(tr("show run"), tr("Go to the last run of the chosen cell (Return)"), this);
    open_->setObjectName(open_->text());
    tablePanel_->addHeaderWidget(group_);
    tablePanel_->addHeaderWidget(open_);
    tablePanel_->setBody(table_);
    connect(group_, &QComboBox::currentIndexChanged, this, [this] {
        if (!filling_) {
            table_->setGroup(group_->currentData().toInt());
        }
    });
    connect(open_, &QToolButton::clicked, this, [this] { link_->open(link_->current()); });
}

void SweepViews::buildStrip() {
    strip_ = new QWidget(this);
    auto* row = widgets::makeLayout<QHBoxLayout>(strip_, 10, {12, 4, 10, 4});
    said_ = new widgets::ElidedLabel(strip_);
    said_->setObjectName("Shown cells");
    hideFailures_ = new QCheckBox(tr("Hide failures"), strip_);
    hideFailures_->setToolTip(tr("Hide cells that ran out of memory, failed or cannot be run"));
    measuredOnly_ = new QCheckBox(tr("Measured only"), strip_);
    measuredOnly_->setToolTip(tr("Hide cells whose figures are all estimated"));
    filterMenu_ = new QMenu(this);
    filterButton_ =
        widgets::linkButton(tr("filter…"), tr("Choose the values of the axes that are shown"), strip_);
    filterButton_->setMenu(filterMenu_);
    filterButton_->setPopupMode(QToolButton::InstantPopup);
    clear_ = widgets::linkButton(tr("show all"), tr("Clear all filters and brushes"), strip_);
    clear_->setObjectName(clear_->text());
    report_ = widgets::linkButton(tr("report…"), tr("Save a report: web page, PDF, CSV or JSON"), strip_);
    report_->setObjectName("report sweep");
    export_ = widgets::linkButton(
        tr("export…"), tr("Save the cells as CSV or JSON, or the view as PNG, SVG or PDF (Ctrl+E)"), strip_);
    export_->setObjectName("export sweep");
    row->addWidget(said_, 1);
    row->addWidget(hideFailures_);
    row->addWidget(measuredOnly_);
    row->addWidget(filterButton_);
    row->addWidget(clear_);
    row->addWidget(report_);
    row->addWidget(export_);
    const auto change = [this] {
        SweepFilter filter = link_->filter();
        filter.hideFailures = hideFailures_->isChecked();
        filter.measuredOnly = measuredOnly_->isChecked();
        link_->setFilter(std::move(filter));
    };
    connect(hideFailures_, &QCheckBox::toggled, this, change);
    connect(measuredOnly_, &QCheckBox::toggled, this, change);
    connect(clear_, &QToolButton::clicked, this, [this] { link_->setFilter({}); });
    connect(export_, &QToolButton::clicked, this, &SweepViews::exportRequested);
    connect(report_, &QToolButton::clicked, this, &SweepViews::reportRequested);
    connect(filterMenu_, &QMenu::aboutToShow, this, &SweepViews::fillFilterMenu);
}

void SweepViews::setView(View view) {
    tabs_->setCurrentIndex(static_cast<int>(view));
}

SweepViews::View SweepViews::view() const {
    return static_cast<View>(tabs_->currentIndex());
}

QWidget& SweepViews::chart() const {
    return *charts_->currentWidget();
}

void SweepViews::setTableNote(const QString& note) {
    tablePanel_->setNote(note);
}

QString SweepViews::tableNote() const {
    return tablePanel_->note();
}

/// Defaults: memory against time, and the first two axes by memory.
void SweepViews::fillBoxes() {
    filling_ = true;
    const SweepRows& rows = link_->rows();
    for (QComboBox* box : {scatterX_, scatterY_, heatX_, heatY_, heatFigure_, group_}) {
        box->clear();
    }
    group_->addItem(tr("not grouped"), -1);
    for (std::size_t column = 0; column < rows.columns(); ++column) {
        const QString title = rows.columnTitle(column);
        const int data = static_cast<int>(column);
        scatterX_->addItem(title, data);
        scatterY_->addItem(title, data);
        if (rows.isAxis(column)) {
            heatX_->addItem(title, data);
            heatY_->addItem(title, data);
            group_->addItem(tr("by %1").arg(title), data);
        } else {
            heatFigure_->addItem(title, data);
        }
    }
    choose(*scatterX_, rows.columnOf(SweepFigure::Memory));
    choose(*scatterY_, rows.columnOf(SweepFigure::Time));
    choose(*heatX_, 0);
    choose(*heatY_, rows.axes.size() > 1 ? 1 : 0);
    filling_ = false;
    takeBoxes();
}

void SweepViews::takeBoxes() {
    if (filling_) {
        return;
    }
    scatter_->setColumns(chosenIn(*scatterX_), chosenIn(*scatterY_));
    heatMap_->setColumns(chosenIn(*heatX_), chosenIn(*heatY_));
    const std::size_t figure = chosenIn(*heatFigure_);
    if (figure >= link_->rows().axes.size()) {
        heatMap_->setFigure(link_->rows().figureOf(figure));
    }
}

void SweepViews::fillFilterMenu() {
    emptyMenu(*filterMenu_);
    const SweepRows& rows = link_->rows();
    for (std::size_t axis = 0; axis < rows.axes.size(); ++axis) {
        addLevels(*filterMenu_->addMenu(rows.axes[axis].name), axis);
    }
    filterButton_->setEnabled(!rows.axes.empty());
}

void SweepViews::addLevels(QMenu& menu, std::size_t axis) {
    const QStringList& words = link_->rows().axes[axis].words;
    const auto setAll = [this, axis, n = words.size()](bool without) {
        SweepFilter filter = link_->filter();
        for (int level = 0; level < n; ++level) {
            filter.setWithout(axis, level, without);
        }
        link_->setFilter(std::move(filter));
    };
    menu.addAction(tr("all"), this, [setAll] { setAll(false); });
    menu.addAction(tr("none"), this, [setAll] { setAll(true); });
    menu.addSeparator();
    for (int level = 0; level < words.size(); ++level) {
        QAction* action = menu.addAction(QString(words[level]).replace('&', "&&"));
        action->setCheckable(true);
        action->setChecked(!link_->filter().lacks(axis, level));
        connect(action, &QAction::toggled, this, [this, axis, level](bool on) {
            SweepFilter filter = link_->filter();
            filter.setWithout(axis, level, !on);
            link_->setFilter(std::move(filter));
        });
    }
}

void SweepViews::showFilter() {
    const SweepRows& rows = link_->rows();
    const SweepFilter& filter = link_->filter();
    const QSignalBlocker quietFailures(hideFailures_), quietMeasured(measuredOnly_);
    hideFailures_->setChecked(filter.hideFailures);
    measuredOnly_->setChecked(filter.measuredOnly);
    const QString count = link_->shown().size() == rows.cells.size()
                              ? cellsText(rows.cells.size())
                              : tr("%1 of %2")
                                    .arg(QLocale().toString(static_cast<int>(link_->shown().size())),
                                         cellsText(rows.cells.size()));
    const QString why = filterText(filter, rows);
    said_->setText(rows.cells.empty() ? QString() : why.isEmpty() ? count : count + ": " + why, {count});
    clear_->setEnabled(!filter.empty());
    export_->setEnabled(!rows.cells.empty());
    report_->setEnabled(!rows.cells.empty());
    const SweepCell* cell = link_->cell(link_->current());
    open_->setEnabled(cell != nullptr && !cell->runs.isEmpty());
}

}  // namespace highwater::desktop

#include "moc_sweep_views.cpp"
