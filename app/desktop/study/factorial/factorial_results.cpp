#include "app/desktop/study/factorial/factorial_results.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/study/factorial/combinations_model.h"
#include "app/desktop/study/factorial/effects_chart.h"
#include "app/desktop/study/sweep/pareto_plot.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kNameWidth = 230;

}  // namespace

FactorialResults::FactorialResults(QWidget* parent)
    : QWidget(parent), model_(new CombinationsModel(this)), sorted_(new QSortFilterProxyModel(this)) {
    buildTable();
    plot_ = new ParetoPlot(this);
    plotPanel_ = new widgets::Panel(tr("Memory against time"), this);
    plotPanel_->setBody(plot_);
    buildEffects();
    auto* upper = widgets::makeSplitter(Qt::Horizontal, {tablePanel_, plotPanel_});
    upper->setSizes({650, 310});
    upper->setStretchFactor(0, 1);
    upper->setStretchFactor(1, 1);
    auto* whole = widgets::makeSplitter(Qt::Vertical, {upper, effectsPanel_});
    whole->setSizes({400, 320});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(whole);
    connect(plot_, &ParetoPlot::rowClicked, this, &FactorialResults::setCurrent);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this,
            [this] { effects_->setSections(effectSections(rows_.effects)); });
}

void FactorialResults::buildTable() {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(CombinationsModel::kSortRole);
    view_ = new QTableView(this);
    view_->setModel(sorted_);
    widgets::makeFlat(*view_);
    view_->setAccessibleName(tr("Combinations"));
    view_->setSelectionMode(QAbstractItemView::SingleSelection);
    view_->setSortingEnabled(true);
    view_->horizontalHeader()->setStretchLastSection(true);
    view_->setWordWrap(true);  // names of combinations are long, and may differ anywhere
    connect(view_->horizontalHeader(), &QHeaderView::sectionResized, view_,
            &QTableView::resizeRowsToContents);
    connect(view_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, view_,
            &QTableView::resizeRowsToContents);
    widgets::offerTable(*view_);
    tablePanel_ = new widgets::Panel(tr("Combinations"), this);
    tablePanel_->setBody(view_);
    use_ = widgets::linkButton(tr("use this combination"),
                               tr("Open it in the editor; can be undone (Ctrl+Return)"), this);
    export_ = widgets::linkButton(tr("export…"), tr("Save all as CSV or JSON (Ctrl+E)"), this);
    report_ = widgets::linkButton(tr("report…"), tr("Save a report: web page, PDF, CSV or JSON"), this);
    use_->setObjectName(use_->text());
    export_->setObjectName(export_->text());
    report_->setObjectName(report_->text());
    tablePanel_->addHeaderWidget(use_);
    tablePanel_->addHeaderWidget(report_);
    tablePanel_->addHeaderWidget(export_);
    connect(use_, &QToolButton::clicked, this, [this] { emit useRequested(current()); });
    connect(export_, &QToolButton::clicked, this, &FactorialResults::exportRequested);
    connect(report_, &QToolButton::clicked, this, &FactorialResults::reportRequested);
    connect(view_, &QTableView::activated, this, [this] {
        if (use_->isEnabled()) {
            emit useRequested(current());
        }
    });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &FactorialResults::chosen);
}

void FactorialResults::buildEffects() {
    effects_ = new IntervalChart(this);
    effects_->setAccessibleName(tr("What the levers do"));
    notes_ = new QLabel(this);
    notes_->setTextFormat(Qt::PlainText);
    notes_->setWordWrap(true);
    notes_->setProperty("muted", true);
    notes_->setContentsMargins(12, 8, 12, 0);
    auto* body = new QWidget(this);
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 8);
    column->setSpacing(4);
    column->addWidget(notes_);
    column->addWidget(effects_);
    column->addStretch(1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(body);
    effectsPanel_ = new widgets::Panel(tr("What the levers do, alone and together"), this);
    effectsPanel_->setNote(tr("geometric means over all other combinations; whiskers: 95 % intervals"));
    effectsPanel_->setBody(scroll);
}

/// The same combinations with more measurements keep order, selection and position.
void FactorialResults::setRows(const FactorialRows& rows) {
    const bool same = std::ranges::equal(rows.combinations, rows_.combinations, {}, &CombinationRow::name,
                                         &CombinationRow::name);
    const int chosenRow = same ? current() : -1, scrolled = same ? view_->verticalScrollBar()->value() : 0;
    rows_ = rows;
    model_->setRows(rows.combinations);
    plot_->setRows(rows.combinations);
    effects_->setSections(effectSections(rows.effects));
    notes_->setText(rows.notes.join('\n'));
    notes_->setVisible(!rows.notes.isEmpty());
    tablePanel_->setNote(rows.title);
    if (!same) {
        view_->sortByColumn(CombinationsModel::Memory, Qt::AscendingOrder);
    }
    view_->resizeColumnsToContents();
    view_->setColumnWidth(CombinationsModel::Name,
                          std::min(view_->columnWidth(CombinationsModel::Name), kNameWidth));
    view_->resizeRowsToContents();
    if (chosenRow >= 0) {
        setCurrent(chosenRow);
    }
    view_->verticalScrollBar()->setValue(scrolled);
    chosen();
}

int FactorialResults::current() const {
    const QModelIndex index = sorted_->mapToSource(view_->currentIndex());
    return index.isValid() ? index.row() : -1;
}

void FactorialResults::setCurrent(int row) {
    const QModelIndex index = sorted_->mapFromSource(model_->index(row, 0));
    view_->selectionModel()->setCurrentIndex(index,
                                             QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    view_->scrollTo(index);
}

void FactorialResults::chosen() {
    const int row = current();
    plot_->setCurrent(row);
    use_->setEnabled(row >= 0 && rows_.combinations[static_cast<std::size_t>(row)].usable);
    export_->setEnabled(!rows_.combinations.empty());
    report_->setEnabled(!rows_.combinations.empty());
}

}  // namespace highwater::desktop

#include "moc_factorial_results.cpp"
