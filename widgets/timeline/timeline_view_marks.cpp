#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/plot/plot_values.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

/// Lines and marks over the stack: reserved memory, a layer's share, where memory ran out, the chosen moment.
namespace highwater::widgets {

namespace {

constexpr double kGrip = 5;  // px beside a mark that still belong to it

}  // namespace

/// A line through the values at the columns' states.
QPainterPath TimelineView::stepLine(const std::function<base::Bytes(std::size_t)>& valueAt) const {
    const QRect r = plot();
    const double scale = devicePixelRatioF();
    const auto y = [&](base::Bytes bytes) {
        return r.top() +
               std::clamp(picture_.pixelY(static_cast<double>(bytes)) / scale, -2.0, r.height() + 2.0);
    };
    QPainterPath path;
    base::Bytes before = -1;
    for (int c = 0; c < picture_.width(); ++c) {
        const base::Bytes bytes = valueAt(picture_.columns[static_cast<std::size_t>(c)].highest);
        const double x = r.left() + c / scale;
        if (c == 0) {
            path.moveTo(x, y(bytes));
        } else if (bytes != before) {
            path.lineTo(x, y(before));
            path.lineTo(x, y(bytes));
        }
        before = bytes;
        if (c + 1 == picture_.width()) {
            path.lineTo(r.right() + 1.0, y(bytes));
        }
    }
    return path;
}

/// The shown layer's bytes as a line from zero.
void TimelineView::paintLayerLine(QPainter& painter) {
    if (layer_ < 0) {
        return;
    }
    const QPainterPath path = stepLine([this](std::size_t state) { return profile_.at(state); });
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().window, 3));
    painter.drawPath(path);
    painter.setPen(QPen(theme().text, 1.2));
    painter.drawPath(path);
}

void TimelineView::paintReservedLine(QPainter& painter) {
    if (index_->trace().reserved.empty()) {
        return;
    }
    const QPainterPath path =
        stepLine([this](std::size_t state) { return reservedAt(index_->trace(), state); });
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(reservedColor(), 1.4));
    painter.drawPath(path);
}

/// The limit that the run had, if it is in view.
void TimelineView::paintBudget(QPainter& painter) {
    const auto budget = static_cast<double>(index_->trace().budget);
    if (budget <= range_.low || budget >= range_.high) {
        return;
    }
    const QRect r = plot();
    const double y = std::round(r.top() + (range_.high - budget) / (range_.high - range_.low) * r.height());
    painter.setPen(QPen(theme().bad, 1, Qt::DashLine));
    painter.drawLine(QPointF(r.left(), y), QPointF(r.right(), y));
    painter.setFont(smallFont(font()));
    const double below = y + QFontMetricsF(painter.font()).ascent() + 3;  // the steps' names are above
    painter.drawText(QPointF(r.left() + 6, below), tr("budget %1").arg(bytesText(index_->trace().budget)));
    painter.setFont(font());
}

double TimelineView::refusalPixel(const memory::TraceRefusal& refusal) const {
    const double from = index_->begin(range_.axis, refusal.event);
    const double to = index_->begin(range_.axis, refusal.event + 1);
    return pixelAt(range_.axis == TimelineAxis::Time
                       ? std::clamp(static_cast<double>(refusal.time), from, std::max(from, to))
                       : to);
}

int TimelineView::refusalAt(const QPointF& position) const {
    const QRect r = plot();
    for (const auto& [label, refusal] : refusalLabels_) {
        if (label.contains(position)) {
            return refusal;
        }
    }
    if (position.y() < r.top() || position.y() > r.top() + 4 * fontMetrics().height()) {
        return -1;
    }
    const auto& refusals = index_->trace().refusals;
    int nearest = -1;
    double least = kGrip;
    for (std::size_t i = 0; i < refusals.size(); ++i) {
        const double distance = std::abs(refusalPixel(refusals[i]) - position.x());
        if (distance <= least) {
            least = distance;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

void TimelineView::zoomToRefusal() {
    const auto count = index_ ? static_cast<int>(index_->trace().refusals.size()) : 0;
    if (count == 0) {
        return;
    }
    refusal_ = (refusal_ + 1) % count;
    TimelineRange next = wholeRange(*index_, range_.axis, room_);
    const std::size_t state = index_->trace().refusals[static_cast<std::size_t>(refusal_)].event;
    const double at = index_->begin(next.axis, state);
    const double half = std::min((range_.to - range_.from) / 4, (next.to - next.from) / 40);
    next.from = at - half;
    next.to = at + half;
    setRange(next);
    chooseMoment(state);
    emit refusalClicked(refusal_);
}

void TimelineView::chooseMoment(std::optional<std::size_t> state) {
    if (state == moment_) {
        return;
    }
    moment_ = state;
    update();
    emit momentChosen();
}

/// Where memory ran out: a line, the size requested, and a head to click.
void TimelineView::paintRefusals(QPainter& painter) {
    const Theme& t = theme();
    const QRect r = plot();
    painter.setFont(smallFont(font()));
    const QFontMetricsF metrics(painter.font());
    const double top = r.top() + metrics.height() + 6;
    double free = r.left() - 1.0, drawn = -100;
    refusalLabels_.clear();
    const auto& refusals = index_->trace().refusals;
    for (std::size_t i = 0; i < refusals.size(); ++i) {
        const memory::TraceRefusal& refusal = refusals[i];
        const double x = std::min(refusalPixel(refusal), r.right() - 1.0);
        if (x < r.left() - kGrip || x > r.right() + kGrip || x < drawn + 2) {
            continue;
        }
        drawn = x;
        painter.fillRect(QRectF(std::round(x) - 1, r.top(), 2, r.height()), t.bad);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.bad);
        const QPointF head[] = {{x - kGrip, r.top() + 0.0}, {x + kGrip, r.top() + 0.0}, {x, r.top() + 8.0}};
        painter.drawConvexPolygon(head, 3);
        painter.setRenderHint(QPainter::Antialiasing, false);
        const QString label = tr("out of memory: %1").arg(bytesText(refusal.asked));
        const double width = metrics.horizontalAdvance(label) + 8;
        const bool right = x + 4 + width < r.right();
        const QRectF box(right ? x + 3 : x - 3 - width, top, width, metrics.height() + 2);
        if (box.left() < free) {
            continue;
        }
        painter.fillRect(box, t.bad);
        painter.setPen(t.window);
        painter.drawText(box, Qt::AlignCenter, label);
        refusalLabels_.emplace_back(box, static_cast<int>(i));
        free = box.right() + 6;
    }
    painter.setFont(font());
}

void TimelineView::paintMoment(QPainter& painter) {
    if (!moment_) {
        return;
    }
    const QRect r = plot();
    const double from = index_->begin(range_.axis, *moment_), to = index_->begin(range_.axis, *moment_ + 1);
    const double x = std::round(pixelAt(from)), end = std::round(pixelAt(to));
    QColor lasts = theme().accent;
    lasts.setAlphaF(0.14F);
    painter.fillRect(QRectF(x, r.top(), end - x, r.height()), lasts);
    painter.setPen(QPen(theme().accent, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
}

}  // namespace highwater::widgets
