#include "widgets/plot/xy_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plot/canvas.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kWheelZoom = 1.25, kReach = 14, kClickReach = 5;
constexpr double kLeastPart = 1e-3;  ///< of the whole range: how far the chart can be zoomed

AxisSpan inSight(const AxisSpan& whole, const StepRange& part) {
    return {whole.at(part.from), whole.at(part.to), whole.log};
}

StepRange kept(const StepRange& part) {
    return fitView(part.from, part.to, {0, 1}, kLeastPart).value_or(StepRange{0, 1});
}

AxisSpan sound(AxisSpan span) {
    if (!(span.to > span.from)) {
        span.to = span.from + std::max(1e-9, std::abs(span.from) * 1e-3);
    }
    return span;
}

std::vector<DataPoint> pointsOf(const ChartScene& scene) {
    std::vector<DataPoint> points;
    for (const DataSeries& series : scene.data) {
        std::copy_if(series.points.begin(), series.points.end(), std::back_inserter(points),
                     [](const DataPoint& point) { return point.id >= 0; });
    }
    return points;
}

}  // namespace

XyChart::XyChart(QWidget* parent) : QWidget(parent), canvas_(new Canvas(this)) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &XyChart::refresh);
}

void XyChart::setAxes(AxisSpan x, AxisSpan y) {
    x = sound(x);
    y = sound(y);
    if (x != x_ || y != y_) {
        view_ = {};
    }
    x_ = x;
    y_ = y;
}

void XyChart::setMargins(const QMargins& margins) {
    margins_ = margins;
    canvas_->setMargins(margins);
}

PlotFrame XyChart::frame() const {
    const QRectF axes = QRectF(rect().marginsRemoved(margins_));
    return {QRectF(axes.topLeft(), axes.size().expandedTo(QSizeF(20, 1))), inSight(x_, view_.x),
            inSight(y_, view_.y)};
}

bool XyChart::zoomed() const {
    return view_.x.to - view_.x.from < 1 || view_.y.to - view_.y.from < 1;
}

void XyChart::refresh() {
    const PlotFrame f = frame();
    scene_ = sceneOf(f);
    scene_.from = f.x.from;
    scene_.to = f.x.to;
    scene_.logX = f.x.log;
    scene_.lower = f.y.from;
    scene_.upper = f.y.to;
    scene_.logY = f.y.log;
    scene_.focused = focusShown_;
    canvas_->setVisible(scene_.hint.isEmpty());
    canvas_->draw(scene_);
    update();
}

void XyChart::setView(const View& view) {
    view_ = {zoomable_.testFlag(Qt::Horizontal) ? kept(view.x) : StepRange{0, 1},
             zoomable_.testFlag(Qt::Vertical) ? kept(view.y) : StepRange{0, 1}};
    refresh();
    emit pointHovered(hovered_);  // its position on the screen has changed
}

void XyChart::resetView() {
    setView({});
}

void XyChart::zoomAbout(const QPointF& position, double factor) {
    const QRectF axes = frame().rect;
    const auto narrowed = [factor](const StepRange& part, double at) {
        const double fixed = part.from + std::clamp(at, 0.0, 1.0) * (part.to - part.from);
        return StepRange{fixed - (fixed - part.from) / factor, fixed + (part.to - fixed) / factor};
    };
    setView({narrowed(view_.x, (position.x() - axes.left()) / axes.width()),
             narrowed(view_.y, (axes.bottom() - position.y()) / axes.height())});
}

int XyChart::idAt(const QPointF& position) const {
    const PlotFrame f = frame();
    int nearest = -1;
    double least = kReach;
    for (const DataPoint& point : pointsOf(scene_)) {
        const QPointF at(f.pixelX(point.x), f.pixelY(point.y));
        const double far = std::hypot(at.x() - position.x(), at.y() - position.y());
        if (far < least && f.rect.adjusted(-1, -1, 1, 1).contains(at)) {
            least = far;
            nearest = point.id;
        }
    }
    return nearest;
}

