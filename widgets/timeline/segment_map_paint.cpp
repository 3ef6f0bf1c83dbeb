#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "widgets/plot/memory_scene.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/stack_groups.h"

namespace highwater::widgets {

namespace {

constexpr double kNamed = 46, kDivided = 4;  // px: minimum width of a block with a name, of one with an edge

QRgb mixed(const QColor& a, const QColor& b, float share) {
    const auto part = [share](int x, int y) {
        return static_cast<int>(std::lround(static_cast<float>(x) + static_cast<float>(y - x) * share));
    };
    return qRgb(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

}  // namespace

void SegmentMapView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    if (!map_) {
        painter.fillRect(viewport()->rect(), theme().window);
        return;
    }
    if (stale_ || picture_.devicePixelRatio() != devicePixelRatioF()) {
        draw();
    }
    painter.drawImage(QPoint(0, 0), picture_);
    paintWords(painter);
    if (hovered_ && hovered_ != selected_) {
        paintOutline(painter, *hovered_, theme().mutedText, 1);
    }
    if (selected_) {
        paintOutline(painter, *selected_, theme().text, 2);
    }
}

/// Draws the bars of the visible rows.
void SegmentMapView::draw() {
    const double scale = devicePixelRatioF();
    picture_ = QImage((QSizeF(viewport()->size()) * scale).toSize(), QImage::Format_RGB32);
    picture_.fill(theme().window);
    named_.clear();
    const int first = std::max(0, verticalScrollBar()->value() / row_ - 1);
    const int last = std::min(static_cast<int>(rows_.size()),
                              (verticalScrollBar()->value() + viewport()->height()) / row_ + 1);
    for (int row = first; row < last; ++row) {
        drawRow(picture_, static_cast<std::size_t>(row));
    }
    picture_.setDevicePixelRatio(scale);
    stale_ = false;
}

void SegmentMapView::drawRow(QImage& image, std::size_t row) {
    const double scale = devicePixelRatioF();
    const QRectF bar = barOf(row);
    const MapSegment& segment = map_->segments[rows_[row]];
    const int left = static_cast<int>(std::lround(std::max<double>(kLeft, bar.left()) * scale));
    const int right = std::min(
        image.width(),
        static_cast<int>(std::lround(std::min<double>(bar.right(), viewport()->width() - kRight) * scale)));
    const int top = std::max(0, static_cast<int>(std::lround(bar.top() * scale)));
    const int bottom = std::min(image.height(), static_cast<int>(std::lround(bar.bottom() * scale)));
    if (right <= left || bottom <= top) {
        return;
    }
    const auto pixels =
        pixelsOf(*map_, segment, byteAt(segment, left / scale), byteAt(segment, right / scale), right - left);
    const QColor free = mapColor(MapBlock::State::Free), used = mapColor(MapBlock::State::Allocated),
                 waits = mapColor(MapBlock::State::Waiting);
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(top)) + left;
    for (std::size_t x = 0; x < pixels.size(); ++x) {
        const QColor below(mixed(free, used, std::min(1.0F, pixels[x].allocated)));
        line[x] = mixed(below, waits, std::min(1.0F, pixels[x].waiting));
    }
    drawEdges(std::span(line, pixels.size()), left, row);
    for (int y = top + 1; y < bottom; ++y) {
        std::copy_n(line, right - left, reinterpret_cast<QRgb*>(image.scanLine(y)) + left);
    }
}

/// Draws the edges and names of blocks that are wide enough.
void SegmentMapView::drawEdges(std::span<QRgb> line, int left, std::size_t row) {
    const double scale = devicePixelRatioF();
    const QRectF bar = barOf(row);
    const MapSegment& segment = map_->segments[rows_[row]];
    const double perByte = bar.width() / static_cast<double>(std::max<base::Bytes>(1, segment.size));
    const std::uint32_t end = segment.first + segment.count;
    for (std::uint32_t block = firstBlockAfter(*map_, segment, byteAt(segment, left / scale)); block < end;
         ++block) {
        const MapBlock& each = map_->blocks[block];
        const double width = static_cast<double>(each.size) * perByte;
        if (width < kDivided) {
            continue;
        }
        const double at = bar.left() + static_cast<double>(each.offset) * perByte;
        const auto x = static_cast<std::ptrdiff_t>(std::llround(at * scale)) - left;
        if (x >= static_cast<std::ptrdiff_t>(line.size())) {
            break;
        }
        if (x > 0) {
            QRgb& edge = line[static_cast<std::size_t>(x)];
            edge = mixed(QColor(edge), theme().window, 0.75F);
        }
        if (width >= kNamed) {
            named_.push_back(block);
        }
    }
}

/// Draws the segments' sizes on the left, and the names of the wide blocks in them.
void SegmentMapView::paintWords(QPainter& painter) const {
    const Theme& t = theme();
    painter.setFont(smallFont(font()));
    const QFontMetricsF metrics(painter.font());
    for (int row = std::max(0, rowAt(kTop + 1.0)); row < static_cast<int>(rows_.size()); ++row) {
        const QRectF bar = barOf(static_cast<std::size_t>(row));
        if (bar.top() > viewport()->height()) {
            break;
        }
        const MapSegment& segment = map_->segments[rows_[static_cast<std::size_t>(row)]];
        const double used = segment.size > 0 ? 100.0 * static_cast<double>(segment.allocated) /
                                                   static_cast<double>(segment.size)
                                             : 0;
        painter.setPen(t.text);
        painter.drawText(QRectF(10, bar.top(), 66, bar.height()), Qt::AlignRight | Qt::AlignVCenter,
                         bytesText(segment.size));
        painter.setPen(t.mutedText);
        painter.drawText(QRectF(80, bar.top(), kLeft - 88, bar.height()), Qt::AlignRight | Qt::AlignVCenter,
                         tr("%1 % used").arg(used, 0, 'f', 0));
    }
    paintNames(painter, metrics);
    painter.setFont(font());
}

void SegmentMapView::paintNames(QPainter& painter, const QFontMetricsF& metrics) const {
    const Theme& t = theme();
    for (const std::uint32_t number : named_) {
        const QRectF whole = placeOf(number);
        const QRectF room =
            whole & QRectF(kLeft, whole.top(), viewport()->width() - kLeft - kRight, whole.height());
        if (room.width() < kNamed) {
            continue;
        }
        const MapBlock& each = map_->blocks[number];
        const bool free = each.state == MapBlock::State::Free;
        const memory::StackFrame* best = map_->stacks && !free ? map_->stacks->bestOf(each.stack) : nullptr;
        QString text = bytesText(each.size);
        if (metrics.horizontalAdvance(text) > room.width() - 9) {
            continue;
        }
        if (best && room.width() > 150) {
            text += QStringLiteral(" · ") + QString::fromStdString(frameText(*best));
        }
        const bool bright = qGray(mapColor(each.state).rgb()) > 130;
        painter.setPen(free ? t.mutedText : bright ? QColor(0, 0, 0, 215) : QColor(255, 255, 255, 240));
        painter.drawText(room.adjusted(5, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(text, Qt::ElideRight, room.width() - 9));
    }
}

void SegmentMapView::paintOutline(QPainter& painter, std::uint32_t block, const QColor& color,
                                  double width) const {
    QRectF place = placeOf(block);
    place.setWidth(std::max(3.0, place.width()));
    painter.save();
    painter.setClipRect(QRectF(kLeft - 2, 0, viewport()->width() - kLeft, viewport()->height()));
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(place.adjusted(0, 0, -1, -1));
    painter.restore();
}

}  // namespace highwater::widgets
