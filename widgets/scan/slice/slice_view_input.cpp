// Mouse, wheel and key handling of SliceView.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "widgets/scan/slice/slice_marks.h"
#include "widgets/scan/slice/slice_view.h"
#include "widgets/theme/panel.h"

namespace highwater::widgets {
namespace {

constexpr double kGrip = 6;            // pixels on either side of a box's line
constexpr double kClick = 4;           // pixels; a longer movement is not a click
constexpr double kWindowPixels = 200;  // of drag that double the width, or move the level by the width
constexpr double kZoomStep = 1.25;
constexpr int kPage = 10;        // slices or voxels
constexpr double kPanStep = 24;  // pixels

}  // namespace

bool SliceView::onPatch(const QPointF& at, Qt::KeyboardModifiers modifiers) const {
    if (!scene_.patch() || !frame_.crosses(*scene_.patch(), index())) {
        return false;
    }
    const QRectF box = frame_.outline(*scene_.patch());
    if (!box.adjusted(-kGrip, -kGrip, kGrip, kGrip).contains(at)) {
        const PatchLabel label = patchLabel(frame_, *scene_.patch(), QFontMetrics(smallFont(font())),
                                            scene_.volume().header().spacingKnown);
        return label.tab.contains(at);
    }
    const QRectF inner = box.adjusted(kGrip, kGrip, -kGrip, -kGrip);
    return modifiers & Qt::AltModifier || !(inner.isValid() && inner.contains(at));
}

std::optional<Grip> SliceView::cropGrip(const QPointF& at) const {
    if (!scene_.cropping()) {
        return {};
    }
    return gripAt(frame_.outline(scene_.cropOrAll()), at, kHandle);
}

SliceView::Drag SliceView::leftDragFor(const QPointF& at, Qt::KeyboardModifiers modifiers) const {
    if (spaceHeld_) {
        return Drag::Pan;
    }
    if (modifiers & Qt::ShiftModifier) {
        return Drag::Scroll;
    }
    if (scene_.measuring()) {
        return Drag::Measure;
    }
    if (windowMode_) {
        return Drag::Window;
    }
    if (cropGrip(at)) {
        return Drag::Crop;
    }
    return onPatch(at, modifiers) ? Drag::Patch : Drag::Cursor;
}

SliceView::Drag SliceView::dragFor(const QMouseEvent& event) const {
    if (scene_.volume().empty()) {
        return Drag::None;
    }
    switch (event.button()) {
        case Qt::RightButton:
            return Drag::Window;
        case Qt::MiddleButton:
            return Drag::Pan;
        case Qt::LeftButton:
            return leftDragFor(event.position(), event.modifiers());
        default:
            return Drag::None;
    }
}

void SliceView::mousePressEvent(QMouseEvent* event) {
    drag_ = dragFor(*event);
    dragFrom_ = event->position();
    windowFrom_ = scene_.window();
    cursorFrom_ = scene_.cursor();
    panFrom_ = frame_.pan;
    cropFrom_ = scene_.cropOrAll();
    grip_ = cropGrip(dragFrom_).value_or(Grip{});
    if (scene_.patch()) {
        patchFrom_ = scene_.patch()->start;
    }
    beforeClick_.reset();
    if (drag_ == Drag::Measure) {
        pressMeasure(dragFrom_);
    } else if (drag_ == Drag::Cursor) {
        beforeClick_ = cursorFrom_;
        scene_.setCursor(frame_.nearestVoxel(event->position(), index()));
    }
}

void SliceView::mouseMoveEvent(QMouseEvent* event) {
    if (scene_.volume().empty()) {
        return;
    }
    if (drag_ == Drag::None) {
        showCursorFor(event->position(), event->modifiers());
        if (followsMouse()) {
            moveMeasure(event->position());
        }
    } else {
        if ((event->position() - dragFrom_).manhattanLength() > kClick) {
            beforeClick_.reset();
        }
        dragTo(event->position());
    }
    emit hovered(frame_.voxelAt(event->position(), index()));
}

void SliceView::showCursorFor(const QPointF& at, Qt::KeyboardModifiers modifiers) {
    switch (leftDragFor(at, modifiers)) {
        case Drag::Pan:
        case Drag::Patch:
            setCursor(Qt::OpenHandCursor);
            return;
        case Drag::Scroll:
            setCursor(Qt::SizeVerCursor);
            return;
        case Drag::Crop: {
            const Grip g = *cropGrip(at);
            setCursor(g.column == 0          ? Qt::SizeVerCursor
                      : g.row == 0           ? Qt::SizeHorCursor
                      : g.column * g.row > 0 ? Qt::SizeFDiagCursor
                                             : Qt::SizeBDiagCursor);
            return;
        }
        default:
            setCursor(Qt::CrossCursor);
    }
}

void SliceView::dragTo(const QPointF& at) {
    const QPointF pixels = frame_.toPixel(at) - frame_.toPixel(dragFrom_);
    const std::int64_t columns = std::llround(pixels.x()), rows = std::llround(pixels.y());
    switch (drag_) {
        case Drag::Cursor:
            scene_.setCursor(frame_.nearestVoxel(at, index()));
            break;
        case Drag::Patch:
            setCursor(Qt::ClosedHandCursor);
            scene_.movePatchTo(alongSlice(patchFrom_, columns, rows));
            break;
        case Drag::Crop:
            scene_.setCrop(
                withEdgesMoved(cropFrom_, frame_.layout, grip_, columns, rows, scene_.geometry().size));
            break;
        case Drag::Window:
            dragWindow(at - dragFrom_);
            break;
        case Drag::Scroll: {
            // The view's height covers all slices; a slice takes at least one pixel and at most 8.
            const double pixelsPerSlice =
                std::clamp(height() / static_cast<double>(frame_.layout.depth), 1.0, 8.0);
            Index3 c = cursorFrom_;
            c[static_cast<std::size_t>(frame_.layout.normalAxis)] +=
                std::llround((dragFrom_.y() - at.y()) / pixelsPerSlice);
            scene_.setCursor(c);
            break;
        }
        case Drag::Measure:
            moveMeasure(at);
            break;
        case Drag::Pan:
            frame_.pan = panFrom_ + at - dragFrom_;
            update();
            break;
        case Drag::None:
            break;
    }
}

void SliceView::dragWindow(const QPointF& by) {
    const double width = windowFrom_.width();
    scene_.setWindow(volume::Window::fromLevel(windowFrom_.level() - by.y() / kWindowPixels * width,
                                               width * std::exp2(by.x() / kWindowPixels)));
}

Index3 SliceView::alongSlice(Index3 from, std::int64_t columns, std::int64_t rows) const {
    from[static_cast<std::size_t>(frame_.layout.columnAxis)] +=
        frame_.layout.flipColumns ? -columns : columns;
    from[static_cast<std::size_t>(frame_.layout.rowAxis)] += frame_.layout.flipRows ? -rows : rows;
    return from;
}

void SliceView::mouseReleaseEvent(QMouseEvent* event) {
    if (std::exchange(drag_, Drag::None) == Drag::Measure) {
        releaseMeasure(event->position());
    }
    showCursorFor(event->position(), event->modifiers());
}

void SliceView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (scene_.measuring()) {
        mousePressEvent(event);  // two separate clicks, close together
        return;
    }
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (const auto before = std::exchange(beforeClick_, std::nullopt)) {
        scene_.setCursor(*before);  // undoes the first click of the double-click
    }
    emit maximiseRequested();
}

