#pragma once

#include <QColor>
#include <QImage>
#include <vector>

#include "widgets/plot/chart_scene.h"

class QPainter;

namespace highwater::widgets {

/// Many lines through the same upright axes: parallel coordinates. As pixels they are drawn as a density,
/// because thousands of lines would take a painter a tenth of a second: the more lines pass, the stronger
/// the color. A few lines, and those of a file of shapes, are drawn one by one.
class LineField {
public:
    /// `x`: places of the axes on the x axis, ascending. `y`: the lines one after the other, a value of the y
    /// axis for each of `x`; NaN leaves a gap. Dotted lines have the color every other few pixels.
    LineField(std::vector<double> x, std::vector<float> y, QColor color, bool dotted = false);

    std::size_t lines() const { return x_.empty() ? 0 : y_.size() / x_.size(); }
    const QColor& color() const { return color_; }
    /// Makes the pixels that paint() will need, if they are not made yet; on any thread, as long as nothing
    /// else is done with this field meanwhile. `ratio`: pixels of the device for each logical pixel.
    void prepare(const PlotFrame& frame, double ratio) const;
    /// `shapes`: lines instead of pixels, for a file.
    void paint(QPainter& painter, const PlotFrame& frame, bool shapes) const;

private:
    void paintLines(QPainter& painter, const PlotFrame& frame) const;
    QImage image(const QSize& size, double ratio, const PlotFrame& frame) const;
    std::vector<double> x_;
    std::vector<float> y_;
    QColor color_;
    bool dotted_;
    mutable QImage image_;  ///< as it was painted last
    mutable AxisSpan imageX_, imageY_;
};

}  // namespace highwater::widgets
