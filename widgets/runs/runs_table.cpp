#include "widgets/runs/runs_table.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>

#include "widgets/theme/flat_cells.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

/// Every word of the filter must occur in some column.
class RunFilter : public QSortFilterProxyModel {
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setText(const QString& text) {
        words_ = text.toLower().split(' ', Qt::SkipEmptyParts);
        invalidateFilter();
    }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        if (words_.isEmpty()) {
            return true;
        }
        QString all;
        for (int column = 0; column < sourceModel()->columnCount(); ++column) {
            all += sourceModel()->index(row, column, parent).data().toString().toLower() + ' ';
        }
        return std::all_of(words_.begin(), words_.end(),
                           [&](const QString& word) { return all.contains(word); });
    }

private:
    QStringList words_;
};

}  // namespace

RunsTable::RunsTable(QWidget* parent) : Panel("Runs", parent) {
    model_ = new RunsModel(this);
    proxy_ = new RunFilter(this);
    proxy_->setSourceModel(model_);
    proxy_->setSortRole(RunsModel::kSortRole);
    buildView();
    buildActions();

    filter_ = new QLineEdit(this);
    filter_->setPlaceholderText("filter");
    filter_->setToolTip("Show the runs in which every word occurs, e.g. “done 96³”");
    filter_->setClearButtonEnabled(true);
    filter_->setFixedSize(170, 23);
    filter_->setTextMargins(4, 0, 0, 0);
    compareLink_ = linkButton("compare", "Compare the selected runs", this);
    reportLink_ = linkButton("report", "Write a report of the selected runs", this);
    connect(compareLink_, &QToolButton::clicked, compare_, &QAction::trigger);
    connect(reportLink_, &QToolButton::clicked, report_, &QAction::trigger);
    addHeaderWidget(compareLink_);
    addHeaderWidget(reportLink_);
    addHeaderWidget(filter_);
    connect(filter_, &QLineEdit::textChanged, this, &RunsTable::setFilter);
    updateSelection();
}

void RunsTable::buildView() {
    view_ = new QTableView(this);
    view_->setModel(proxy_);
    makeFlat(*view_);
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    view_->setAccessibleName("Runs");
    view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 11);
    QHeaderView* header = view_->horizontalHeader();
    header->setStretchLastSection(true);
    header->setSectionsMovable(true);
    const int widths[] = {44, 176, 112, 58, 104, 88, 122, 112, 190};
    for (int column = 0; column < RunsModel::kColumns; ++column) {
        header->resizeSection(column, widths[column]);
    }
    view_->setSortingEnabled(true);
    view_->sortByColumn(RunsModel::Number, Qt::DescendingOrder);
    view_->viewport()->installEventFilter(this);
    setBody(view_);
    connect(view_, &QTableView::activated, this, [this](const QModelIndex& at) { emit activated(idAt(at)); });
    connect(view_, &QWidget::customContextMenuRequested, this, &RunsTable::showContextMenu);
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsTable::updateSelection);
}

void RunsTable::buildActions() {
    const auto make = [this](const QString& text, const QKeySequence& key, auto act) {
        auto* action = new QAction(text, view_);
        action->setShortcut(key);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, act);
        view_->addAction(action);
        return action;
    };
    compare_ = make("Compare", {}, [this] { emit compareRequested(selectedIds()); });
    report_ = make("Report…", {}, [this] { emit reportRequested(selectedIds()); });
    memory_ = make("Memory timeline…", {}, [this] { emit memoryRequested(selectedIds()); });
    open_ = make("Open the experiment again", QKeySequence("Ctrl+Return"),
                 [this] { emit openRequested(selectedIds().constFirst()); });
    delete_ = make("Delete", QKeySequence::Delete, [this] { emit deleteRequested(selectedIds()); });
}

void RunsTable::setRows(std::vector<RunRow> rows) {
    model_->setRows(std::move(rows));
    updateSelection();
}

void RunsTable::setRow(const RunRow& row) {
    model_->setRow(row);
}

QString RunsTable::idAt(const QModelIndex& shown) const {
    return model_->row(proxy_->mapToSource(shown).row()).id;
}

QStringList RunsTable::selectedIds() const {
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    QStringList ids;
    for (const QModelIndex& index : rows) {
        ids << idAt(index);
    }
    return ids;
}

void RunsTable::select(const QStringList& ids) {
    QItemSelection selection;
    QModelIndex first;
    for (int row = 0; row < proxy_->rowCount(); ++row) {
        const QModelIndex index = proxy_->index(row, 0);
        if (!ids.contains(idAt(index))) {
            continue;
        }
        selection.select(index, index);
        if (!first.isValid()) {
            first = index;
        }
    }
    view_->selectionModel()->select(selection,
                                    QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (first.isValid()) {
        view_->scrollTo(first);
    }
}

void RunsTable::setFilter(const QString& text) {
    if (filter_->text() != text) {
        filter_->setText(text);
    }
    static_cast<RunFilter*>(proxy_)->setText(text);
    view_->viewport()->update();
}

int RunsTable::visibleRows() const {
    return proxy_->rowCount();
}

void RunsTable::updateSelection() {
    const QStringList ids = selectedIds();
    const int count = static_cast<int>(ids.size());
    setNote(count == 0 ? QString() : QString("%1 selected").arg(count));
    compare_->setEnabled(count >= 2);
    report_->setEnabled(count >= 1);
    memory_->setEnabled(count == 1 || count == 2);
    open_->setEnabled(count == 1);
    delete_->setEnabled(count >= 1);
    if (compareLink_) {
        compareLink_->setEnabled(count >= 2);
        reportLink_->setEnabled(count >= 1);
    }
    emit selectionChanged(ids);
}

void RunsTable::showContextMenu(const QPoint& at) {
    QMenu menu(this);
    menu.addActions({compare_, report_, memory_, open_});
    menu.addSeparator();
    menu.addAction(delete_);
    menu.exec(view_->viewport()->mapToGlobal(at));
}

bool RunsTable::eventFilter(QObject* watched, QEvent* event) {
    if (watched != view_->viewport() || event->type() != QEvent::Paint || proxy_->rowCount() > 0) {
        return Panel::eventFilter(watched, event);
    }
    QPainter painter(view_->viewport());
    painter.setPen(theme().mutedText);
    painter.drawText(view_->viewport()->rect(), Qt::AlignCenter,
                     model_->rowCount() == 0 ? "No runs yet: press Run" : "No run matches the filter");
    return true;
}

}  // namespace highwater::widgets

#include "moc_runs_table.cpp"
