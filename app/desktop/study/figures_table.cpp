#include "app/desktop/study/figures_table.h"

#include <QHeaderView>
#include <QScrollBar>
#include <algorithm>

#include "app/desktop/study/study_words.h"
#include "widgets/controls/table_actions.h"
#include "widgets/theme/flat_cells.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr const char* kNoFigure = "—";

QString nameOf(const ClaimFigure& figure) {
    return figure.at.isEmpty() ? figure.label : figure.label + ", " + figure.at;
}

QStringList cellsOf(const ClaimFigure& f) {
    const bool known = f.value.n > 0;
    const QString spread = spreadText(f.value, f.unit);
    return {f.quantity, nameOf(f), known ? figureText(f.value.median, f.unit) : kNoFigure,
            !spread.isEmpty() ? spread
            : f.value.n > 1   ? QObject::tr("the same each time")
                              : QString(kNoFigure),
            known ? QString::number(f.value.n) : kNoFigure};
}

}  // namespace

FiguresTable::FiguresTable(QWidget* parent) : QTableWidget(0, kColumns, parent) {
    widgets::makeFlat(*this);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFocusPolicy(Qt::NoFocus);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Figures of the claim"));
    setHorizontalHeaderLabels({tr("what"), tr("of"), tr("median"), tr("95 % interval"), tr("repeats")});
    for (int column = 0; column < kColumns; ++column) {
        horizontalHeaderItem(column)->setTextAlignment((column < Median ? Qt::AlignLeft : Qt::AlignRight) |
                                                       Qt::AlignVCenter);
    }
    for (const int column : {Quantity, Median, Spread, Repeats}) {
        horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    }
    horizontalHeader()->setSectionResizeMode(Of, QHeaderView::Stretch);
    horizontalHeader()->setMinimumSectionSize(90);  // if there is too little room, the table scrolls
    widgets::offerTable(*this);
    connect(horizontalScrollBar(), &QScrollBar::rangeChanged, this, &FiguresTable::fitHeight);
    fitHeight();
}

void FiguresTable::setFigures(const std::vector<ClaimFigure>& figures) {
    setRowCount(static_cast<int>(figures.size()));
    QString before;
    for (int row = 0; row < rowCount(); ++row) {
        QStringList cells = cellsOf(figures[static_cast<std::size_t>(row)]);
        const QString quantity = cells[Quantity];
        if (quantity == std::exchange(before, quantity)) {
            cells[Quantity].clear();  // written once per group
        }
        for (int column = 0; column < kColumns; ++column) {
            auto* cell = new QTableWidgetItem(cells[column]);
            cell->setToolTip(cells[column]);
            if (column >= Median) {
                cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            }
            setItem(row, column, cell);
        }
    }
    fitHeight();
}

/// With room for the horizontal scroll bar, if the table is narrow.
void FiguresTable::fitHeight() {
    const int bar = horizontalScrollBar()->maximum() > 0 ? horizontalScrollBar()->sizeHint().height() : 0;
    setFixedHeight(horizontalHeader()->sizeHint().height() +
                   rowCount() * verticalHeader()->defaultSectionSize() + bar + 2);
}

std::vector<IntervalSection> figureSections(const std::vector<ClaimFigure>& figures) {
    std::vector<IntervalSection> sections;
    for (const ClaimFigure& f : figures) {
        if (f.value.n == 0) {
            continue;
        }
        const QString title = f.label.contains(" / ") ? QObject::tr("%1, ratio").arg(f.quantity) : f.quantity;
        auto at = std::find_if(sections.begin(), sections.end(), [&](const IntervalSection& section) {
            return section.title == title && section.unit == f.unit;
        });
        if (at == sections.end()) {
            at = sections.insert(at, {title, f.unit, {}});
        }
        const QString spread = spreadText(f.value, f.unit);
        const QString median = figureText(f.value.median, f.unit);
        at->bars.push_back({nameOf(f),
                            f.value,
                            {},
                            false,
                            median,
                            nameOf(f) + ": " + median + (spread.isEmpty() ? "" : " (" + spread + ")")});
    }
    return sections;
}

}  // namespace highwater::desktop

#include "moc_figures_table.cpp"
