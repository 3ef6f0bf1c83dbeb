#include "widgets/timeline/timeline_view.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plot/hover_card.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

constexpr int kStrip = 17, kViewTop = 6, kRight = 12, kBottom = 24, kTickGap = 6;

}  // namespace

TimelineView::TimelineView(QWidget* cardHost, QWidget* parent)
    : QWidget(parent), card_(new HoverCardWidget(cardHost ? cardHost : this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Memory timeline"));
    setAccessibleDescription(
        tr("Arrows move, plus and minus zoom, Ctrl and arrows walk through events and "
           "allocations, Return selects."));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &TimelineView::invalidate);
}

void TimelineView::setIndex(std::shared_ptr<const TraceIndex> index) {
    const bool hadBlock = block_.has_value(), hadSelection = selection_.has_value();
    index_ = std::move(index);
    block_.reset();
    hovered_.reset();
    selection_.reset();
    crosshair_.reset();
    cursorShown_ = false;
    moment_.reset();
    refusal_ = -1;
    layer_ = -1;
    focus_ = {};
    cursor_ = index_ ? index_->peakState() : 0;
    card_->hide();
    if (index_) {
        range_ = wholeRange(*index_, index_->axis(range_.axis), room_);
    }
    invalidate();
    if (hadBlock) {
        emit blockSelected();
    }
    if (hadSelection) {
        emit selectionChanged();
    }
    emit rangeChanged();
}

void TimelineView::setRange(const TimelineRange& range) {
    if (!index_) {
        return;
    }
    const TimelineRange fit = clamped(*index_, range, room_);
    if (fit == range_) {
        return;
    }
    range_ = fit;
    invalidate();
    emit rangeChanged();
}

void TimelineView::showAll() {
    if (index_) {
        setRange(wholeRange(*index_, range_.axis, room_));
    }
}

void TimelineView::setRoom(double bytes) {
    room_ = bytes;
    if (index_) {
        TimelineRange next = wholeRange(*index_, range_.axis, room_);
        next.from = range_.from;
        next.to = range_.to;
        setRange(next);
    }
}

void TimelineView::setAxis(TimelineAxis axis) {
    if (!index_ || index_->axis(axis) == range_.axis) {
        return;
    }
    // Keep the same states in view.
    TimelineRange next = range_;
    next.axis = index_->axis(axis);
    const auto same = [&](double x) { return index_->begin(next.axis, index_->stateAt(range_.axis, x)); };
    next.from = same(range_.from);
    next.to = index_->begin(next.axis, index_->stateAt(range_.axis, range_.to) + 1);
    if (selection_) {
        selection_ = Stretch(same(selection_->first), same(selection_->second));
    }
    crosshair_.reset();
    range_ = clamped(*index_, next, room_);
    invalidate();
    emit rangeChanged();
}

void TimelineView::zoomToPeak() {
    if (!index_) {
        return;
    }
    TimelineRange next = wholeRange(*index_, range_.axis, room_);
    cursor_ = index_->peakState();
    cursorShown_ = true;
    const double at = index_->begin(range_.axis, cursor_);
    const double half = std::min((range_.to - range_.from) / 4, (next.to - next.from) / 40);
    next.from = at - half;
    next.to = at + half;
    setRange(next);
    showCursorCard();
}

void TimelineView::zoomToBlock(std::uint32_t block) {
    if (!index_ || block >= index_->blocks() || !index_->life(block).here()) {
        return;
    }
    const BlockLife& life = index_->life(block);
    TimelineRange next = wholeRange(*index_, range_.axis, room_);
    const double begin = index_->begin(next.axis, life.begin), end = index_->begin(next.axis, life.end);
    const double air = std::max((end - begin) * 0.25, (next.to - next.from) * 1e-9);
    next.from = begin - air;
    next.to = end + air;
    next = clamped(*index_, next, room_);
    // Zoom in so far that it can be seen: at least 30 points high, or 16 blocks of its size if it is tiny.
    const int height = std::max(1, plot().height());
    const auto bytes = std::max(1.0, static_cast<double>(index_->bytes(block)));
    const double wanted = bytes * height / 30;
    if (next.high - next.low > wanted) {
        BlockFloor floor;
        floor.heightPixels = bytes * 0.9 * height / (next.high - next.low);
        const auto columns = timelineColumns(*index_, next.axis, next.from, next.to, 200);
        const auto layout =
            layoutBlocks(*index_, next, columns, columnBands(*index_, columns), height, floor);
        double bottom = 0;
        for (const BlockCell& cell : layout.cells) {
            if (index_->spans()[cell.span].block == block) {
                bottom = static_cast<double>(cell.bottom);
                break;
            }
        }
        next.low = std::max(0.0, bottom + bytes / 2 - wanted / 2);
        next.high = next.low + wanted;
    }
    cursor_ = life.begin;
    setRange(next);
    selectBlock(block);
}

void TimelineView::zoomToSelection() {
    if (!selection_) {
        return;
    }
    TimelineRange next = range_;
    next.from = selection_->first;
    next.to = selection_->second;
    setRange(next);
}

