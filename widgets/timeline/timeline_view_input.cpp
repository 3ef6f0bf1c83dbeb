#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/plot/hover_card.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

constexpr double kWheelStep = 0.8;  // of the view, for each wheel step
constexpr double kKeyZoom = 0.6, kKeyMove = 0.12;

}  // namespace

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (!index_ || event->button() == Qt::RightButton) {
        return;
    }
    drag_ = Drag::Pending;
    dragStart_ = event->position();
    dragRange_ = range_;
    cursorShown_ = false;
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    if (!index_) {
        return;
    }
    const QPointF way = event->position() - dragStart_;
    if (drag_ == Drag::Pending && way.manhattanLength() >= QApplication::startDragDistance()) {
        drag_ = event->modifiers() & Qt::ShiftModifier ? Drag::Select : Drag::Move;
    }
    if (drag_ == Drag::None || drag_ == Drag::Pending) {
        hover(event->position());
        return;
    }
    unhover();
    const QRect r = plot();
    if (drag_ == Drag::Move) {
        setCursor(Qt::ClosedHandCursor);
        setRange(moved(dragRange_, -way.x() / r.width() * (dragRange_.to - dragRange_.from),
                       way.y() / r.height() * (dragRange_.high - dragRange_.low)));
    } else {
        const auto x = [&](double pixel) { return xAt(std::clamp<double>(pixel, r.left(), r.right() + 1)); };
        const double a = x(dragStart_.x()), b = x(event->position().x());
        select(Stretch(std::min(a, b), std::max(a, b)));
    }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag was = std::exchange(drag_, Drag::None);
    unsetCursor();
    if (was == Drag::Pending && index_) {
        clickAt(event->position());
    }
}

void TimelineView::clickAt(const QPointF& position) {
    const Target target = targetAt(position);
    cursor_ = target.state;
    if (target.layer >= 0) {
        showLayer(target.layer);
        emit layerClicked(target.layer);
        return;
    }
    if (target.refusal >= 0) {
        refusal_ = target.refusal;
        chooseMoment(target.state);
        emit refusalClicked(target.refusal);
        return;
    }
    chooseMoment(target.state);
    selectBlock(target.block);
    if (!target.block) {
        select({});
        showLayer(-1);
    } else if (const int layer = index_->life(*target.block).layer; layer >= 0) {
        emit layerClicked(layer);
    }
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!index_ || event->button() != Qt::LeftButton) {
        return;
    }
    const Target target = targetAt(event->position());
    target.block ? zoomToBlock(*target.block) : showAll();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    if (!index_) {
        return;
    }
    const QPointF at = event->position();
    const QPoint angle = event->angleDelta();
    const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    const double factor = std::pow(kWheelStep, notches);
    const QRect r = plot();
    if (angle.y() == 0 || event->modifiers() & Qt::ShiftModifier) {
        setRange(moved(range_, -notches * kKeyMove * (range_.to - range_.from), 0));
    } else if (event->modifiers() & Qt::ControlModifier) {
        setRange(zoomedBytes(
            range_, range_.high - (at.y() - r.top()) / r.height() * (range_.high - range_.low), factor));
    } else {
        setRange(zoomedTime(range_, xAt(std::clamp<double>(at.x(), r.left(), r.right() + 1)), factor));
    }
    hover(at);
    event->accept();
}

void TimelineView::hover(const QPointF& position) {
    const QRect r = plot();
    if (position.x() < r.left() || position.x() > r.right() || position.y() > r.bottom()) {
        unhover();
        return;
    }
    const Target target = targetAt(position);
    hovered_ = target.block;
    crosshair_ = xAt(position.x());
    HoverCard card;
    if (target.refusal >= 0) {
        card = refusalCard(*index_, static_cast<std::size_t>(target.refusal));
    } else if (target.block) {
        card = blockCard(*index_, *target.block);
    } else if (target.layer >= 0) {
        card = {layerText(index_->trace(), target.layer), tr("click: its allocations"), {}, 0};
    } else if (target.band) {
        card = bandCard(*index_, picture_, *target.band, target.state);
    } else {
        card = stateCard(*index_, target.state);
    }
    const bool clickable = target.block || target.layer >= 0 || target.refusal >= 0;
    setCursor(clickable ? Qt::PointingHandCursor : Qt::ArrowCursor);
    card_->showCard(card, mapTo(card_->parentWidget(), position.toPoint()) + QPoint(6, 10));
    update();
}

