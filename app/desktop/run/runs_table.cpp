#include "app/desktop/run/runs_table.h"

#include <QAction>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSet>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/run/runs_proxy.h"
#include "app/desktop/run/runs_view.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/menu_text.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kFewRows = 3;

/// Every word of the line must occur in some column.
RunsFilter wordFilter(const RunsModel& model, const QString& line) {
    const QStringList words = line.toLower().split(' ', Qt::SkipEmptyParts);
    if (words.isEmpty()) {
        return {};
    }
    return {[&model, words](const QString& id) {
        const RunRow* row = model.run(model.indexOf(id));
        QString all;
        for (int column = 0; row && column < kRunColumns; ++column) {
            all += runText(*row, static_cast<RunColumn>(column)).toLower() + ' ';
        }
        return std::all_of(words.begin(), words.end(),
                           [&](const QString& word) { return all.contains(word); });
    }};
}

}  // namespace

RunsTable::RunsTable(QWidget* parent) : widgets::Panel(tr("Runs"), parent) {
    buildHeader();  // before the rows, for the Tab order
    model_ = new RunsModel(this);
    proxy_ = new RunsProxy(*model_, this);
    filters_ = [this](const QString& line) { return wordFilter(*model_, line); };
    auto* body = new QWidget(this);
    auto* column = widgets::makeLayout<QVBoxLayout>(body, 0);
    problem_ = new QLabel(body);
    problem_->setTextFormat(Qt::PlainText);
    problem_->setWordWrap(true);
    problem_->setContentsMargins(10, 4, 10, 4);
    problem_->hide();
    view_ = new RunsView(*model_, *proxy_, body);
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    column->addWidget(problem_);
    column->addWidget(view_, 1);
    setBody(body);
    view_->setMinimumHeight(0);
    setMinimumHeight(kHeaderHeight + (kFewRows + 1) * (view_->fontMetrics().height() + 11));
    connect(view_, &RunsView::opened, this,
            [this](const QModelIndex& at) { emit activated(model_->run(proxy_->mapToSource(at))->id); });
    connect(view_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        const std::unique_ptr<QMenu> menu(contextMenu());
        menu->exec(view_->viewport()->mapToGlobal(at));
    });
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsTable::updateSelection);
    connect(model_, &RunsModel::edited, this, &RunsTable::edited);
    buildActions();
    exports_ = widgets::offerTable(*view_, {tr("runs")});
    connectHeader();
    updateSelection();
}

void RunsTable::buildHeader() {
    filter_ = new QLineEdit(this);
    filter_->setPlaceholderText(tr("filter, such as: unet peak<8GiB tag=paper"));
    filter_->setAccessibleName(tr("Filter of the runs"));
    filter_->setToolTip(tr(
        "Show the runs that contain every word in name, note, tags, study, device, status or "
        "reason.\nCompare with < <= > >= = !=, such as peak<8GiB, step>=200ms, batch=2, loss<0.1, "
        "device=cuda, host=lab,\nstatus=done, tag=paper, patch=96, created>=2026-11-23, name=\"two words\". "
        "#12 is run 12."));
    filter_->setClearButtonEnabled(true);
    filter_->setFixedHeight(23);
    filter_->setMinimumWidth(120);
    filter_->setMaximumWidth(340);
    filter_->installEventFilter(this);
    compareLink_ = widgets::linkButton(
        tr("compare"), tr("Compare the selected runs with the one that was selected first"), this);
    reportLink_ = widgets::linkButton(tr("report"), tr("Write a report of the selected runs"), this);
    columnsLink_ = widgets::linkButton(tr("columns"), tr("Choose the columns"), this);
    for (QWidget* part : std::initializer_list<QWidget*>{compareLink_, reportLink_, columnsLink_, filter_}) {
        addHeaderWidget(part);
    }
    QSizePolicy wide(QSizePolicy::Expanding, QSizePolicy::Fixed);
    wide.setHorizontalStretch(2);
    filter_->setSizePolicy(wide);
}