void SliceView::leaveEvent(QEvent*) {
    emit hovered(std::nullopt);
}

void SliceView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    emit focused();
}

void SliceView::focusOutEvent(QFocusEvent* event) {
    spaceHeld_ = false;
    QWidget::focusOutEvent(event);
}

void SliceView::scroll(std::int64_t slices) {
    Index3 c = scene_.cursor();
    c[static_cast<std::size_t>(frame_.layout.normalAxis)] += slices;
    scene_.setCursor(c);
}

void SliceView::step(int columns, int rows) {
    scene_.setCursor(alongSlice(scene_.cursor(), columns, rows));
}

void SliceView::nudgePatch(int columns, int rows, int slices) {
    if (!scene_.patch()) {
        return;
    }
    Index3 start = alongSlice(scene_.patch()->start, columns, rows);
    start[static_cast<std::size_t>(frame_.layout.normalAxis)] += slices;
    scene_.movePatchTo(start);
}

void SliceView::moveCropEdge(const Grip& grip, int columns, int rows) {
    scene_.setCrop(
        withEdgesMoved(scene_.cropOrAll(), frame_.layout, grip, columns, rows, scene_.geometry().size));
}

void SliceView::pan(const QPointF& by) {
    frame_.pan += by;
    update();
}

void SliceView::zoom(double factor) {
    const QPointF mouse = mapFromGlobal(QCursor::pos());
    frame_.zoomAt(underMouse() && frame_.view.contains(mouse) ? mouse : frame_.view.center(), factor);
    update();
}

