#pragma once

#include <QWidget>

#include "app/desktop/study/sweep/sweep_setup.h"
#include "app/desktop/study/sweep/sweep_views.h"

class QLabel;
class QSplitter;
class QStackedWidget;

namespace highwater::desktop {

class StudyStrip;

/// A sweep: its setup on the left, its cells on the right. It emits requests and runs nothing itself.
class SweepPanel : public QWidget {
    Q_OBJECT
public:
    explicit SweepPanel(QWidget* parent = nullptr);
    SweepSetup& setup() { return *setup_; }
    SweepViews& views() { return *views_; }
    QSplitter& splitter() { return *splitter_; }
    void setState(const StudyState& state);
    void setRows(SweepRows rows);
    /// Sets the text shown instead of cells: why there are none. If empty, it says how to begin.
    void setMessage(const QString& message, bool bad = false);
    QString message() const;  ///< empty while cells are shown

signals:
    void cancelRequested();

private:
    StudyStrip* strip_;
    SweepSetup* setup_;
    SweepViews* views_;
    QLabel* message_;
    QStackedWidget* right_;
    QSplitter* splitter_;
};

}  // namespace highwater::desktop
