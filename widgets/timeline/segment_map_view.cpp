#include "widgets/timeline/segment_map_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/plot/hover_card.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr double kNarrowest = 1e-7;  // smallest part of the width that can be in view
constexpr double kWheelStep = 0.8, kKeyZoom = 0.6;

}  // namespace

SegmentMapView::SegmentMapView(QWidget* cardHost, QWidget* parent)
    : QAbstractScrollArea(parent), card_(new HoverCardWidget(cardHost ? cardHost : this)) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Segments and blocks"));
    setAccessibleDescription(tr("Arrows go from block to block, plus and minus zoom, Home shows all."));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &SegmentMapView::invalidate);
}

void SegmentMapView::setMap(std::shared_ptr<const SegmentMap> map) {
    const bool had = selected_.has_value();
    map_ = std::move(map);
    selected_.reset();
    hovered_.reset();
    card_->hide();
    from_ = 0;
    to_ = 1;
    arrange();
    verticalScrollBar()->setValue(0);
    if (had) {
        emit blockSelected();
    }
}

void SegmentMapView::setOrder(SegmentOrder order) {
    order_ = order;
    arrange();
}

void SegmentMapView::setFullWidth(bool full) {
    full_ = full;
    showAll();
    invalidate();
}

void SegmentMapView::arrange() {
    rows_ = map_ ? orderOf(*map_, order_) : std::vector<std::uint32_t>();
    rowOf_.assign(rows_.size(), 0);
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
        rowOf_[rows_[row]] = row;
    }
    resizeEvent(nullptr);
}

void SegmentMapView::resizeEvent(QResizeEvent*) {
    const int height = viewport()->height();
    const auto rows = static_cast<int>(rows_.size());
    row_ = std::clamp((height - 2 * kTop) / std::max(1, rows), kLeast, kMost);
    verticalScrollBar()->setPageStep(height);
    verticalScrollBar()->setSingleStep(row_);
    verticalScrollBar()->setRange(0, std::max(0, rows * row_ + 2 * kTop - height));
    invalidate();
}

void SegmentMapView::scrollContentsBy(int, int) {
    invalidate();
}

void SegmentMapView::invalidate() {
    stale_ = true;
    viewport()->update();
}

void SegmentMapView::setZoom(double from, double to) {
    const double width = std::clamp(to - from, kNarrowest, 1.0);
    from = std::clamp(from, 0.0, 1 - width);
    if (from == from_ && from + width == to_) {
        return;
    }
    from_ = from;
    to_ = from + width;
    invalidate();
}

void SegmentMapView::showAll() {
    setZoom(0, 1);
}

/// The rectangle of a row's whole segment, in the viewport.
QRectF SegmentMapView::barOf(std::size_t row) const {
    const MapSegment& segment = map_->segments[rows_[row]];
    const double room = std::max(1, viewport()->width() - kLeft - kRight);
    const double share = full_ || map_->largestSegment <= 0
                             ? 1
                             : static_cast<double>(segment.size) / static_cast<double>(map_->largestSegment);
    const double left = kLeft - from_ / (to_ - from_) * room;
    const double top = kTop + static_cast<double>(row) * row_ - verticalScrollBar()->value();
    return {left, top, std::max(2.0, share / (to_ - from_) * room), static_cast<double>(row_ - kGap)};
}

int SegmentMapView::rowAt(double y) const {
    const double row = std::floor((y + verticalScrollBar()->value() - kTop) / row_);
    return row >= 0 && row < static_cast<double>(rows_.size()) ? static_cast<int>(row) : -1;
}

double SegmentMapView::byteAt(const MapSegment& segment, double x) const {
    const QRectF bar = barOf(rowOf_[static_cast<std::size_t>(&segment - map_->segments.data())]);
    return (x - bar.left()) / bar.width() * static_cast<double>(segment.size);
}

std::optional<std::uint32_t> SegmentMapView::blockAtPoint(const QPointF& position) const {
    const int row = map_ && position.x() >= kLeft ? rowAt(position.y()) : -1;
    if (row < 0) {
        return {};
    }
    const MapSegment& segment = map_->segments[rows_[static_cast<std::size_t>(row)]];
    const std::int64_t block = blockAt(*map_, segment, byteAt(segment, position.x()));
    return block < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(block));
}

QRectF SegmentMapView::placeOf(std::uint32_t number) const {
    const MapSegment& segment = map_->segmentOf(number);
    const MapBlock& block = map_->blocks[number];
    const QRectF bar = barOf(rowOf_[static_cast<std::size_t>(&segment - map_->segments.data())]);
    const double scale = bar.width() / static_cast<double>(std::max<base::Bytes>(1, segment.size));
    return {bar.left() + static_cast<double>(block.offset) * scale, bar.top(),
            static_cast<double>(block.size) * scale, bar.height()};
}

void SegmentMapView::selectBlock(std::optional<std::uint32_t> block) {
    if (block == selected_ || (block && (!map_ || *block >= map_->blocks.size()))) {
        return;
    }
    selected_ = block;
    viewport()->update();
    emit blockSelected();
}

