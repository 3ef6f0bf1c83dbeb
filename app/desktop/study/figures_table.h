#pragma once

#include <QTableWidget>

#include "app/desktop/study/interval_chart.h"
#include "app/desktop/study/study_values.h"

namespace highwater::desktop {

/// The figures of a claim: the quantity, the experiment, median, 95 % interval, repeats. The table is as high
/// as its rows.
class FiguresTable : public QTableWidget {
    Q_OBJECT
public:
    enum ColumnOf { Quantity, Of, Median, Spread, Repeats, kColumns };
    explicit FiguresTable(QWidget* parent = nullptr);
    void setFigures(const std::vector<ClaimFigure>& figures);

private:
    void fitHeight();
};

/// The same figures as bars: a section for each quantity with its unit.
std::vector<IntervalSection> figureSections(const std::vector<ClaimFigure>& figures);

}  // namespace highwater::desktop