void RunsTable::connectHeader() {
    setTabOrder(columnsLink_, filter_);  // only once the rows exist, because the Tab chain is a ring
    connect(compareLink_, &QToolButton::clicked, compare_, &QAction::trigger);
    connect(reportLink_, &QToolButton::clicked, report_, &QAction::trigger);
    connect(columnsLink_, &QToolButton::clicked, this,
            [this] { view_->showColumns(columnsLink_->mapToGlobal(QPoint(0, columnsLink_->height()))); });
    connect(filter_, &QLineEdit::textChanged, this, &RunsTable::setFilter);
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
    compare_ = make(tr("Compare"), {}, [this] { emit compareRequested(selectedIds()); });
    report_ = make(tr("Report…"), {}, [this] { emit reportRequested(selectedIds()); });
    memory_ = make(tr("Memory timeline…"), {}, [this] { emit memoryRequested(selectedIds()); });
    open_ =
        make(tr("Open"), QKeySequence("Ctrl+Return"), [this] { emit activated(selectedIds().constFirst()); });
    rename_ = make(tr("Rename"), QKeySequence("F2"), [this] { view_->editCell(RunColumn::Name); });
    note_ = make(tr("Write a note"), QKeySequence("Shift+F2"), [this] { view_->editCell(RunColumn::Note); });
    tag_ = make(tr("Edit the tags"), QKeySequence("Ctrl+F2"), [this] { view_->editCell(RunColumn::Tags); });
    giveUp_ = make(tr("Give up…"), {}, [this] { emit giveUpRequested(selectedIds().constFirst()); });
    delete_ = make(tr("Delete"), QKeySequence::Delete, [this] { emit deleteRequested(selectedIds()); });
}

void RunsTable::setRows(std::vector<RunRow> rows) {
    const bool studies = model_->hasStudies();
    {
        const QScopedValueRollback busy(changesRows_, true);
        model_->setRows(std::move(rows));
    }
    view_->followTexts();
    if (model_->hasStudies() != studies) {
        view_->followStudies();
    }
    updateSelection();
}

void RunsTable::setRow(const RunRow& row) {
    const qsizetype selected = view_->selectionModel()->selectedRows().size();
    {
        const QScopedValueRollback busy(changesRows_, true);
        model_->setRow(row);
    }
    view_->followTexts();
    view_->followStudies();
    if (view_->selectionModel()->selectedRows().size() != selected) {  // the filter may hide it now
        updateSelection();
    }
}

void RunsTable::setProgress(const QString& id, const QString& progress) {
    model_->setProgress(id, progress);
    view_->followTexts(false);
}

void RunsTable::setShown(const QString& id) {
    model_->setShown(id);
}

void RunsTable::setAgainst(const QString& title, std::function<QString(const QString& id)> text) {
    model_->setAgainst(title, std::move(text));
}

void RunsTable::setColors(const QHash<QString, QColor>& byId) {
    model_->setColors(byId);
}

/// A run's id, or the ids of a study's runs that the filter accepts.
QStringList RunsTable::idsUnder(const QModelIndex& shown) const {
    if (const RunRow* run = model_->run(proxy_->mapToSource(shown))) {
        return {run->id};
    }
    QStringList ids;
    for (int row = 0; row < proxy_->rowCount(shown); ++row) {
        ids << idsUnder(proxy_->index(row, 0, shown));
    }
    return ids;
}