void SegmentMapView::reveal(std::uint32_t block) {
    const QRectF place = placeOf(block);
    QScrollBar* bar = verticalScrollBar();
    if (place.top() < kTop) {
        bar->setValue(bar->value() + static_cast<int>(place.top()) - kTop);
    } else if (place.bottom() > viewport()->height()) {
        bar->setValue(bar->value() + static_cast<int>(place.bottom()) - viewport()->height() + kTop);
    }
    const double room = std::max(1, viewport()->width() - kLeft - kRight);
    if (place.left() < kLeft - 1 || place.right() > kLeft + room + 1) {
        const double middle = from_ + (place.center().x() - kLeft) / room * (to_ - from_);
        setZoom(middle - (to_ - from_) / 2, middle + (to_ - from_) / 2);
    }
}

void SegmentMapView::zoomToBlock(std::uint32_t block) {
    if (!map_ || block >= map_->blocks.size()) {
        return;
    }
    const double room = std::max(1, viewport()->width() - kLeft - kRight);
    const QRectF place = placeOf(block);
    const double begin = from_ + (place.left() - kLeft) / room * (to_ - from_);
    const double width = place.width() / room * (to_ - from_);
    setZoom(begin - width, begin + 2 * width);
    selectBlock(block);
    reveal(block);
}

// --- input ---

void SegmentMapView::hover(const QPointF& position) {
    hovered_ = blockAtPoint(position);
    if (hovered_) {
        const QPoint at = viewport()->mapTo(card_->parentWidget(), position.toPoint());
        card_->showCard(mapCard(*map_, *hovered_), at + QPoint(6, 10));
    } else {
        card_->hide();
    }
    viewport()->setCursor(hovered_ ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

bool SegmentMapView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) {
        hovered_.reset();
        card_->hide();
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void SegmentMapView::mousePressEvent(QMouseEvent* event) {
    if (map_ && event->button() == Qt::LeftButton) {
        pressed_ = true;
        dragging_ = false;
        pressedAt_ = event->position();
        pressedFrom_ = from_;
        pressedScroll_ = verticalScrollBar()->value();
    }
}

void SegmentMapView::mouseMoveEvent(QMouseEvent* event) {
    if (!map_) {
        return;
    }
    const QPointF way = event->position() - pressedAt_;
    dragging_ = pressed_ && (dragging_ || way.manhattanLength() >= QApplication::startDragDistance());
    if (!dragging_) {
        hover(event->position());
        return;
    }
    card_->hide();
    viewport()->setCursor(Qt::ClosedHandCursor);
    const double room = std::max(1, viewport()->width() - kLeft - kRight);
    const double from = pressedFrom_ - way.x() / room * (to_ - from_);
    setZoom(from, from + (to_ - from_));
    verticalScrollBar()->setValue(pressedScroll_ - static_cast<int>(way.y()));
}

void SegmentMapView::mouseReleaseEvent(QMouseEvent* event) {
    if (map_ && pressed_ && !dragging_) {
        selectBlock(blockAtPoint(event->position()));
    }
    pressed_ = dragging_ = false;
    viewport()->unsetCursor();
}

void SegmentMapView::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto block = map_ ? blockAtPoint(event->position()) : std::nullopt;
    block ? zoomToBlock(*block) : showAll();
}

void SegmentMapView::wheelEvent(QWheelEvent* event) {
    if (!map_ || !(event->modifiers() & Qt::ControlModifier)) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    const double room = std::max(1, viewport()->width() - kLeft - kRight);
    const double at = from_ + std::clamp((event->position().x() - kLeft) / room, 0.0, 1.0) * (to_ - from_);
    const double factor = std::pow(kWheelStep, event->angleDelta().y() / 120.0);
    setZoom(at - (at - from_) * factor, at + (to_ - at) * factor);
    event->accept();
}

bool SegmentMapView::moveSelection(int key) {
    if (map_->blocks.empty()) {
        return true;
    }
    std::int64_t next = 0;
    if (!selected_) {
        next = map_->segments[rows_.front()].first;
    } else if (key == Qt::Key_Left || key == Qt::Key_Right) {
        next = static_cast<std::int64_t>(*selected_) + (key == Qt::Key_Left ? -1 : 1);
        const MapSegment& segment = map_->segmentOf(*selected_);
        next = std::clamp<std::int64_t>(next, segment.first, segment.first + segment.count - 1);
    } else {
        const QRectF place = placeOf(*selected_);
        const int row = rowAt(place.center().y()) + (key == Qt::Key_Up ? -1 : 1);
        if (row < 0 || row >= static_cast<int>(rows_.size())) {
            return true;
        }
        const MapSegment& segment = map_->segments[rows_[static_cast<std::size_t>(row)]];
        const std::int64_t under = blockAt(*map_, segment, byteAt(segment, place.left() + 0.5));
        next = under >= 0 ? under : segment.count > 0 ? segment.first + segment.count - 1 : *selected_;
    }
    selectBlock(static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(next, 0, static_cast<std::int64_t>(map_->blocks.size()) - 1)));
    reveal(*selected_);
    return true;
}

void SegmentMapView::keyPressEvent(QKeyEvent* event) {
    const double middle = (from_ + to_) / 2, width = to_ - from_;
    const auto zoom = [&](double factor) {
        setZoom(middle - width * factor / 2, middle + width * factor / 2);
    };
    switch (map_ ? event->key() : 0) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
            moveSelection(event->key());
            return;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom(kKeyZoom);
        case Qt::Key_Minus:
            return zoom(1 / kKeyZoom);
        case Qt::Key_Home:
            return showAll();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return selected_ ? zoomToBlock(*selected_) : void();
        case Qt::Key_Escape:
            return selectBlock({});
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

}  // namespace highwater::widgets

#include "moc_segment_map_view.cpp"
