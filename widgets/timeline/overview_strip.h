#pragma once

#include <QWidget>
#include <memory>

#include "widgets/timeline/timeline_layout.h"

namespace highwater::widgets {

/// The whole trace as a low silhouette with the visible range marked. Press or drag to move there.
class OverviewStrip : public QWidget {
    Q_OBJECT
public:
    explicit OverviewStrip(QWidget* parent = nullptr);
    void setIndex(std::shared_ptr<const TraceIndex> index);
    void setRange(const TimelineRange& range);
    /// The left and right margin of the timeline above, so that both are aligned.
    void setMargins(int left, int right);
    QSize sizeHint() const override { return {300, 38}; }
    QSize minimumSizeHint() const override { return {60, 38}; }

signals:
    void rangeRequested(const highwater::widgets::TimelineRange& range);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    QRect plot() const;
    void draw();
    void goTo(double pixel);
    std::shared_ptr<const TraceIndex> index_;
    TimelineRange range_;
    QPixmap picture_;
    TimelineAxis drawn_ = TimelineAxis::Time;
    int left_ = 52, right_ = 12;
};

}  // namespace highwater::widgets
