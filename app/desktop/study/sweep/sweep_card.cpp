#include "app/desktop/study/sweep/sweep_card.h"

#include <QObject>

#include "widgets/plot/plot_menu.h"

namespace highwater::desktop {

widgets::HoverCard sweepCard(const SweepRows& rows, const SweepCell& cell) {
    widgets::HoverCard card;
    card.title = cell.name;
    card.note = cell.state == CellState::Done && cell.repeats > 1
                    ? QObject::tr("measured, %1 runs").arg(cell.repeats)
                    : stateText(cell);
    for (std::size_t column = rows.axes.size(); column < rows.columns(); ++column) {
        if (!std::isnan(rows.coordinate(cell, column))) {
            card.rows.push_back({{}, rows.columnTitle(column), rows.text(cell, column)});
        }
    }
    return card;
}

QString sweepData(const SweepRows& rows, const std::vector<int>& cells) {
    static const char* const kUnits[kSweepFigures] = {"bytes", "ms", "1/s", ""};
    QStringList head;
    for (std::size_t column = 0; column < rows.columns(); ++column) {
        head << rows.columnTitle(column);
        if (!rows.isAxis(column)) {
            const QString unit = kUnits[column - rows.axes.size()];
            head.back() += unit.isEmpty() ? QString() : " (" + unit + ')';
            head << QObject::tr("estimated");
        }
    }
    std::vector<QStringList> table = {head << QObject::tr("state")};
    for (const int c : cells) {
        const SweepCell& cell = rows.cells[static_cast<std::size_t>(c)];
        QStringList line;
        for (std::size_t column = 0; column < rows.columns(); ++column) {
            if (rows.isAxis(column)) {
                line << rows.text(cell, column);
                continue;
            }
            const double value = rows.coordinate(cell, column);
            line << (std::isnan(value) ? QString() : widgets::exactly(value))
                 << (std::isnan(value)              ? ""
                     : rows.estimated(cell, column) ? "yes"
                                                    : "no");
        }
        table.push_back(line << stateText(cell));
    }
    return widgets::tabbed(table);
}

}  // namespace highwater::desktop
