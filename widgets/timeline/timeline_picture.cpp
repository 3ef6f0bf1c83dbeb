#include "widgets/timeline/timeline_picture.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

using memory::kCategoryCount;

constexpr double kBandInk = 0.86;   // opacity of a band's color over the panel
constexpr double kPaleInk = 0.24;   // opacity of what is not highlighted
constexpr double kGrownPixels = 9;  // from this size on, a block has its full shade and edges
constexpr int kShades = 5;

QRgb mix(QRgb a, QRgb b, double share) {
    const int weight = static_cast<int>(share * 256 + 0.5);
    const auto part = [weight](int x, int y) { return x + ((y - x) * weight + 128) / 256; };
    return qRgb(part(qRed(a), qRed(b)), part(qGreen(a), qGreen(b)), part(qBlue(a), qBlue(b)));
}

/// Draws rectangles directly into the image: a full view has more of them than QPainter can draw in a frame.
class Canvas {
public:
    explicit Canvas(QImage& image)
        : bits_(reinterpret_cast<QRgb*>(image.bits())),
          stride_(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb))),
          width_(image.width()),
          height_(image.height()) {}

    int height() const { return height_; }

    /// [left, right) x [top, bottom), clipped to the image.
    void fill(int left, int right, int top, int bottom, QRgb color) {
        left = std::max(left, 0);
        right = std::min(right, width_);
        top = std::max(top, 0);
        bottom = std::min(bottom, height_);
        if (left >= right) {
            return;
        }
        for (int y = top; y < bottom; ++y) {
            QRgb* row = bits_ + y * stride_;
            std::fill(row + left, row + right, color);
        }
    }

private:
    QRgb* bits_;
    qsizetype stride_;
    int width_, height_;
};

class Painter {
public:
    Painter(const TraceIndex& index, TimelinePicture& picture, double scale, const TimelineFocus& focus)
        : index_(index), picture_(picture), canvas_(picture.image), scale_(scale), focus_(focus) {
        const Theme& t = theme();
        ground_ = t.panel.rgb();
        edge_ = t.dark ? qRgb(0, 0, 0) : t.panel.rgb();
        for (std::size_t c = 0; c < kCategoryCount; ++c) {
            for (const bool pale : {false, true}) {
                const QRgb full = mix(ground_, t.category[c].rgb(), kBandInk);
                inks_[c][pale] = pale ? mix(ground_, full, kPaleInk) : full;
            }
        }
    }

    void bands() {
        picture_.image.fill(ground_);
        std::array<int, kCategoryCount> tops{}, before{};
        int begun = 0;
        for (int c = 0; c <= picture_.width(); ++c) {
            const bool end = c == picture_.width();
            const auto column = static_cast<std::size_t>(c);
            if (!end && (c == 0 || picture_.bands[column] != picture_.bands[column - 1])) {
                for (std::size_t k = 0; k < kCategoryCount; ++k) {
                    tops[k] = pixel(picture_.bands[column][k]);
                }
            }
            if (c > 0 && (end || tops != before)) {
                stack(begun, c, before);
                begun = c;
            }
            before = tops;
        }
    }

    void blocks() {
        for (const BlockCell& cell : picture_.layout.cells) {
            block(cell);
        }
    }

private:
    int pixel(base::Bytes bytes) const {
        const double y = picture_.pixelY(static_cast<double>(bytes));
        return static_cast<int>(std::lround(std::clamp(y, -1.0, canvas_.height() + 1.0)));
    }

    void stack(int left, int right, const std::array<int, kCategoryCount>& tops) {
        int bottom = pixel(0);
        for (std::size_t c = 0; c < kCategoryCount; ++c) {
            canvas_.fill(left, right, tops[c], bottom, inks_[c][focus_.any()]);
            bottom = tops[c];
        }
    }

    void block(const BlockCell& cell) {
        const Span& span = index_.spans()[cell.span];
        const base::Bytes bytes = index_.bytes(span.block);
        const int bottom = pixel(cell.bottom), top = pixel(cell.bottom + bytes);
        const bool pale = focus_.any() && !focus_.on(span.layer);
        const QRgb ink = inks_[static_cast<std::size_t>(span.category)][pale];
        // A block that is just large enough looks like its band, so that it does not pop up while zooming.
        const double columns =
            (index_.begin(picture_.range.axis, span.end) - index_.begin(picture_.range.axis, span.begin)) /
            (picture_.range.to - picture_.range.from) * picture_.width();
        const double height = picture_.pixelY(0) - picture_.pixelY(static_cast<double>(bytes));
        const double grown = std::clamp((std::min(columns, height) / scale_ - 2) / kGrownPixels, 0.0, 1.0);
        const int shade = static_cast<int>(span.block * 2654435761U >> 16) % kShades;
        const double light = (shade - kShades / 2) * 0.055 * grown * (pale ? 0.35 : 1.0);
        const QRgb color = light < 0 ? mix(ink, qRgb(0, 0, 0), -light) : mix(ink, qRgb(255, 255, 255), light);
        canvas_.fill(cell.left, cell.right, top, bottom, color);
        const int line = std::max(1, static_cast<int>(std::lround(scale_)));
        const QRgb edge = mix(color, edge_, 0.45 * grown * (pale ? 0.5 : 1.0));
        if (bottom - top > 2 * line) {
            canvas_.fill(cell.left, cell.right, top, top + line, edge);
        }
        if (cell.begins && columns > 3 * line) {
            canvas_.fill(cell.left, cell.left + line, top, bottom, edge);
        }
    }

