#pragma once

#include <QImage>
#include <QPolygonF>

#include "widgets/timeline/timeline_layout.h"

namespace highwater::widgets {

/// The highlighted layers. All others are drawn pale.
struct TimelineFocus {
    std::vector<bool> layers;  ///< one entry per layer; empty: everything in full color
    bool any() const { return !layers.empty(); }
    bool on(int layer) const { return layer >= 0 && any() && layers[static_cast<std::size_t>(layer)]; }
};

/// A drawn view: the bands of the categories, and the blocks on them. It is cached until the view changes, so
/// that moving the pointer does not redraw it.
struct TimelinePicture {
    TimelineRange range;
    std::vector<TimelineColumn> columns;  ///< one for each device pixel
    std::vector<BandEnds> bands;          ///< one for each column
    BlockLayout layout;
    QImage image;

    int width() const { return static_cast<int>(columns.size()); }
    /// The distance from the top, in device pixels, of a height in the stack. It may be outside the image.
    double pixelY(double bytes) const {
        return (range.high - bytes) / (range.high - range.low) * image.height();
    }
    double bytesAt(double y) const { return range.high - y / image.height() * (range.high - range.low); }
    /// The cell under a device pixel.
    const BlockCell* cellAt(const TraceIndex& index, int x, double y) const;
};

/// The adjacent cells of a block at one height (up to one pixel), as one rectangle in device pixels.
struct BlockPlace {
    std::uint32_t span = 0;
    QRectF area;
};
/// The rectangles of the blocks that are at least this high and this wide.
std::vector<BlockPlace> blockPlaces(const TraceIndex& index, const TimelinePicture& picture,
                                    double leastWidth, double leastHeight);
/// The outline of a span, around all of its cells.
QPolygonF spanOutline(const TraceIndex& index, const TimelinePicture& picture, std::uint32_t span);

/// Fills [left, right) x [top, bottom) of a picture, in device pixels, with a color of opacity `share`.
/// (QPainter passes each translucent rectangle to a thread pool, which takes longer than a frame if there are
/// many.)
void blend(QImage& image, const QRect& area, const QColor& color, double share);

/// `size` is in device pixels, `scale` in device pixels per logical pixel. The colors are those of the
/// current theme.
TimelinePicture paintTimeline(const TraceIndex& index, const TimelineRange& range, const QSize& size,
                              double scale, const TimelineFocus& focus = {});

}  // namespace highwater::widgets
