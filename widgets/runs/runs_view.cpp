#include "widgets/runs/runs_view.h"

#include <QHeaderView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <algorithm>

#include "widgets/runs/runs_cells.h"
#include "widgets/runs/runs_model.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr RunColumn kWords[] = {RunColumn::Name, RunColumn::Tags, RunColumn::Status, RunColumn::Note,
                                RunColumn::Against};
constexpr double kLeastWords = 0.7;  ///< of their widths, where the table is narrow

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
    setAccessibleName("Runs");
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
        const bool last = column == static_cast<int>(RunColumn::Against);  // it is stretched
        fits_ = fits_ && (fitting_ || last);
    });
    connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (model_.run(proxy_.mapToSource(index))) {
            emit opened(index);
        } else {
            setExpanded(index.siblingAtColumn(0), !isExpanded(index.siblingAtColumn(0)));
        }
    });
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, viewport(),
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
    for (int column = 0; column < kRunColumns; ++column) {
        const RunColumnLook& look = lookOf(static_cast<RunColumn>(column));
        header()->moveSection(header()->visualIndex(column), column);
        header()->resizeSection(column, look.width);
        setColumnHidden(column, look.hidden);
    }
    fitColumns();
}

/// In a narrow table the columns of words give way, down to seven tenths of their widths.
void RunsView::fitColumns() {
    const QScopedValueRollback busy(fitting_, true);
    int all = 0, words = 0;
    for (int column = 0; column < kRunColumns; ++column) {
        if (!isColumnHidden(column)) {
            const int width = lookOf(static_cast<RunColumn>(column)).width;
            all += width;
            words += isWords(column) ? width : 0;
        }
    }
    if (words == 0) {
        return;
    }
    const double share =
        std::clamp(1 - static_cast<double>(all - viewport()->width()) / words, kLeastWords, 1.0);
    for (const RunColumn column : kWords) {
        if (!isColumnHidden(static_cast<int>(column))) {
            header()->resizeSection(static_cast<int>(column), static_cast<int>(share * lookOf(column).width));
        }
    }
}

/// Whether the columns are as wide as this table makes them, in a window of some width.
bool RunsView::widthsFit() const {
    for (int column = 0; column < static_cast<int>(RunColumn::Against); ++column) {
        const int width = header()->sectionSize(column), look = lookOf(static_cast<RunColumn>(column)).width;
        if (isColumnHidden(column) || width == look ||
            (isWords(column) && width >= int(kLeastWords * look) && width < look)) {
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
    }
}

void RunsView::showColumns(const QPoint& at) {
    QMenu menu(this);
    for (int column = 1; column < kRunColumns; ++column) {  // the number names the run: it stays
        QAction* action = menu.addAction(model()->headerData(column, Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool on) {
            setColumnHidden(column, !on);
            if (fits_) {
                fitColumns();
            }
        });
    }
    menu.addSeparator();
    connect(menu.addAction("As at first"), &QAction::triggered, this, [this] {
        sortByColumn(static_cast<int>(RunColumn::Number), Qt::DescendingOrder);
        resetColumns();
    });
    menu.exec(at);
}

QByteArray RunsView::columns() const {
    bool chosen = !fits_ || header()->sortIndicatorSection() != static_cast<int>(RunColumn::Number) ||
                  header()->sortIndicatorOrder() != Qt::DescendingOrder;
    for (int column = 0; column < kRunColumns; ++column) {
        chosen = chosen || isColumnHidden(column) != lookOf(static_cast<RunColumn>(column)).hidden;
    }
    return chosen ? header()->saveState() : QByteArray();
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
    painter->fillRect(rect, selectionModel()->isSelected(index) ? theme().selection : theme().window);
    painter->fillRect(rect.left(), rect.bottom(), rect.width(), 1, theme().border);
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
    painter->setPen(QPen(theme().mutedText, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPath(arrow);
    painter->restore();
}

void RunsView::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    if (proxy_.rowCount() > 0) {
        return;
    }
    QPainter painter(viewport());
    painter.setPen(theme().mutedText);
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     model_.runCount() == 0 ? "No runs yet: press Run" : "No run matches the filter");
}

}  // namespace highwater::widgets

#include "moc_runs_view.cpp"