void TimelineView::unhover() {
    hovered_.reset();
    crosshair_.reset();
    card_->hide();
    update();
}

void TimelineView::leaveEvent(QEvent*) {
    unhover();
}

void TimelineView::focusInEvent(QFocusEvent* event) {
    cursorShown_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void TimelineView::focusOutEvent(QFocusEvent*) {
    if (cursorShown_) {
        card_->hide();
    }
    update();
}

bool TimelineView::event(QEvent* event) {
    // With focus, the timeline takes these keys, even if they are shortcuts of the window.
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        for (const int ours : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Plus,
                               Qt::Key_Minus, Qt::Key_Equal, Qt::Key_Home, Qt::Key_PageUp, Qt::Key_PageDown,
                               Qt::Key_O, Qt::Key_P, Qt::Key_S}) {
            if (key == ours) {
                event->accept();
            }
        }
    }
    return QWidget::event(event);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (!index_ || !(cursorKey(event) || zoomKey(event))) {
        QWidget::keyPressEvent(event);
    }
}

bool TimelineView::zoomKey(QKeyEvent* event) {
    const double width = range_.to - range_.from, height = range_.high - range_.low;
    const bool bytes = event->modifiers() & Qt::ControlModifier;
    const auto zoom = [&](double factor) {
        const double at = index_->begin(range_.axis, cursor_);
        const bool inSight = cursorShown_ && at >= range_.from && at <= range_.to;
        setRange(bytes ? zoomedBytes(range_, range_.low, factor)
                       : zoomedTime(range_, inSight ? at : (range_.from + range_.to) / 2, factor));
    };
    switch (event->key()) {
        case Qt::Key_Left:
            return setRange(moved(range_, -kKeyMove * width, 0)), true;
        case Qt::Key_Right:
            return setRange(moved(range_, kKeyMove * width, 0)), true;
        case Qt::Key_Up:
            return setRange(moved(range_, 0, kKeyMove * height)), true;
        case Qt::Key_Down:
            return setRange(moved(range_, 0, -kKeyMove * height)), true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom(kKeyZoom), true;
        case Qt::Key_Minus:
            return zoom(1 / kKeyZoom), true;
        case Qt::Key_Home:
            return showAll(), true;
        case Qt::Key_P:
            return zoomToPeak(), true;
        case Qt::Key_O:
            return zoomToRefusal(), true;
        case Qt::Key_S:
            return zoomToSelection(), true;
        case Qt::Key_PageUp:
            return jumpStep(-1), true;
        case Qt::Key_PageDown:
            return jumpStep(1), true;
        default:
            return false;
    }
}

bool TimelineView::cursorKey(QKeyEvent* event) {
    const int key = event->key();
    const bool control = event->modifiers() & Qt::ControlModifier,
               shift = event->modifiers() & Qt::ShiftModifier;
    if (control && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        return moveCursor(key == Qt::Key_Left ? -1 : 1), true;
    }
    if (control && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        return moveCursorInStack(key == Qt::Key_Up ? 1 : -1), true;
    }
    if (shift && (key == Qt::Key_Left || key == Qt::Key_Right)) {
        return extendSelection(key == Qt::Key_Left ? -1 : 1), true;
    }
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && (hovered_ || block_)) {
        if (hovered_ && hovered_ != block_) {
            chooseMoment(cursorShown_ ? std::optional(cursor_) : moment_);
            selectBlock(hovered_);
            if (const int layer = index_->life(*block_).layer; layer >= 0) {
                emit layerClicked(layer);
            }
        } else {
            zoomToBlock(*block_);
        }
        return true;
    }
    if (key != Qt::Key_Escape || !(block_ || selection_ || layer_ >= 0 || cursorShown_ || moment_)) {
        return false;
    }
    chooseMoment({});
    cursorShown_ = false;
    unhover();
    selectBlock({});
    select({});
    showLayer(-1);
    return true;
}

