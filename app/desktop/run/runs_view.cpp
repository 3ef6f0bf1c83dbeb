#include "app/desktop/run/runs_view.h"

#include <QHeaderView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <algorithm>
#include <span>
#include <utility>

#include "app/desktop/run/runs_cells.h"
#include "app/desktop/run/runs_model.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr RunColumn kWords[] = {RunColumn::Name, RunColumn::Tags, RunColumn::Note, RunColumn::Against};
/// Minimum and maximum width of the text columns, relative to their usual widths.
constexpr double kLeastWords = 0.5, kMostWords = 2;
/// Width of a long name, relative to the usual one, for which the device and empty columns that can be edited
/// are hidden. Columns of figures of which there are none are hidden for the sake of a name of any length.
constexpr double kLeastName = 0.8;
/// Columns that are hidden if that is not narrow enough, in this order.
constexpr RunColumn kLeaving[] = {RunColumn::Created, RunColumn::Note, RunColumn::Device, RunColumn::Loss,
                                  RunColumn::Patch,   RunColumn::Tags, RunColumn::Batch,  RunColumn::Against};
/// Columns that are hidden before those if they are empty, in this order.
constexpr RunColumn kMaybeEmpty[] = {RunColumn::Note, RunColumn::Loss,  RunColumn::Patch,
                                     RunColumn::Tags, RunColumn::Batch, RunColumn::Step};
constexpr int kLeastStatus = 110;  ///< "out of memory"
/// Columns of short texts, which must not be elided: a truncated figure says nothing.
constexpr RunColumn kFigures[] = {RunColumn::Device, RunColumn::Batch, RunColumn::Patch,
                                  RunColumn::Peak,   RunColumn::Step,  RunColumn::Loss};

bool isWords(int column) {
    return std::ranges::find(kWords, static_cast<RunColumn>(column)) != std::end(kWords);
}

}  // namespace

RunsView::RunsView(RunsModel& model, QSortFilterProxyModel& proxy, QWidget* parent)
    : QTreeView(parent), model_(model), proxy_(proxy), cells_(new RunsCells(this)) {
    setModel(&proxy);
    setItemDelegate(cells_);
    setSelectionMode(ExtendedSelection);
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setUniformRowHeights(true);
    setIndentation(13);
    setExpandsOnDoubleClick(false);
    setAllColumnsShowFocus(true);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setMouseTracking(true);
    setAccessibleName(tr("Runs"));
    header()->setStretchLastSection(true);
    header()->setSectionsMovable(true);
    header()->setFirstSectionMovable(false);
    header()->setHighlightSections(false);
    header()->setContextMenuPolicy(Qt::CustomContextMenu);
    resetColumns();
    setSortingEnabled(true);
    sortByColumn(static_cast<int>(RunColumn::Number), Qt::DescendingOrder);
    followStudies();
    connect(header(), &QWidget::customContextMenuRequested, this,
            [this](const QPoint& at) { showColumns(header()->viewport()->mapToGlobal(at)); });
    connect(header(), &QHeaderView::sectionMoved, this, [this] { fits_ = fits_ && fitting_; });
    connect(header(), &QHeaderView::sectionResized, this, [this](int column) {
        fits_ = fits_ && (fitting_ || isLast(column));  // the last column is stretched
    });
    connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (model_.run(proxy_.mapToSource(index))) {
            emit opened(index);
        } else {
            setExpanded(index.siblingAtColumn(0), !isExpanded(index.siblingAtColumn(0)));
        }
    });
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, viewport(),
            [this] { viewport()->update(); });
}

void RunsView::followStudies() {
    setRootIsDecorated(model_.hasStudies());
}

void RunsView::setAllUnfolded(bool on) {
    if (on == allUnfolded_) {
        if (on) {
            expandAll();
        }
        return;
    }
    allUnfolded_ = on;
    if (on) {
        unfolded_.clear();
    }
    for (int row = 0; row < proxy_.rowCount(); ++row) {
        const QModelIndex index = proxy_.index(row, 0);
        const QString study = model_.studyId(proxy_.mapToSource(index));
        if (study.isEmpty()) {
            continue;
        }
        if (on && isExpanded(index)) {
            unfolded_ << study;
        }
        setExpanded(index, on || unfolded_.contains(study));
    }
}

