#pragma once

#include <QSlider>

namespace highwater::desktop {

/// A slider with a position for each plan. A press goes straight to the nearest plan; the arrow keys go from
/// plan to plan, Home and End to the first and the last.
class PlanSlider : public QSlider {
    Q_OBJECT
public:
    explicit PlanSlider(QWidget* parent = nullptr);
    /// The position of a plan's handle.
    QPointF placeOf(int value) const;
    QSize sizeHint() const override { return {200, 26}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    int valueAt(double x) const;
};

}  // namespace highwater::desktop