void RunsTable::select(const QStringList& ids) {
    QItemSelection selection;
    QModelIndex first;
    for (const QString& id : ids) {
        const QModelIndex index = proxy_->mapFromSource(model_->indexOf(id));
        if (!index.isValid()) {
            continue;
        }
        if (index.parent().isValid()) {
            view_->expand(index.parent());
        }
        selection.select(index, index);
        first = first.isValid() ? first : index;
    }
    selected_ = ids;  // the order of runs that are selected at once
    view_->selectionModel()->select(selection,
                                    QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (first.isValid()) {
        view_->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
        view_->scrollTo(first);
    }
    updateSelection();
}

void RunsTable::setFilters(std::function<RunsFilter(const QString& line)> filters) {
    filters_ = std::move(filters);
    setFilter(filter_->text());
}

void RunsTable::setFilter(const QString& line) {
    if (filter_->text() != line) {
        filter_->setText(line);
        return;  // called again by textChanged
    }
    if (applyFilter()) {
        view_->setAllUnfolded(proxy_->filters());
    }
}

/// While the line is invalid, the runs shown stay the same, or all are shown if there are none.
bool RunsTable::applyFilter() {
    RunsFilter filter = filters_(filter_->text());
    problem_->setVisible(!filter.problem.isEmpty());
    problem_->setText(filter.problem);
    problem_->setStyleSheet(QStringLiteral("color: %1").arg(widgets::theme().warning.name()));
    if (!filter.problem.isEmpty()) {
        if (visibleRuns() == 0 && proxy_->filters()) {
            {
                const QScopedValueRollback busy(changesRows_, true);
                proxy_->setTest({});
            }
            updateSelection();
        }
        return false;
    }
    {
        const QScopedValueRollback busy(changesRows_, true);
        proxy_->setTest(std::move(filter.shows));
    }
    updateSelection();
    return true;
}

/// Studies that were folded meanwhile stay folded.
void RunsTable::refilter() {
    if (proxy_->filters()) {
        applyFilter();
    }
}

void RunsTable::focusFilter() {
    filter_->setFocus(Qt::ShortcutFocusReason);
    filter_->selectAll();
}

int RunsTable::visibleRuns() const {
    return static_cast<int>(idsUnder({}).size());
}

/// Does nothing during a change of the rows: handlers of the selection change the table in turn, which
/// corrupts a QSortFilterProxyModel that is removing rows.
void RunsTable::updateSelection() {
    if (changesRows_) {
        return;
    }
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    QSet<QString> now;
    QStringList fresh;
    for (const QModelIndex& row : rows) {
        for (const QString& id : idsUnder(row)) {
            if (!now.contains(id)) {
                now.insert(id);
                fresh << id;
            }
        }
    }
    QStringList ids = selected_;
    ids.removeIf([&](const QString& id) { return !now.contains(id); });
    const QSet<QString> before(ids.begin(), ids.end());
    for (const QString& id : fresh) {
        if (!before.contains(id)) {
            ids << id;
        }
    }
    selected_ = ids;
    updateNote();
    const int count = static_cast<int>(ids.size());
    compare_->setEnabled(count >= 2);
    memory_->setEnabled(count == 1 || count == 2);
    for (QAction* action : {open_, rename_, note_, tag_}) {
        action->setEnabled(count == 1);
    }
    for (QAction* action : {report_, delete_}) {
        action->setEnabled(count >= 1);
    }
    const RunRow* only = count == 1 ? model_->run(model_->indexOf(ids.constFirst())) : nullptr;
    giveUp_->setVisible(only && only->onHost && only->state == wire::RunStatus::Running);
    compareLink_->setEnabled(count >= 2);
    reportLink_->setEnabled(count >= 1);
    emit selectionChanged(ids);
}

void RunsTable::updateNote() {
    QStringList parts;
    if (proxy_->filters()) {
        parts << tr("%1 of %2 runs").arg(visibleRuns()).arg(model_->runCount());
    }
    if (!selected_.isEmpty()) {
        parts << tr("%1 selected").arg(selected_.size());
    }
    setNote(parts.join(QStringLiteral(" · ")));
}

/// All tags of the table; those that all selected runs have are checked.
void RunsTable::addTags(QMenu& menu) {
    QMenu* tags = menu.addMenu(tr("Tags"));
    for (const QString& tag : model_->allTags()) {
        const bool all = std::all_of(selected_.begin(), selected_.end(), [&](const QString& id) {
            const RunRow* run = model_->run(model_->indexOf(id));
            return run && run->tags.contains(tag);
        });
        QAction* action = tags->addAction(widgets::menuText(tag));
        action->setCheckable(true);
        action->setChecked(all);
        connect(action, &QAction::toggled, this,
                [this, tag](bool on) { emit tagWanted(selected_, tag, on); });
    }
    if (!tags->isEmpty()) {
        tags->addSeparator();
    }
    connect(tags->addAction(tr("New tag…")), &QAction::triggered, this, [this] {
        const QString tag =
            QInputDialog::getText(this, tr("New tag"), tr("A short word, for all selected runs:")).trimmed();
        if (!tag.isEmpty()) {
            emit tagWanted(selected_, tag, true);
        }
    });
    tags->setEnabled(!selected_.isEmpty());
}

QMenu* RunsTable::contextMenu() {
    auto* menu = new QMenu(this);
    menu->addActions({open_, compare_, report_, memory_});
    menu->addSeparator();
    menu->addActions({rename_, note_, tag_});
    addTags(*menu);
    menu->addSeparator();
    menu->addActions(exports_);
    menu->addSeparator();
    menu->addActions({giveUp_, delete_});
    return menu;
}

/// Moves from the filter down to the runs and selects one, because the table's keys apply to it; and back up.
bool RunsTable::eventFilter(QObject* watched, QEvent* event) {
    if (watched == filter_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Return || key == Qt::Key_Enter) {
            view_->setFocus(Qt::TabFocusReason);
            if (!view_->selectionModel()->hasSelection()) {
                view_->setCurrentIndex(view_->model()->index(0, 0));
            }
            return true;
        }
        if (key == Qt::Key_Escape && !filter_->text().isEmpty()) {
            filter_->clear();
            return true;
        }
    }
    return widgets::Panel::eventFilter(watched, event);
}

}  // namespace highwater::desktop

#include "moc_runs_table.cpp"