void RunsView::editCell(RunColumn column) {
    QModelIndex row = currentIndex();
    if (!row.isValid() || !selectionModel()->isSelected(row)) {
        const QModelIndexList rows = selectionModel()->selectedRows();
        row = rows.isEmpty() ? QModelIndex() : rows.front();
    }
    if (!row.isValid() || !model_.run(proxy_.mapToSource(row))) {
        return;
    }
    const int place = static_cast<int>(column);
    if (isColumnHidden(place)) {
        showAll();
        setColumnHidden(place, false);
    }
    const QModelIndex cell = row.siblingAtColumn(place);
    scrollTo(cell);
    selectionModel()->setCurrentIndex(cell, QItemSelectionModel::NoUpdate);
    edit(cell);
}

void RunsView::resetColumns() {
    const QScopedValueRollback busy(fitting_, true);
    fits_ = true;
    given_.clear();
    for (int column = 0; column < kRunColumns; ++column) {
        const RunColumnLook& look = lookOf(static_cast<RunColumn>(column));
        header()->moveSection(header()->visualIndex(column), column);
        header()->resizeSection(column, look.width);
        setColumnHidden(column, look.hidden);
    }
    fitColumns();
}

/// Whether the user has hidden the column.
bool RunsView::hides(int column) const {
    return isColumnHidden(column) && !given_.contains(column);
}

bool RunsView::isLast(int column) const {
    const int place = header()->visualIndex(column);
    for (int other = 0; other < kRunColumns; ++other) {
        if (!isColumnHidden(other) && header()->visualIndex(other) > place) {
            return false;
        }
    }
    return true;
}

int RunsView::leastWidth(double names) const {
    int least = 0;
    for (int column = 0; column < kRunColumns; ++column) {
        const bool status = static_cast<RunColumn>(column) == RunColumn::Status;
        const int width = status ? kLeastStatus : widthOf(static_cast<RunColumn>(column));
        const bool name = static_cast<RunColumn>(column) == RunColumn::Name;
        const int words = std::max(static_cast<int>(kLeastWords * width),
                                   name ? std::min(name_, static_cast<int>(names * width)) : 0);
        least += isColumnHidden(column) ? 0 : isWords(column) ? words : width;
    }
    return least;
}

/// Hides the columns for which the table is too narrow, or shows them again.
void RunsView::giveWay(bool on) {
    for (const int column : std::exchange(given_, {})) {
        setColumnHidden(column, false);
    }
    // Empty columns first. They and the device are hidden for the sake of names, too.
    for (const bool empty : {true, false}) {
        for (const RunColumn column : empty ? std::span<const RunColumn>(kMaybeEmpty) : kLeaving) {
            const int place = static_cast<int>(column);
            const double names = empty && !isWords(place)               ? kMostWords
                                 : empty || column == RunColumn::Device ? kLeastName
                                                                        : 0;
            if (on && empty_.contains(column) == empty && leastWidth(names) > viewport()->width() &&
                !isColumnHidden(place)) {
                setColumnHidden(place, true);
                given_.insert(place);
            }
        }
    }
}

/// Shows the columns hidden for lack of room: from then on, the columns are the user's choice.
void RunsView::showAll() {
    if (!given_.empty()) {
        const QScopedValueRollback busy(fitting_, true);
        giveWay(false);
        fits_ = false;
    }
}

void RunsView::followTexts(bool figures) {
    std::set<RunColumn> empty;
    for (const RunColumn column : kMaybeEmpty) {
        if (!model_.anyText(column)) {
            empty.insert(column);
        }
    }
    const bool goesOn = model_.anyProgress();
    const auto needs = figures ? figureWidths() : needs_;
    const int name = figures ? nameWidth() : name_;
    if (empty == empty_ && goesOn == goesOn_ && needs == needs_ && name == name_) {
        return;
    }
    needs_ = needs;
    name_ = name;
    empty_ = std::move(empty);
    goesOn_ = goesOn;
    if (fits_) {
        fitColumns();
    }
}

/// The width the status needs: "running, 12 min 30 s left" and a study's "3 done, 1 out of memory" need more
/// than "out of memory".
int RunsView::statusWidth() const {
    return goesOn_ || model_.hasStudies() ? lookOf(RunColumn::Status).width : kLeastStatus;
}

