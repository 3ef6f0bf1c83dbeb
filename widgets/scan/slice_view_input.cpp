// What mouse, wheel and keys do to a SliceView.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/scan/slice_view.h"

namespace highwater::widgets {
namespace {

constexpr double kGrip = 6;            // pixels on both sides of the box's line
constexpr double kWindowPixels = 200;  // of drag that double the width, or move the level by the width
constexpr double kZoomStep = 1.25;
constexpr int kPage = 10;  // slices

}  // namespace

bool SliceView::onPatchEdge(const QPointF& at) const {
    if (!scene_.patch() || !frame_.crosses(*scene_.patch(), index()))
        return false;
    const QRectF box = frame_.outline(*scene_.patch());
    const bool near = box.adjusted(-kGrip, -kGrip, kGrip, kGrip).contains(at);
    const QRectF inner = box.adjusted(kGrip, kGrip, -kGrip, -kGrip);
    return near && !(inner.isValid() && inner.contains(at));
}

SliceView::Drag SliceView::dragFor(const QMouseEvent& event) const {
    if (scene_.volume().empty())
        return Drag::None;
    switch (event.button()) {
        case Qt::RightButton:
            return Drag::Window;
        case Qt::MiddleButton:
            return Drag::Pan;
        case Qt::LeftButton:
            if (windowMode_)
                return Drag::Window;
            return onPatchEdge(event.position()) ? Drag::Patch : Drag::Cursor;
        default:
            return Drag::None;
    }
}

void SliceView::mousePressEvent(QMouseEvent* event) {
    drag_ = dragFor(*event);
    dragFrom_ = event->position();
    windowFrom_ = scene_.window();
    panFrom_ = frame_.pan;
    if (scene_.patch())
        patchFrom_ = scene_.patch()->start;
    if (drag_ == Drag::Cursor)
        scene_.setCursor(frame_.nearestVoxel(event->position(), index()));
}

void SliceView::mouseMoveEvent(QMouseEvent* event) {
    if (scene_.volume().empty())
        return;
    const QPointF at = event->position();
    switch (drag_) {
        case Drag::Cursor:
            scene_.setCursor(frame_.nearestVoxel(at, index()));
            break;
        case Drag::Patch:
            dragPatch(at);
            break;
        case Drag::Window:
            dragWindow(at - dragFrom_);
            break;
        case Drag::Pan:
            frame_.pan = panFrom_ + at - dragFrom_;
            update();
            break;
        case Drag::None:
            setCursor(!windowMode_ && onPatchEdge(at) ? Qt::SizeAllCursor : Qt::CrossCursor);
            break;
    }
    emit hovered(frame_.voxelAt(at, index()));
}

void SliceView::dragWindow(const QPointF& by) {
    const double width = windowFrom_.width();
    scene_.setWindow(volume::Window::fromLevel(windowFrom_.level() - by.y() / kWindowPixels * width,
                                               width * std::exp2(by.x() / kWindowPixels)));
}

void SliceView::dragPatch(const QPointF& to) {
    const QPointF by = frame_.toPixel(to) - frame_.toPixel(dragFrom_);
    Index3 start = patchFrom_;
    start[static_cast<std::size_t>(frame_.layout.columnAxis)] +=
        std::llround(frame_.layout.flipColumns ? -by.x() : by.x());
    start[static_cast<std::size_t>(frame_.layout.rowAxis)] +=
        std::llround(frame_.layout.flipRows ? -by.y() : by.y());
    scene_.movePatchTo(start);
}

void SliceView::mouseReleaseEvent(QMouseEvent*) {
    drag_ = Drag::None;
}

void SliceView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        emit maximiseRequested();
}

void SliceView::leaveEvent(QEvent*) {
    emit hovered(std::nullopt);
}

void SliceView::scroll(std::int64_t slices) {
    Index3 c = scene_.cursor();
    c[static_cast<std::size_t>(frame_.layout.normalAxis)] += slices;
    scene_.setCursor(c);
}

void SliceView::step(int columns, int rows) {
    Index3 c = scene_.cursor();
    c[static_cast<std::size_t>(frame_.layout.columnAxis)] += frame_.layout.flipColumns ? -columns : columns;
    c[static_cast<std::size_t>(frame_.layout.rowAxis)] += frame_.layout.flipRows ? -rows : rows;
    scene_.setCursor(c);
}

void SliceView::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (event->modifiers() & Qt::ControlModifier) {
        frame_.zoomAt(event->position(), std::pow(kZoomStep, event->angleDelta().y() / 120.0));
        update();
        return;
    }
    // Touchpads send parts of a notch.
    wheelRest_ += event->angleDelta().y();
    const int notches = wheelRest_ / 120;
    wheelRest_ -= notches * 120;
    scroll(notches * (event->modifiers() & Qt::ShiftModifier ? kPage : 1));
}

void SliceView::keyPressEvent(QKeyEvent* event) {
    const int page = event->modifiers() & Qt::ShiftModifier ? kPage : 1;
    switch (event->key()) {
        case Qt::Key_PageUp:
            scroll(page);
            break;
        case Qt::Key_PageDown:
            scroll(-page);
            break;
        case Qt::Key_Left:
            step(-1, 0);
            break;
        case Qt::Key_Right:
            step(1, 0);
            break;
        case Qt::Key_Up:
            step(0, -1);
            break;
        case Qt::Key_Down:
            step(0, 1);
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            frame_.zoomAt(frame_.view.center(), kZoomStep);
            break;
        case Qt::Key_Minus:
            frame_.zoomAt(frame_.view.center(), 1 / kZoomStep);
            break;
        case Qt::Key_R:
            emit resetRequested();
            break;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    update();
}

}  // namespace highwater::widgets
