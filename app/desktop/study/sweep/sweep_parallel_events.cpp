#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/desktop/study/sweep/sweep_parallel.h"
#include "widgets/plot/annotations.h"
#include "widgets/plot/canvas.h"
#include "widgets/theme/theme.h"

/// Parallel coordinates: painting of axes and brushes, mouse and keys.
namespace highwater::desktop {

namespace {

constexpr double kBrushClick = 4;   ///< a press that moves less is a click
constexpr double kBrushHalf = 6;    ///< half the width of a brush
constexpr double kLabelApart = 26;  ///< pixels from label to label

}  // namespace

void SweepParallel::paintCell(QPainter& painter, int cell, double width) const {
    if (link_.cell(cell) == nullptr || spans_.empty()) {
        return;
    }
    QPen pen(widgets::theme().text, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    if (link_.cell(cell)->state != CellState::Done) {
        pen.setDashPattern({3, 2});
    }
    const widgets::PlotFrame f = frame();
    QPolygonF run;
    const auto flush = [&] {
        // An outline separates it from what is below.
        QColor rim = widgets::theme().panel;
        rim.setAlphaF(0.7F);
        painter.setPen(QPen(rim, width + 2.5));
        painter.drawPolyline(run);
        painter.setPen(pen);
        painter.drawPolyline(run);
        painter.setBrush(widgets::theme().text);
        for (const QPointF& point : run) {
            painter.drawEllipse(point, width, width);
        }
        painter.setBrush(Qt::NoBrush);
        run.clear();
    };
    for (std::size_t column = 0; column < spans_.size(); ++column) {
        const float part = parts_[static_cast<std::size_t>(cell) * spans_.size() + column];
        if (std::isnan(part)) {
            flush();
        } else {
            run << QPointF(axisX(column), f.pixelY(static_cast<double>(part)));
        }
    }
    flush();
}

void SweepParallel::paintAxis(QPainter& painter, std::size_t column) const {
    const widgets::Theme& t = widgets::theme();
    const widgets::PlotFrame f = frame();
    const SweepRows& rows = link_.rows();
    const double x = axisX(column);
    const bool known = rows.isAxis(column) || spans_[column].to > spans_[column].from;
    const bool chosen = hasFocus() && column == axis_;
    painter.setPen(QPen(chosen ? t.accent : t.mutedText, chosen ? 2 : 1));
    painter.drawLine(QPointF(x, f.rect.top()), QPointF(x, f.rect.bottom()));
    const QFont font = widgets::chartFont(this->font());
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const int most = static_cast<int>(f.rect.height() / kLabelApart);
    const widgets::Ticks ticks = known ? rows.ticks(column, spans_[column], most) : widgets::Ticks();
    const double gap = spans_.size() > 1 ? axisX(1) - axisX(0) : width();
    const double room = std::min(gap - 8, column + 1 == spans_.size() ? width() - x - 2.0 : gap - 8);
    for (const widgets::Tick& tick : ticks.ticks) {
        const double part = spans_[column].part(tick.at);
        if (part < -1e-6 || part > 1 + 1e-6) {
            continue;
        }
        const double y = f.pixelY(part);
        const QString label = metrics.elidedText(QString::fromStdString(tick.label), Qt::ElideRight,
                                                 std::max(12.0, std::min(room - 8, 110.0)));
        const QRectF box(x + 6, y - metrics.height() / 2, metrics.horizontalAdvance(label) + 4,
                         metrics.height());
        QColor ground = t.panel;
        ground.setAlphaF(0.72F);
        painter.fillRect(box.adjusted(-1, 1, 0, -1), ground);
        painter.setPen(t.text);
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, label);
        painter.setPen(t.mutedText);
        painter.drawLine(QPointF(x - 2, y), QPointF(x + 3, y));
    }
    const double wide = std::min(gap - 6, 2 * std::min(x, width() - x));
    const QRectF head(x - wide / 2, f.rect.top() - 34, wide, metrics.height());
    painter.setPen(chosen ? t.accent : t.text);
    painter.drawText(head, Qt::AlignHCenter | Qt::AlignVCenter,
                     metrics.elidedText(rows.columnTitle(column), Qt::ElideRight, wide));
    painter.setPen(t.mutedText);
    painter.drawText(head.translated(0, metrics.height() - 1), Qt::AlignHCenter | Qt::AlignVCenter,
                     known ? QString::fromStdString(ticks.unit) : tr("not known"));
}

void SweepParallel::paintBrush(QPainter& painter, std::size_t column) const {
    const auto range = link_.filter().range(column);
    if (!range) {
        return;
    }
    const widgets::PlotFrame f = frame();
    const auto y = [&](double value) {
        return std::clamp(valueY(column, value), f.rect.top(), f.rect.bottom());
    };
    // Levels are points: their brush extends a little beyond them.
    const double more = link_.rows().isAxis(column) ? 5 : 0;
    const QRectF box(QPointF(axisX(column) - kBrushHalf, y(range->high) - more),
                     QPointF(axisX(column) + kBrushHalf, std::max(y(range->low), y(range->high) + 2) + more));
    QColor fill = widgets::theme().accent;
    fill.setAlphaF(0.28F);
    painter.setPen(QPen(widgets::theme().accent, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(box, 2, 2);
    painter.setBrush(Qt::NoBrush);
}

void SweepParallel::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        return QWidget::mousePressEvent(event);
    }
    setFocus(Qt::MouseFocusReason);
    const auto column = axisAt(event->position());
    if (!column) {
        return;
    }
    axis_ = *column;
    drag_ = Drag{*column, event->position().y(), {}, false};
    const auto range = link_.filter().range(*column);
    const double at = valueAt(*column, event->position().y());
    if (range && range->holds(at)) {
        drag_->moved = range;
    }
    overlay_->update();
}

void SweepParallel::mouseMoveEvent(QMouseEvent* event) {
    pointer_ = event->position();
    if (!drag_) {
        const bool axis = axisAt(event->position()).has_value();
        const int cell = axis ? -1 : cellAt(event->position());
        setCursor(axis ? Qt::SizeVerCursor : cell >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
        link_.setHovered(cell);
        return showCard();
    }
    const double y = event->position().y();
    drag_->far |= std::abs(y - drag_->fromY) >= kBrushClick;
    if (!drag_->far) {
        return;
    }
    const std::size_t column = drag_->column;
    if (!drag_->moved) {
        return brush(column, valueAt(column, drag_->fromY), valueAt(column, y));
    }
    const widgets::AxisSpan& span = spans_[column];
    const double by = span.part(valueAt(column, y)) - span.part(valueAt(column, drag_->fromY));
    const double low = span.part(drag_->moved->low), high = span.part(drag_->moved->high);
    const double kept = std::clamp(by, std::min(0.0, -low), std::max(0.0, 1 - high));
    brush(column, span.at(low + kept), span.at(high + kept));
}

void SweepParallel::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        return;
    }
    if (drag_ && !drag_->far) {  // a click on an axis removes its brush
        SweepFilter filter = link_.filter();
        filter.setRange(drag_->column, std::nullopt);
        link_.setFilter(std::move(filter));
    } else if (!drag_) {
        if (const int cell = cellAt(event->position()); cell >= 0) {
            link_.setCurrent(cell);
        }
    }
    drag_.reset();
}

