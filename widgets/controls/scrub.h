#pragma once

#include <QObject>
#include <QPointF>
#include <QTimer>
#include <functional>

class QAbstractSpinBox;
class QLabel;

namespace highwater::widgets {

class CheckedEdit;

/// Makes the label of a field a handle: dragging it sideways changes the value, one step for every six pixels
/// (with Shift, every twenty-four). Steps are applied at most once per frame, however often the mouse
/// reports.
class Scrub : public QObject {
    Q_OBJECT
public:
    Scrub(QLabel* label, std::function<void(int steps)> step);
    static void attach(QLabel* label, QAbstractSpinBox* field);
    static void attach(QLabel* label, CheckedEdit* field);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply();
    QLabel* label_;
    std::function<void(int)> step_;
    QTimer frame_;
    bool dragging_ = false;
    double lastX_ = 0, rest_ = 0;
    int due_ = 0;
};

}  // namespace highwater::widgets
