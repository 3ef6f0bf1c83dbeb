#pragma once

#include <QImage>
#include <QPolygonF>
#include <optional>

#include "widgets/timeline/timeline_layout.h"

namespace highwater::widgets {

/// What stands out from the rest, which is drawn pale.
struct TimelineFocus {
    std::vector<bool> layers;  ///< by layer; empty: everything in full colour
    bool any() const { return !layers.empty(); }
    bool on(int layer) const { return layer >= 0 && any() && layers[static_cast<std::size_t>(layer)]; }
};

/// A drawn view: bands of categories, and on them the blocks. Kept until the view changes, so that moving the
/// pointer costs nothing.
struct TimelinePicture {
    TimelineRange range;
    std::vector<TimelineColumn> columns;  ///< one a device pixel
    std::vector<BandEnds> bands;          ///< of each column
    BlockLayout layout;
    QImage image;

    int width() const { return static_cast<int>(columns.size()); }
    /// Device pixels from the top at which a height in the stack lies; may be outside of the image.
    double pixelY(double bytes) const {
        return (range.high - bytes) / (range.high - range.low) * image.height();
    }
    double bytesAt(double y) const { return range.high - y / image.height() * (range.high - range.low); }
    /// The cell under a device pixel.
    const BlockCell* cellAt(const TraceIndex& index, int x, double y) const;
};

/// The cells of a block that lie side by side at one height (but for a pixel), as one rectangle in device
/// pixels.
struct BlockPlace {
    std::uint32_t span = 0;
    QRectF area;
};
/// Of the blocks at least that high and then at least that wide.
std::vector<BlockPlace> blockPlaces(const TraceIndex& index, const TimelinePicture& picture,
                                    double leastWidth, double leastHeight);
/// A span's outline, across all of its cells.
QPolygonF spanOutline(const TraceIndex& index, const TimelinePicture& picture, std::uint32_t span);

/// Lines over a picture, `share` of the colour, [left, right) x [top, bottom) in device pixels. (QPainter
/// hands each translucent rectangle to a pool of threads, which takes longer than a frame where there are
/// many.)
void blend(QImage& image, const QRect& area, const QColor& colour, double share);

/// `size` and `scale` in device pixels. The colours are the theme's in force.
TimelinePicture paintTimeline(const TraceIndex& index, const TimelineRange& range, const QSize& size,
                              double scale, const TimelineFocus& focus = {});

}  // namespace highwater::widgets