/// By event, or by pixel where several events share one.
void TimelineView::moveCursor(int by) {
    const double pixel = (range_.to - range_.from) / plot().width();
    std::size_t next = cursor_;
    if (!cursorShown_ || index_->begin(range_.axis, cursor_ + 1) < range_.from ||
        index_->begin(range_.axis, cursor_) > range_.to) {
        next = index_->stateAt(range_.axis, (range_.from + range_.to) / 2);
    } else if (by > 0) {
        next =
            std::max(cursor_ + 1, index_->stateAt(range_.axis, index_->begin(range_.axis, cursor_) + pixel));
    } else if (cursor_ > 0) {
        next =
            std::min(cursor_ - 1, index_->stateAt(range_.axis, index_->begin(range_.axis, cursor_) - pixel));
    }
    cursor_ = std::min(next, index_->states() - 1);
    cursorShown_ = true;
    hovered_.reset();
    const double at = index_->begin(range_.axis, cursor_), after = index_->begin(range_.axis, cursor_ + 1);
    if (at < range_.from || after > range_.to) {
        setRange(moved(range_, (at + after - range_.from - range_.to) / 2, 0));
    }
    showCursorCard();
}

void TimelineView::moveCursorInStack(int by) {
    if (!cursorShown_) {
        moveCursor(0);
        return;
    }
    const TimelinePicture& now = picture();
    const int column = std::clamp(
        static_cast<int>(
            (pixelAt((index_->begin(range_.axis, cursor_) + index_->begin(range_.axis, cursor_ + 1)) / 2) -
             plot().left()) *
            devicePixelRatioF()),
        0, now.width() - 1);
    std::vector<std::pair<base::Bytes, std::uint32_t>> stack;
    for (const BlockCell& cell : now.layout.cells) {
        if (column >= cell.left && column < cell.right) {
            stack.emplace_back(cell.bottom, index_->spans()[cell.span].block);
        }
    }
    std::sort(stack.begin(), stack.end());
    if (stack.empty()) {
        return;
    }
    const auto at =
        std::find_if(stack.begin(), stack.end(), [&](const auto& s) { return s.second == hovered_; });
    auto place = at == stack.end() ? (by > 0 ? 0 : static_cast<int>(stack.size()) - 1)
                                   : static_cast<int>(at - stack.begin()) + by;
    place = std::clamp(place, 0, static_cast<int>(stack.size()) - 1);
    hovered_ = stack[static_cast<std::size_t>(place)].second;
    showCursorCard();
}

void TimelineView::showCursorCard() {
    if (!isVisible()) {
        return;
    }
    const HoverCard card = hovered_ ? blockCard(*index_, *hovered_) : stateCard(*index_, cursor_);
    const QRect r = plot();
    const QPoint at(static_cast<int>(pixelAt(index_->begin(range_.axis, cursor_ + 1))) + 4, r.top() + 20);
    card_->showCard(card, mapTo(card_->parentWidget(), at));
    update();
}

void TimelineView::extendSelection(int direction) {
    if (!cursorShown_) {
        moveCursor(0);
    }
    const double anchor = index_->begin(range_.axis, cursor_);
    moveCursor(direction);
    const double now = index_->begin(range_.axis, cursor_);
    if (!selection_) {
        select(Stretch(std::min(anchor, now), std::max(anchor, now)));
    } else if (anchor == selection_->first && !(direction > 0 && now >= selection_->second)) {
        select(Stretch(now, selection_->second));
    } else {
        select(Stretch(std::min(selection_->first, now), std::max(selection_->first, now)));
    }
}

void TimelineView::jumpStep(int by) {
    const auto& steps = index_->trace().steps;
    if (steps.empty()) {
        return;
    }
    const auto begin = [&](std::size_t step) {
        return step < steps.size() ? index_->begin(range_.axis, steps[step].event + 1)
                                   : index_->axisEnd(range_.axis);
    };
    const double middle = (range_.from + range_.to) / 2;
    std::size_t now = 0;
    while (now + 1 < steps.size() && begin(now + 1) <= middle) {
        ++now;
    }
    const bool oneStep = std::abs(range_.from - begin(now)) + std::abs(range_.to - begin(now + 1)) <
                         (range_.to - range_.from) * 0.02;
    if (oneStep) {
        now = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
            static_cast<std::ptrdiff_t>(now) + by, 0, static_cast<std::ptrdiff_t>(steps.size()) - 1));
    }
    TimelineRange next = range_;
    next.from = begin(now);
    next.to = begin(now + 1);
    setRange(next);
}

}  // namespace highwater::widgets