void TimelineView::selectBlock(std::optional<std::uint32_t> block) {
    if (block == block_ || (block && (!index_ || *block >= index_->blocks()))) {
        return;
    }
    block_ = block;
    update();
    emit blockSelected();
}

void TimelineView::showLayer(int layer) {
    if (!index_ || layer >= static_cast<int>(index_->trace().layers.size())) {
        layer = -1;
    }
    if (layer == layer_) {
        return;
    }
    layer_ = layer;
    focus_ = {};
    if (layer >= 0) {
        focus_.layers = layersWithin(index_->trace(), layer);
    }
    profile_ = layer < 0 ? LayerProfile() : LayerProfile(*index_, focus_.layers);
    invalidate();
}

void TimelineView::select(std::optional<Stretch> stretch) {
    if (stretch && index_) {
        stretch->first =
            std::clamp(stretch->first, index_->axisBegin(range_.axis), index_->axisEnd(range_.axis));
        stretch->second =
            std::clamp(stretch->second, index_->axisBegin(range_.axis), index_->axisEnd(range_.axis));
    }
    if (stretch == selection_) {
        return;
    }
    selection_ = stretch;
    update();
    emit selectionChanged();
}

StateRange TimelineView::selectedStates() const {
    if (!index_) {
        return {};
    }
    if (!selection_) {
        return allStates(*index_);
    }
    const std::size_t first = index_->stateAt(range_.axis, selection_->first);
    return {first, index_->stateAt(range_.axis, selection_->second, first)};
}

void TimelineView::invalidate() {
    stale_ = true;
    hovered_.reset();
    updateMargin();
    update();
}

void TimelineView::updateMargin() {
    if (!index_) {
        return;
    }
    double widest = 0;
    const QFontMetricsF metrics(font());
    const Ticks ticks = stackTicks(range_.low, range_.high, std::max(1, plot().height() / 44));
    for (const Tick& tick : ticks.ticks) {
        widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(tick.label)));
    }
    widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(ticks.unit)));
    margin_ = std::max(44, static_cast<int>(std::ceil(widest)) + 2 * kTickGap);
}

QRect TimelineView::plot() const {
    const int strips = height() > 170 ? 2 * kStrip : 0;
    const int top = kViewTop + strips + 2;
    return {margin_, top, std::max(1, width() - margin_ - kRight), std::max(1, height() - top - kBottom)};
}

const TimelinePicture& TimelineView::picture() {
    const double scale = devicePixelRatioF();
    const QSize size = (QSizeF(plot().size()) * scale).toSize();
    if (index_ && (stale_ || picture_.image.size() != size)) {
        picture_ = paintTimeline(*index_, range_, size, scale, focus_);
        picture_.image.setDevicePixelRatio(scale);
        drawLines(picture_.image);
        phases_ = phaseRuns(*index_, picture_.columns);
        layers_ = layerRuns(*index_, picture_.columns);
        stale_ = false;
    }
    return picture_;
}

double TimelineView::xAt(double pixel) const {
    const QRect r = plot();
    return range_.from + (pixel - r.left()) / r.width() * (range_.to - range_.from);
}

double TimelineView::pixelAt(double x) const {
    const QRect r = plot();
    return r.left() + (x - range_.from) / (range_.to - range_.from) * r.width();
}

TimelineView::Target TimelineView::targetAt(const QPointF& position) {
    const TimelinePicture& now = picture();
    const QRect r = plot();
    const double scale = devicePixelRatioF();
    const int column =
        std::clamp(static_cast<int>((position.x() - r.left()) * scale), 0, std::max(0, now.width() - 1));
    Target target;
    target.state = now.columns[static_cast<std::size_t>(column)].highest;
    if (position.y() < r.top()) {
        const bool onLayers = r.top() > 2 * kStrip && position.y() >= r.top() - kStrip - 1;
        for (const ColumnRun& run : layers_) {
            if (onLayers && column >= run.left && column < run.right && run.right - run.left > 2) {
                target.layer = run.value;
            }
        }
        return target;
    }
    target.refusal = refusalAt(position);
    if (target.refusal >= 0) {
        target.state = index_->trace().refusals[static_cast<std::size_t>(target.refusal)].event;
        return target;
    }
    const double y = (position.y() - r.top()) * scale;
    if (const BlockCell* cell = now.cellAt(*index_, column, y)) {
        target.block = index_->spans()[cell->span].block;
        return target;
    }
    const auto ends = bandEnds(index_->ledgerAt(target.state));
    const double bytes = now.bytesAt(y);
    for (std::size_t c = 0; c < ends.size() && bytes >= 0; ++c) {
        if (bytes < static_cast<double>(ends[c])) {
            target.band = memory::kCategories[c];
            break;
        }
    }
    return target;
}

void TimelineView::resizeEvent(QResizeEvent*) {
    invalidate();
    emit rangeChanged();  // the same bytes, but the margins may have changed
}

void TimelineView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        invalidate();
    }
    QWidget::changeEvent(event);
}

}  // namespace highwater::widgets

#include "moc_timeline_view.cpp"
