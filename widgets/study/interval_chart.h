#pragma once

#include <QWidget>

#include "widgets/study/axis.h"
#include "widgets/study/study_values.h"

namespace highwater::widgets {

/// A bar from 0 to a value, with the 95 % interval of the value.
struct IntervalBar {
    QString label;
    base::Interval value;
    QColor colour = {};  ///< invalid: the theme's accent colour is used
    bool faded = false;  ///< the value lies within the noise
    QString text = {};   ///< the figure, at the right end
    QString tip = {};
    bool operator==(const IntervalBar&) const = default;
};

/// A group of bars on one axis. `unit` is as in ClaimFigure, or "%": the values are then changes in percent.
struct IntervalSection {
    QString title;
    QString unit;
    std::vector<IntervalBar> bars;
    bool operator==(const IntervalSection&) const = default;
};

/// The span from the smallest to the largest value of the bars, including 0 and the intervals.
AxisSpan spanOf(const IntervalSection& section);

/// Horizontal bars from 0 with whiskers, and one axis for each section. It is as high as its bars need.
class IntervalChart : public QWidget {
    Q_OBJECT
public:
    explicit IntervalChart(QWidget* parent = nullptr);
    void setSections(std::vector<IntervalSection> sections);
    const std::vector<IntervalSection>& sections() const { return sections_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// The place of a bar of a section, without its whisker.
    QRectF barRect(std::size_t section, std::size_t bar) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Place;
    std::vector<Place> places() const;
    void paintSection(QPainter& painter, const Place& place) const;
    void paintAxis(QPainter& painter, const Place& place) const;
    void paintBar(QPainter& painter, const Place& place, std::size_t bar) const;
    std::vector<IntervalSection> sections_;
};

}  // namespace highwater::widgets
