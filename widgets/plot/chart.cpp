#include "widgets/plot/chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plot/canvas.h"
#include "widgets/plot/hover_card.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kZoomStep = 1.25;
constexpr int kDragThreshold = 5;
constexpr int kRight = 16, kBottom = 24;

}  // namespace

/// Hint, crosshair and selection above the canvas, so that moving the pointer does not redraw the plot.
class Chart::Overlay : public QWidget {
public:
    explicit Overlay(Chart* chart) : QWidget(chart), chart_(*chart) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter p(this);
        if (!chart_.scene_.hint.isEmpty()) {
            p.setPen(theme().mutedText);
            p.drawText(rect().adjusted(16, 0, -16, 0), Qt::AlignCenter | Qt::TextWordWrap,
                       chart_.scene_.hint);
        } else {
            const PlotFrame frame = chart_.frame();
            paintSelection(p, frame);
            paintCrosshair(p, frame);
        }
        if (chart_.focusShown_) {
            p.setRenderHint(QPainter::Antialiasing, false);
            p.setBrush(Qt::NoBrush);
            p.setPen(QPen(theme().accent, 1));
            p.drawRect(rect().adjusted(0, 0, -1, -1));
        }
    }

private:
    void paintSelection(QPainter& p, const PlotFrame& frame) const {
        if (chart_.drag_ != Drag::Select) {
            return;
        }
        QColor fill = theme().accent;
        fill.setAlphaF(0.18F);
        QRectF box(QPointF(chart_.dragStart_.x(), frame.rect.top()),
                   QPointF(chart_.dragNow_.x(), frame.rect.bottom()));
        p.setPen(QPen(theme().accent, 1));
        p.setBrush(fill);
        p.drawRect(box.normalized().intersected(frame.rect));
    }

    void paintCrosshair(QPainter& p, const PlotFrame& frame) const {
        if (!chart_.crosshair_) {
            return;
        }
        const double x = std::floor(frame.pixelX(*chart_.crosshair_)) + 0.5;
        if (x < frame.rect.left() - 1 || x > frame.rect.right() + 1) {
            return;
        }
        QColor hair = theme().text;
        hair.setAlphaF(0.6F);
        p.setPen(QPen(hair, 1));
        p.drawLine(QPointF(x, frame.rect.top()), QPointF(x, frame.rect.bottom()));
    }

    Chart& chart_;
};

Chart::Chart(QWidget* cardHost, QWidget* parent)
    : QWidget(parent),
      canvas_(new Canvas(this)),
      overlay_(new Overlay(this)),
      card_(new HoverCardWidget(cardHost != nullptr ? cardHost : this)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(96);
    setLeftMargin(leftMargin_);
    canvas_->hide();
}

void Chart::setScene(ChartScene scene, bool zoomed) {
    scene_ = std::move(scene);
    zoomed_ = zoomed;
    setLeftMargin(leftMargin_);
    canvas_->setVisible(scene_.hint.isEmpty());
    if (scene_.hint.isEmpty()) {
        canvas_->draw(scene_);
    } else {
        hideCrosshair();
    }
    if (crosshair_) {
        showCrosshair(*crosshair_);
    }
    overlay_->update();
}

bool Chart::setLeftMargin(int points) {
    canvas_->setMargins(QMargins(points, headRoom(scene_.kind), kRight, kBottom));
    return std::exchange(leftMargin_, points) != points;
}

int Chart::leftMarginNeeded() const {
    const QFontMetricsF metrics(font());
    double widest = metrics.horizontalAdvance(QString::fromStdString(scene_.y.unit));
    for (const Tick& tick : scene_.y.ticks) {
        widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(tick.label)));
    }
    return static_cast<int>(std::ceil(widest)) + 18;
}

PlotFrame Chart::frame() const {
    PlotFrame frame;
    frame.rect = QRectF(rect()).adjusted(leftMargin_, headRoom(scene_.kind), -kRight, -kBottom);
    frame.x = scene_.spanX();
    frame.y = scene_.spanY();
    return frame;
}

void Chart::resizeEvent(QResizeEvent* event) {
    canvas_->setGeometry(rect());
    overlay_->setGeometry(rect());
    if (scene_.hint.isEmpty()) {
        canvas_->draw(scene_);  // until there is a scene of the new size
    }
    QWidget::resizeEvent(event);
    emit resized();
}

void Chart::zoomAbout(double x, double factor) {
    const AxisSpan view = scene_.spanX().zoomed(scene_.spanX().part(x), factor);
    emit viewRequested(view.from, view.to);
}

void Chart::moveBy(double parts) {
    const AxisSpan view = scene_.spanX().moved(parts);
    emit viewRequested(view.from, view.to);
}

void Chart::showCrosshair(double x) {
    const HoverCard card = cards_ && scene_.hint.isEmpty() ? cards_(x) : HoverCard{};
    if (card.empty()) {
        hideCrosshair();
        return;
    }
    crosshair_ = card.x;
    const PlotFrame f = frame();
    const QPoint here(static_cast<int>(std::lround(f.pixelX(card.x))), static_cast<int>(f.rect.top()) + 6);
    card_->showCard(card, card_->parentWidget() == this ? here : mapTo(card_->parentWidget(), here));
    overlay_->update();
}

