#pragma once

#include <QWidget>
#include <memory>

#include "widgets/plot/ticks.h"
#include "widgets/study/study_values.h"

class QMenu;

namespace highwater::widgets {

/// A bar with the 95 % interval of its end.
struct IntervalBar {
    QString label;
    base::Interval value;
    QColor colour = {};  ///< invalid: the accent
    bool faded = false;  ///< within the noise
    QString text = {};   ///< at the right end: the figure
    QString tip = {};
    bool operator==(const IntervalBar&) const = default;
};

/// Bars on one axis. `unit` as ClaimFigure's, or "%": values are then changes in percent.
struct IntervalSection {
    QString title;
    QString unit;
    std::vector<IntervalBar> bars;
    bool operator==(const IntervalSection&) const = default;
};

/// From the least to the greatest value of the bars, 0 and the intervals included.
AxisSpan spanOf(const IntervalSection& section);

/// Horizontal bars from 0 with whiskers, one axis a section. As high as its bars need. Each section zooms
/// (with Ctrl and the wheel: the wheel alone scrolls the page) and moves along its axis.
class IntervalChart : public QWidget {
    Q_OBJECT
public:
    explicit IntervalChart(QWidget* parent = nullptr);
    void setSections(std::vector<IntervalSection> sections);
    const std::vector<IntervalSection>& sections() const { return sections_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Where the bar (not its whisker) of a section lies.
    QRectF barRect(std::size_t section, std::size_t bar) const;
    /// All bars with their intervals, each with its unit.
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

}  // namespace highwater::widgets
