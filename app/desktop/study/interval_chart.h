#pragma once

#include <QWidget>
#include <memory>

#include "app/desktop/study/study_values.h"
#include "widgets/plot/ticks.h"

class QMenu;

namespace highwater::desktop {

/// A bar from 0 to a value, with the 95 % interval of the value.
struct IntervalBar {
    QString label;
    base::Interval value;
    QColor color = {};   ///< invalid: the theme's accent color
    bool faded = false;  ///< the value is within the measurement noise
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
widgets::AxisSpan spanOf(const IntervalSection& section);

/// Horizontal bars from 0 with whiskers, and one axis for each section. It is as high as its bars need. Each
/// section zooms and moves along its own axis. Zooming needs Ctrl and the wheel, because the wheel alone
/// scrolls the page around the chart.
class IntervalChart : public QWidget {
    Q_OBJECT
public:
    explicit IntervalChart(QWidget* parent = nullptr);
    void setSections(std::vector<IntervalSection> sections);
    const std::vector<IntervalSection>& sections() const { return sections_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// The rectangle of a bar of a section, without its whisker.
    QRectF barRect(std::size_t section, std::size_t bar) const;
    /// All bars with their intervals and units as a table for the clipboard (see tabbed()).
    QString data() const;
    std::unique_ptr<QMenu> contextMenu();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    class Section;
    struct Place;
    std::vector<Place> places() const;
    void arrange();
    std::vector<IntervalSection> sections_;
    std::vector<Section*> charts_;  ///< a child for each section
};

}  // namespace highwater::desktop
