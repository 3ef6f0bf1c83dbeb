#pragma once

#include <QTableView>

#include "app/desktop/study/sweep/sweep_link.h"

namespace highwater::desktop {

class SweepModel;

/// The table of cells. A click chooses a cell everywhere; a double click or Return asks for its run. A click
/// on a heading sorts; the order is kept while the sweep fills.
class SweepTable : public QTableView {
    Q_OBJECT
public:
    explicit SweepTable(SweepLink& link, QWidget* parent = nullptr);
    /// Rows under a row for each value of this axis; -1: not grouped.
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