/// "cuda:0 on lab" needs more than "cuda:0", and a study's "0.5432 – 0.6123" more than a run's loss. The text
/// columns get the rest.
std::map<RunColumn, int> RunsView::figureWidths() const {
    constexpr int kMargins = 20, kHeadMargins = 26, kMost = 190;
    std::map<RunColumn, int> widths;
    for (const RunColumn column : kFigures) {
        const QString head =
            model_.headerData(static_cast<int>(column), Qt::Horizontal, Qt::DisplayRole).toString();
        const int text = fontMetrics().horizontalAdvance(model_.longest(column)) + kMargins;
        const int least = header()->fontMetrics().horizontalAdvance(head) + kHeadMargins;
        widths[column] = std::clamp(text, std::min(least, lookOf(column).width), kMost);
    }
    return widths;
}

/// Names tell the runs apart, so they get their width before the other texts.
int RunsView::nameWidth() const {
    constexpr int kMargins = 40;  // the pencil's, too
    const int usual = lookOf(RunColumn::Name).width;
    return std::clamp(fontMetrics().horizontalAdvance(model_.longest(RunColumn::Name)) + kMargins,
                      static_cast<int>(kLeastWords * usual), static_cast<int>(kMostWords * usual));
}

int RunsView::widthOf(RunColumn column) const {
    const auto needed = needs_.find(column);
    return needed == needs_.end() ? lookOf(column).width : needed->second;
}

/// In a narrow table, first the status shrinks, then the text columns, then the less important columns are
/// hidden; in a wide one, the text columns get the rest.
void RunsView::fitColumns() {
    const QScopedValueRollback busy(fitting_, true);
    giveWay(true);
    int all = 0, words = 0;
    const auto empty = [this](int column) {
        return isWords(column) && empty_.contains(static_cast<RunColumn>(column));
    };
    for (int column = 0; column < kRunColumns; ++column) {
        if (!isColumnHidden(column)) {
            const int width = widthOf(static_cast<RunColumn>(column));
            all += empty(column) ? static_cast<int>(kLeastWords * width) : width;
            words += isWords(column) && !empty(column) ? width : 0;
        }
    }
    const int status = static_cast<int>(RunColumn::Status), width = lookOf(RunColumn::Status).width;
    if (!isColumnHidden(status)) {
        const int given = std::clamp(viewport()->width() - (all - width), kLeastStatus, statusWidth());
        header()->resizeSection(status, given);
        all -= width - given;
    }
    for (const RunColumn column : kFigures) {
        if (const int place = static_cast<int>(column); !isColumnHidden(place)) {
            header()->resizeSection(place, widthOf(column));
        }
    }
    int room = viewport()->width() - (all - words);  // for texts
    const auto share = [&] {
        return std::clamp(static_cast<double>(room) / std::max(1, words), kLeastWords, kMostWords);
    };
    for (const RunColumn column : kWords) {  // the name first
        const int place = static_cast<int>(column), usual = lookOf(column).width;
        if (isColumnHidden(place)) {
            continue;
        }
        int given = static_cast<int>((empty(place) ? kLeastWords : share()) * usual);
        if (column == RunColumn::Name) {
            const int left = room - static_cast<int>(kLeastWords * (words - usual));
            given = std::max(given, std::min(left, name_));
            room -= given;
            words -= usual;
        }
        header()->resizeSection(place, given);
    }
    (void)header()->length();  // applies deferred changes now, so that they are not taken for the user's
}

/// Whether the columns have the widths that this table gives them, for some width of the window.
bool RunsView::widthsFit() const {
    for (int column = 0; column < kRunColumns; ++column) {
        const int width = header()->sectionSize(column), look = widthOf(static_cast<RunColumn>(column));
        const bool status = static_cast<RunColumn>(column) == RunColumn::Status;
        if (isColumnHidden(column) || isLast(column) || width == look ||
            (status && width >= kLeastStatus && width < look) ||
            (isWords(column) && width >= int(kLeastWords * look) && width <= int(kMostWords * look))) {
            continue;
        }
        return false;
    }
    return true;
}

void RunsView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    if (fits_) {
        fitColumns();
    } else if (!given_.empty()) {
        giveWay(true);
    }
}

void RunsView::showColumns(const QPoint& at) {
    QMenu menu(this);
    // The number identifies the run and cannot be hidden.
    for (int column = 1; column < kRunColumns; ++column) {
        QAction* action = menu.addAction(model()->headerData(column, Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool on) {
            if (on) {
                showAll();
            }
            setColumnHidden(column, !on);
            if (fits_) {
                fitColumns();
            }
        });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Reset columns")), &QAction::triggered, this, [this] {
        sortByColumn(static_cast<int>(RunColumn::Number), Qt::DescendingOrder);
        resetColumns();
    });
    menu.exec(at);
}

