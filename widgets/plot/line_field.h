#pragma once

#include <QColor>
#include <QImage>
#include <vector>

#include "widgets/plot/chart_scene.h"

class QPainter;

namespace highwater::widgets {

/// Many lines through the same vertical axes: parallel coordinates. On the screen they are drawn as a density
/// (the more lines pass, the stronger the color), because thousands of lines would take QPainter a tenth of a
/// second. A few lines, and all lines in a vector file, are drawn one by one.
class LineField {
public:
    /// `x`: positions of the axes on the x axis, ascending. `y`: the lines one after the other, one value of
    /// the y axis for each of `x`; NaN leaves a gap. Dotted lines skip every other few pixels.
    LineField(std::vector<double> x, std::vector<float> y, QColor color, bool dotted = false);

    std::size_t lines() const { return x_.empty() ? 0 : y_.size() / x_.size(); }
    const QColor& color() const { return color_; }
    /// Makes the pixels that paint() will need, unless they exist already. May be called on any thread, as
    /// long as nothing else uses this field meanwhile. `ratio`: device pixels per logical pixel.
    void prepare(const PlotFrame& frame, double ratio) const;
    /// `shapes`: draws lines instead of pixels, for a vector file.
    void paint(QPainter& painter, const PlotFrame& frame, bool shapes) const;

private:
    void paintLines(QPainter& painter, const PlotFrame& frame) const;
    QImage image(const QSize& size, double ratio, const PlotFrame& frame) const;
    std::vector<double> x_;
    std::vector<float> y_;
    QColor color_;
    bool dotted_;
    mutable QImage image_;  ///< as last painted
    mutable AxisSpan imageX_, imageY_;
};

}  // namespace highwater::widgets