void SliceView::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (event->modifiers() & Qt::ControlModifier) {
        frame_.zoomAt(event->position(), std::pow(kZoomStep, event->angleDelta().y() / 120.0));
        update();
        return;
    }
    // Touchpads send fractions of a wheel step.
    wheelRest_ += event->angleDelta().y();
    const int notches = wheelRest_ / 120;
    wheelRest_ -= notches * 120;
    scroll(notches * (event->modifiers() & Qt::ShiftModifier ? kPage : 1));
}

/// An arrow key toward this side of the screen.
void SliceView::arrow(const QKeyEvent& event, int columns, int rows) {
    const Qt::KeyboardModifiers keys = event.modifiers() & ~Qt::KeypadModifier;
    const int far = keys & Qt::ShiftModifier ? kPage : 1;
    if (keys & Qt::AltModifier) {
        nudgePatch(columns * far, rows * far, 0);
    } else if (scene_.cropping() && keys == Qt::ShiftModifier) {  // the right or lower edge
        moveCropEdge({std::abs(columns), std::abs(rows)}, columns, rows);
    } else if (scene_.cropping() &&
               keys == (Qt::ShiftModifier | Qt::ControlModifier)) {  // the left or upper one
        moveCropEdge({-std::abs(columns), -std::abs(rows)}, columns, rows);
    } else if (keys & Qt::ControlModifier) {
        pan(QPointF(columns, rows) * kPanStep);
    } else {
        step(columns * far, rows * far);
    }
}

void SliceView::keyPressEvent(QKeyEvent* event) {
    if (measureKey(*event)) {
        return;
    }
    const int page = event->modifiers() & Qt::ShiftModifier ? kPage : 1;
    const auto turn = [&](int slices) {
        if (event->modifiers() & Qt::AltModifier) {
            nudgePatch(0, 0, slices);
        } else {
            scroll(slices);
        }
    };
    switch (event->key()) {
        case Qt::Key_PageUp:
            turn(page);
            return;
        case Qt::Key_PageDown:
            turn(-page);
            return;
        case Qt::Key_Home:
            scroll(-index());
            return;
        case Qt::Key_End:
            scroll(frame_.layout.depth - 1 - index());
            return;
        case Qt::Key_Left:
            arrow(*event, -1, 0);
            return;
        case Qt::Key_Right:
            arrow(*event, 1, 0);
            return;
        case Qt::Key_Up:
            arrow(*event, 0, -1);
            return;
        case Qt::Key_Down:
            arrow(*event, 0, 1);
            return;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom(kZoomStep);
            return;
        case Qt::Key_Minus:
            zoom(1 / kZoomStep);
            return;
        case Qt::Key_Space:
            spaceHeld_ = true;
            setCursor(Qt::OpenHandCursor);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void SliceView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        spaceHeld_ = false;
        setCursor(Qt::CrossCursor);
        return;
    }
    QWidget::keyReleaseEvent(event);
}

}  // namespace highwater::widgets