    const TraceIndex& index_;
    TimelinePicture& picture_;
    Canvas canvas_;
    double scale_;
    TimelineFocus focus_;
    QRgb ground_ = 0, edge_ = 0;
    std::array<std::array<QRgb, 2>, kCategoryCount> inks_{};
};

}  // namespace

const BlockCell* TimelinePicture::cellAt(const TraceIndex& index, int x, double y) const {
    for (const BlockCell& cell : layout.cells) {
        if (x < cell.left || x >= cell.right) {
            continue;
        }
        const auto bytes = static_cast<double>(index.bytes(index.spans()[cell.span].block));
        const double bottom = pixelY(static_cast<double>(cell.bottom));
        if (y < bottom && y >= bottom - bytes / (range.high - range.low) * image.height()) {
            return &cell;
        }
    }
    return nullptr;
}

std::vector<BlockPlace> blockPlaces(const TraceIndex& index, const TimelinePicture& picture,
                                    double leastWidth, double leastHeight) {
    std::vector<BlockPlace> places;
    std::unordered_map<std::uint32_t, std::size_t> newest;
    const double pixels = picture.image.height() / (picture.range.high - picture.range.low);
    for (const BlockCell& cell : picture.layout.cells) {
        const double height = static_cast<double>(index.bytes(index.spans()[cell.span].block)) * pixels;
        if (height < leastHeight) {
            continue;
        }
        const QRectF area(cell.left, picture.pixelY(static_cast<double>(cell.bottom)) - height,
                          cell.right - cell.left, height);
        const auto [at, fresh] = newest.try_emplace(cell.span, places.size());
        if (!fresh) {
            QRectF& before = places[at->second].area;
            if (before.right() == area.left() && std::abs(before.top() - area.top()) <= 1) {
                before.setRight(area.right());
                continue;
            }
            at->second = places.size();
        }
        places.push_back({cell.span, area});
    }
    std::erase_if(places, [leastWidth](const BlockPlace& place) { return place.area.width() < leastWidth; });
    return places;
}

QPolygonF spanOutline(const TraceIndex& index, const TimelinePicture& picture, std::uint32_t span) {
    const double height = static_cast<double>(index.bytes(index.spans()[span].block)) *
                          picture.image.height() / (picture.range.high - picture.range.low);
    QPolygonF top, bottom;
    for (const BlockCell& cell : picture.layout.cells) {
        if (cell.span == span) {
            const double y = picture.pixelY(static_cast<double>(cell.bottom));
            for (const int x : {cell.left, cell.right}) {
                top << QPointF(x, y - height);
                bottom << QPointF(x, y);
            }
        }
    }
    std::reverse(bottom.begin(), bottom.end());
    return top + bottom;
}

void blend(QImage& image, const QRect& area, const QColor& color, double share) {
    const QRect cut = area & QRect(0, 0, image.width(), image.height());
    const QRgb ink = color.rgb();
    auto* bits = reinterpret_cast<QRgb*>(image.bits());
    const auto stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    for (int y = cut.top(); y <= cut.bottom(); ++y) {
        for (int x = cut.left(); x <= cut.right(); ++x) {
            bits[y * stride + x] = mix(bits[y * stride + x], ink, share);
        }
    }
}

TimelinePicture paintTimeline(const TraceIndex& index, const TimelineRange& range, const QSize& size,
                              double scale, const TimelineFocus& focus) {
    TimelinePicture picture;
    picture.range = range;
    picture.image = QImage(size.expandedTo(QSize(1, 1)), QImage::Format_RGB32);
    picture.columns = timelineColumns(index, range.axis, range.from, range.to, picture.image.width());
    picture.bands = columnBands(index, picture.columns);
    BlockFloor floor;
    floor.heightPixels *= scale;
    floor.widthPixels *= scale;
    picture.layout =
        layoutBlocks(index, range, picture.columns, picture.bands, picture.image.height(), floor);
    Painter painter(index, picture, scale, focus);
    painter.bands();
    painter.blocks();
    return picture;
}

}  // namespace highwater::widgets
