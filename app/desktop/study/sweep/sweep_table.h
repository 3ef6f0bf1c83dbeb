#pragma once

#include <QTableView>

#include "app/desktop/study/sweep/sweep_link.h"

namespace highwater::desktop {

class SweepModel;

/// The table of cells. A click selects a cell in all views; a double-click or Return requests its run. A
/// click on a heading sorts; the order is kept while the sweep is running.
class SweepTable : public QTableView {
    Q_OBJECT
public:
    explicit SweepTable(SweepLink& link, QWidget* parent = nullptr);
    /// Groups the rows by the values of this axis; -1: not grouped.
    void setGroup(int axis);
    int group() const;
    SweepModel& model() { return *model_; }

protected:
    bool viewportEvent(QEvent* event) override;

private:
    void fitColumns();
    void showCurrent(bool scroll);
    SweepLink& link_;
    SweepModel* model_;
    bool resetting_ = false, fitted_ = false;
};

}  // namespace highwater::desktop
