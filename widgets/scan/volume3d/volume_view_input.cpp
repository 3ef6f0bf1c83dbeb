// Mouse, wheel and key handling of VolumeView.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "widgets/scan/scan_scene.h"
#include "widgets/scan/volume3d/render_pick.h"
#include "widgets/scan/volume3d/volume_view.h"

namespace highwater::widgets {
namespace {

constexpr float kDegreesPerPixel = 0.5F;
constexpr double kFullWindowPixels = 200;  // of drag that double the width, or move the level by the width
constexpr double kOpacityPixels = 60;      // of drag that double the opacity
constexpr double kStill = 4;               // pixels; a shorter movement is a click
constexpr double kOpacityKey = 1.25;       // per key press
constexpr float kTurnKey = 5;              // degrees
constexpr double kPanKey = 20;             // pixels

}  // namespace

QString VolumeView::helpText() {
    return tr(
        "Drag: turn · Shift and drag: move · wheel: zoom · right drag: window · Ctrl and drag: opacity\n"
        "Click: puts the cursor on the surface there · double click: this view alone\n"
        "Keys: arrows turn, with Shift move · + − zoom · O and Shift+O opacity · Enter: cursor in the "
        "middle · R: reset\n"
        "Ctrl+1 to 6: from anterior, posterior, left, right, superior, inferior");
}

VolumeView::Drag VolumeView::dragFor(const QMouseEvent& event) const {
    switch (event.button()) {
        case Qt::RightButton:
            return Drag::Window;
        case Qt::MiddleButton:
            return Drag::Pan;
        case Qt::LeftButton:
            if (event.modifiers() & Qt::ControlModifier) {
                return Drag::Opacity;
            }
            return event.modifiers() & Qt::ShiftModifier ? Drag::Pan : Drag::Turn;
        default:
            return Drag::None;
    }
}

void VolumeView::mousePressEvent(QMouseEvent* event) {
    drag_ = volume_ ? dragFor(*event) : Drag::None;
    clicked_ = drag_ == Drag::Turn;
    dragFrom_ = dragAt_ = event->position();
    windowFrom_ = scene_.window();
    opacityFrom_ = scene_.opacity();
}

void VolumeView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF sinceStart = event->position() - dragFrom_;
    if (drag_ == Drag::None || (clicked_ && sinceStart.manhattanLength() < kStill)) {
        return;
    }
    clicked_ = false;
    const QPointF step = event->position() - dragAt_;
    dragAt_ = event->position();
    dragBy(step, sinceStart);
}

void VolumeView::dragBy(const QPointF& step, const QPointF& sinceStart) {
    switch (drag_) {
        case Drag::Turn:
            camera_.turn(-static_cast<float>(step.x()) * kDegreesPerPixel,
                         static_cast<float>(step.y()) * kDegreesPerPixel);
            break;
        case Drag::Pan:
            camera_.panBy(step, size());
            break;
        case Drag::Window: {
            const double width = windowFrom_.width();
            scene_.setWindow(
                volume::Window::fromLevel(windowFrom_.level() - sinceStart.y() / kFullWindowPixels * width,
                                          width * std::exp2(sinceStart.x() / kFullWindowPixels)));
            return;
        }
        case Drag::Opacity:
            scene_.setOpacity(opacityFrom_ * std::exp2(-sinceStart.y() / kOpacityPixels));
            return;
        case Drag::None:
            return;
    }
    moved();
}

void VolumeView::mouseReleaseEvent(QMouseEvent* event) {
    if (std::exchange(clicked_, false)) {
        pick(event->position());
    }
    drag_ = Drag::None;
}

void VolumeView::mouseDoubleClickEvent(QMouseEvent* event) {
    clicked_ = false;
    drag_ = Drag::None;
    if (event->button() == Qt::LeftButton) {
        emit maximiseRequested();
    }
}

bool VolumeView::pick(const QPointF& at) {
    if (!volume_ || scene_.volume().empty()) {
        return false;
    }
    const float aspect = static_cast<float>(width()) / static_cast<float>(std::max(1, height()));
    const auto hit =
        firstSurface(*volume_, look(), {camera_.position(aspect), camera_.towards(at, size())}, clip());
    if (!hit) {
        return false;
    }
    const auto index = scene_.geometry().toIndex({hit->x(), hit->y(), hit->z()});
    scene_.setCursor({std::llround(index[0]), std::llround(index[1]), std::llround(index[2])});
    return true;
}

void VolumeView::wheelEvent(QWheelEvent* event) {
    camera_.zoomBy(std::pow(1.2F, static_cast<float>(event->angleDelta().y()) / 120.0F));
    moved();
    event->accept();
}

/// Keys that move the camera.
bool VolumeView::turnKey(const QKeyEvent& event) {
    const bool pan = event.modifiers() & Qt::ShiftModifier;
    const auto arrow = [&](float x, float y) {
        if (pan) {
            camera_.panBy({x * kPanKey, y * kPanKey}, size());
        } else {
            camera_.turn(-x * kTurnKey, y * kTurnKey);
        }
    };
    switch (event.key()) {
        case Qt::Key_Left:
            arrow(-1, 0);
            return true;
        case Qt::Key_Right:
            arrow(1, 0);
            return true;
        case Qt::Key_Up:
            arrow(0, -1);
            return true;
        case Qt::Key_Down:
            arrow(0, 1);
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            camera_.zoomBy(1.2F);
            return true;
        case Qt::Key_Minus:
        case Qt::Key_Underscore:
            camera_.zoomBy(1 / 1.2F);
            return true;
        default:
            break;
    }
    const int view = event.key() - Qt::Key_1;
    if (view < 0 || view >= 6 || !(event.modifiers() & Qt::ControlModifier)) {
        return false;
    }
    camera_.lookFrom("APLRSI"[view]);
    return true;
}

/// Keys that change state shared by all views.
bool VolumeView::sceneKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_O:
            if (event.modifiers() & ~Qt::ShiftModifier) {
                return false;
            }
            scene_.setOpacity(scene_.opacity() *
                              (event.modifiers() & Qt::ShiftModifier ? 1 / kOpacityKey : kOpacityKey));
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (event.modifiers() & ~Qt::KeypadModifier) {
                return false;
            }
            pick(rect().center());
            return true;
        default:
            return false;
    }
}

void VolumeView::keyPressEvent(QKeyEvent* event) {
    if (sceneKey(*event)) {
        return;
    }
    if (turnKey(*event)) {
        moved();
        return;
    }
    if (event->key() == Qt::Key_R && event->modifiers() == Qt::NoModifier) {
        resetCamera();  // passed on too, so that the other views are reset
    }
    QWidget::keyPressEvent(event);
}

void VolumeView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void VolumeView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace highwater::widgets