QByteArray RunsView::columns() const {
    bool chosen = !fits_ || header()->sortIndicatorSection() != static_cast<int>(RunColumn::Number) ||
                  header()->sortIndicatorOrder() != Qt::DescendingOrder;
    for (int column = 0; column < kRunColumns; ++column) {
        chosen = chosen || hides(column) != lookOf(static_cast<RunColumn>(column)).hidden;
    }
    if (!chosen) {
        return {};
    }
    // A wider window may have room for the columns hidden here.
    const QSignalBlocker quiet(header());
    for (const int column : given_) {
        header()->setSectionHidden(column, false);
    }
    const QByteArray state = header()->saveState();
    for (const int column : given_) {
        header()->setSectionHidden(column, true);
    }
    return state;
}

void RunsView::restoreColumns(const QByteArray& state) {
    if (state.isEmpty() || !header()->restoreState(state)) {
        return;
    }
    header()->setStretchLastSection(true);
    setColumnHidden(0, false);
    sortByColumn(header()->sortIndicatorSection(), header()->sortIndicatorOrder());
    bool moved = false;
    for (int column = 0; column < kRunColumns; ++column) {
        moved = moved || header()->visualIndex(column) != column;
    }
    fits_ = !moved && widthsFit();
    if (fits_) {
        fitColumns();
    }
}

void RunsView::hover(const QModelIndex& index) {
    if (index == hovered_) {
        return;
    }
    hovered_ = index;
    cells_->setHovered(index);
    viewport()->update();
}

void RunsView::mouseMoveEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    hover(index);
    const bool pencil = index.isValid() && index.flags() & Qt::ItemIsEditable &&
                        RunsCells::pencilIn(visualRect(index)).contains(event->position().toPoint());
    viewport()->setCursor(pencil ? Qt::PointingHandCursor : Qt::ArrowCursor);
    QTreeView::mouseMoveEvent(event);
}

void RunsView::leaveEvent(QEvent* event) {
    hover({});
    QTreeView::leaveEvent(event);
}

void RunsView::mousePressEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier && index.isValid() &&
        index.flags() & Qt::ItemIsEditable &&
        RunsCells::pencilIn(visualRect(index)).contains(event->position().toPoint())) {
        setCurrentIndex(index);
        edit(index);
        return;
    }
    QTreeView::mousePressEvent(event);
}

void RunsView::drawRow(QPainter* painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index) const {
    const QRect rect(0, option.rect.top(), viewport()->width(), option.rect.height());
    painter->fillRect(
        rect, selectionModel()->isSelected(index) ? widgets::theme().selection : widgets::theme().window);
    painter->fillRect(rect.left(), rect.bottom(), rect.width(), 1, widgets::theme().border);
    QStyleOptionViewItem plain = option;
    plain.state &= ~(QStyle::State_MouseOver | QStyle::State_HasFocus);
    QTreeView::drawRow(painter, plain, index);
}

void RunsView::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    if (!proxy_.hasChildren(index)) {
        return;
    }
    const QPointF middle(rect.right() - indentation() / 2.0 + 3, rect.center().y() + 0.5);
    QPainterPath arrow;
    if (isExpanded(index)) {
        arrow.moveTo(middle + QPointF(-4, -2));
        arrow.lineTo(middle + QPointF(0, 2));
        arrow.lineTo(middle + QPointF(4, -2));
    } else {
        arrow.moveTo(middle + QPointF(-2, -4));
        arrow.lineTo(middle + QPointF(2, 0));
        arrow.lineTo(middle + QPointF(-2, 4));
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(widgets::theme().mutedText, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPath(arrow);
    painter->restore();
}

void RunsView::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    QPainter painter(viewport());
    if (hasFocus() && !selectionModel()->hasSelection()) {  // otherwise the focus would be invisible
        painter.setPen(widgets::theme().accent);
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
    if (proxy_.rowCount() > 0) {
        return;
    }
    painter.setPen(widgets::theme().mutedText);
    painter.drawText(viewport()->rect().adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     textOfNone());
}

QString RunsView::textOfNone() const {
    if (model_.runCount() > 0) {
        return tr("No run matches the filter");
    }
    return unknown_.isEmpty() ? tr("No runs yet: press Run") : unknown_;
}

void RunsView::setUnknown(const QString& why) {
    unknown_ = why;
    viewport()->update();
}

}  // namespace highwater::desktop

#include "moc_runs_view.cpp"