void SweepParallel::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int cell = cellAt(event->position()); cell >= 0 && !axisAt(event->position())) {
        link_.open(cell);
    }
}

void SweepParallel::keyPressEvent(QKeyEvent* event) {
    const auto step = [this](int by) {
        const auto& shown = link_.shown();
        if (shown.empty()) {
            return;
        }
        const auto at = std::lower_bound(shown.begin(), shown.end(), link_.current());
        const auto last = static_cast<std::ptrdiff_t>(shown.size()) - 1;
        const bool there = at != shown.end() && *at == link_.current();
        const std::ptrdiff_t place = at - shown.begin() + (there || by < 0 ? by : 0);
        link_.setCurrent(shown[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, last))]);
    };
    SweepFilter filter = link_.filter();
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (!spans_.empty()) {
                axis_ = event->key() == Qt::Key_Right ? std::min(axis_ + 1, spans_.size() - 1)
                                                      : axis_ - std::min<std::size_t>(axis_, 1);
                overlay_->update();
            }
            return;
        case Qt::Key_Up:
            return moveBrush(1, 0);
        case Qt::Key_Down:
            return moveBrush(-1, 0);
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return moveBrush(0, 1);
        case Qt::Key_Minus:
            return moveBrush(0, -1);
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            filter.setRange(axis_, std::nullopt);
            return link_.setFilter(std::move(filter));
        case Qt::Key_Escape:
            filter.ranges.clear();
            return link_.setFilter(std::move(filter));
        case Qt::Key_PageUp:
            return step(-1);
        case Qt::Key_PageDown:
            return step(1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return link_.open(link_.current());
        default:
            QWidget::keyPressEvent(event);
    }
}

void SweepParallel::leaveEvent(QEvent*) {
    pointer_.reset();
    link_.setHovered(-1);
    showCard();
}

void SweepParallel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        overlay_->update();
    }
}

void SweepParallel::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    overlay_->update();
}

void SweepParallel::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    overlay_->update();
}

void SweepParallel::paintEvent(QPaintEvent*) {
    if (spans_.empty()) {
        QPainter painter(this);
        painter.setPen(widgets::theme().mutedText);
        painter.drawText(rect(), Qt::AlignCenter, tr("There are no cells."));
    }
}

void SweepParallel::resizeEvent(QResizeEvent* event) {
    canvas_->setGeometry(rect());
    overlay_->setGeometry(rect());
    QWidget::resizeEvent(event);
    stale_ = true;
    refresh();
}

void SweepParallel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

void SweepParallel::contextMenuEvent(QContextMenuEvent* event) {
    contextMenu()->exec(event->globalPos());
}

}  // namespace highwater::desktop