void XyChart::hover(int id) {
    setCursor(id >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (std::exchange(hovered_, id) != id) {
        refresh();
    }
    emit pointHovered(id);
}

/// The next point in view to the right or left of the hovered one.
void XyChart::goToNext(int direction) {
    std::vector<DataPoint> points = pointsOf(scene_);
    std::erase_if(points, [f = frame()](const DataPoint& point) {
        const double x = f.x.part(point.x), y = f.y.part(point.y);
        return x < 0 || x > 1 || y < 0 || y > 1;
    });
    std::stable_sort(points.begin(), points.end(), [direction](const DataPoint& a, const DataPoint& b) {
        return direction > 0 ? a.x < b.x : a.x > b.x;
    });
    const auto now = std::find_if(points.begin(), points.end(),
                                  [this](const DataPoint& point) { return point.id == hovered_; });
    const auto next = now == points.end() ? points.begin() : now + 1;
    if (next != points.end()) {
        hover(next->id);
    }
}

void XyChart::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        refresh();
    }
}

void XyChart::focusInEvent(QFocusEvent* event) {
    focusShown_ = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason ||
                  event->reason() == Qt::ShortcutFocusReason;
    QWidget::focusInEvent(event);
    refresh();
}

void XyChart::focusOutEvent(QFocusEvent* event) {
    focusShown_ = false;
    QWidget::focusOutEvent(event);
    refresh();
}

void XyChart::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomAbout(frame().rect.center(), kWheelZoom);
            return;
        case Qt::Key_Minus:
            zoomAbout(frame().rect.center(), 1 / kWheelZoom);
            return;
        case Qt::Key_Left:
        case Qt::Key_Right:
            goToNext(event->key() == Qt::Key_Right ? 1 : -1);
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (hovered_ >= 0) {
                emit pointClicked(hovered_);
                return;
            }
            break;
        case Qt::Key_Home:
        case Qt::Key_Escape:
            if (zoomed()) {
                resetView();
                return;
            }
            break;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void XyChart::leaveEvent(QEvent*) {
    hover(-1);
}

void XyChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) {
        QWidget::mousePressEvent(event);
        return;
    }
    pressed_ = event->position();
    pressedView_ = view_;
    dragged_ = false;
}

void XyChart::mouseMoveEvent(QMouseEvent* event) {
    const QPointF way = event->position() - pressed_.value_or(event->position());
    if (!dragged_ && std::hypot(way.x(), way.y()) < kClickReach) {
        if (const int id = idAt(event->position()); id != hovered_) {
            hover(id);
        }
        return;
    }
    dragged_ = true;
    hover(-1);
    const QRectF axes = frame().rect;
    const auto moved = [](const StepRange& part, double distance) {
        const double by = distance * (part.to - part.from);
        return StepRange{part.from - by, part.to - by};
    };
    setView({moved(pressedView_.x, way.x() / axes.width()), moved(pressedView_.y, -way.y() / axes.height())});
}

void XyChart::mouseReleaseEvent(QMouseEvent* event) {
    const bool click = pressed_ && !dragged_ && event->button() == Qt::LeftButton;
    pressed_.reset();
    dragged_ = false;
    if (const int id = idAt(event->position()); click && id >= 0) {
        emit pointClicked(id);
    }
}

void XyChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        resetView();
    }
}

void XyChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(theme().mutedText);
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, scene_.hint);
}

void XyChart::resizeEvent(QResizeEvent* event) {
    canvas_->setGeometry(rect());
    QWidget::resizeEvent(event);
    refresh();
}

void XyChart::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const bool wanted = !wheelWithControl_ || event->modifiers().testFlag(Qt::ControlModifier);
    if (!wanted || !scene_.hint.isEmpty() || delta.y() == 0) {
        event->ignore();
        return;
    }
    zoomAbout(event->position(), std::pow(kWheelZoom, delta.y() / 120.0));
    event->accept();
}

}  // namespace highwater::widgets

#include "moc_xy_chart.cpp"