void Chart::hideCrosshair() {
    crosshair_.reset();
    card_->hide();
    overlay_->update();
}

void Chart::mousePressEvent(QMouseEvent* event) {
    const bool middle = event->button() == Qt::MiddleButton;
    if ((event->button() != Qt::LeftButton && !middle) || !scene_.hint.isEmpty()) {
        return;
    }
    dragStart_ = dragNow_ = event->position();
    movedFrom_ = scene_.spanX();
    drag_ = middle || (event->modifiers() & Qt::ShiftModifier) != 0 ? Drag::Move : Drag::Pending;
}

void Chart::dragTo(const QPointF& position) {
    dragNow_ = position;
    if (drag_ == Drag::Pending && std::abs(dragNow_.x() - dragStart_.x()) >= kDragThreshold) {
        drag_ = Drag::Select;
    }
    if (drag_ == Drag::Move) {
        const double width = std::max(1.0, frame().rect.width());
        const AxisSpan view = movedFrom_.moved((dragStart_.x() - dragNow_.x()) / width);
        emit viewRequested(view.from, view.to);
    }
    overlay_->update();
}

void Chart::mouseMoveEvent(QMouseEvent* event) {
    if (drag_ != Drag::None) {
        dragTo(event->position());
    }
    const PlotFrame f = frame();
    if (drag_ == Drag::Move ||
        !f.rect.adjusted(-2, -headRoom(scene_.kind), 2, 2).contains(event->position())) {
        hideCrosshair();
    } else {
        showCrosshair(f.valueX(event->position().x()));
    }
}

void Chart::mouseReleaseEvent(QMouseEvent* event) {
    if (drag_ != Drag::None) {
        dragTo(event->position());
    }
    const Drag done = std::exchange(drag_, Drag::None);
    const PlotFrame f = frame();
    if (done == Drag::Select) {
        const auto [low, high] = std::minmax({f.valueX(dragStart_.x()), f.valueX(dragNow_.x())});
        emit viewRequested(std::max(low, scene_.from), std::min(high, scene_.to));
    } else if (done == Drag::Pending && f.rect.contains(event->position())) {
        emit clicked(f.valueX(event->position().x()));
    }
    overlay_->update();
}

void Chart::mouseDoubleClickEvent(QMouseEvent* event) {
    drag_ = Drag::None;
    if (event->button() == Qt::LeftButton && scene_.hint.isEmpty()) {
        emit resetRequested();
    }
}

void Chart::wheelEvent(QWheelEvent* event) {
    if (!scene_.hint.isEmpty()) {
        return;
    }
    const QPoint delta = event->angleDelta();
    const PlotFrame f = frame();
    // Alt+wheel arrives as horizontal on some platforms, and a touchpad sends both: use the larger one.
    if ((event->modifiers() & Qt::ShiftModifier) != 0 || std::abs(delta.x()) > std::abs(delta.y())) {
        const int amount = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
        moveBy(-amount / 120.0 * 0.1);
    } else if (delta.y() != 0) {
        const double x = std::clamp(f.valueX(event->position().x()), scene_.from, scene_.to);
        zoomAbout(x, std::pow(kZoomStep, delta.y() / 120.0));
    }
    event->accept();
}

void Chart::keyPressEvent(QKeyEvent* event) {
    if (!scene_.hint.isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const double middle = crosshair_.value_or((scene_.from + scene_.to) / 2);
    const double nudge = (scene_.to - scene_.from) / 100;
    switch (event->key()) {
        case Qt::Key_Left:
            showCrosshair(std::max(scene_.from, middle - nudge));
            return;
        case Qt::Key_Right:
            showCrosshair(std::min(scene_.to, middle + nudge));
            return;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomAbout(middle, kZoomStep);
            return;
        case Qt::Key_Minus:
            zoomAbout(middle, 1 / kZoomStep);
            return;
        case Qt::Key_Home:
            emit resetRequested();
            return;
        case Qt::Key_Escape:
            if (zoomed_) {
                emit resetRequested();
                return;
            }
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (crosshair_) {  // otherwise there is no position to click
                emit clicked(*crosshair_);
                return;
            }
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void Chart::leaveEvent(QEvent*) {
    hideCrosshair();
}

bool Chart::event(QEvent* event) {
    // The panel's tooltip would cover the hover card.
    return event->type() == QEvent::ToolTip || QWidget::event(event);
}

void Chart::focusInEvent(QFocusEvent* event) {
    focusShown_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                  event->reason() == Qt::ShortcutFocusReason;
    QWidget::focusInEvent(event);
}

void Chart::focusOutEvent(QFocusEvent* event) {
    focusShown_ = false;
    hideCrosshair();
    QWidget::focusOutEvent(event);
}

}  // namespace highwater::widgets

#include "moc_chart.cpp"
