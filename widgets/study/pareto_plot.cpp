#include "widgets/study/pareto_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/plot/hover_card.h"
#include "widgets/study/axis.h"
#include "widgets/study/combinations_model.h"
#include "widgets/study/study_words.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr double kReach = 14, kRadius = 4.5;
constexpr int kTickWidth = 76, kTickHeight = 42;

}  // namespace

struct ParetoPlot::Frame {
    QRectF plot;
    AxisSpan bytes, ms;
    double x(double value) const {
        return plot.left() + (value - bytes.from) / (bytes.to - bytes.from) * plot.width();
    }
    double y(double value) const {
        return plot.bottom() - (value - ms.from) / (ms.to - ms.from) * plot.height();
    }
};

ParetoPlot::ParetoPlot(QWidget* parent) : QWidget(parent), card_(new HoverCardWidget(this)) {
    setMouseTracking(true);
    setMinimumSize(240, 160);
    setAccessibleName(tr("Memory against time of every combination"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { update(); });
}

void ParetoPlot::setRows(std::vector<CombinationRow> rows) {
    rows_ = std::move(rows);
    current_ = -1;
    hover(-1);
    QStringList front;
    for (const CombinationRow& row : rows_) {
        if (row.front) {
            front << row.name;
        }
    }
    setAccessibleDescription(front.isEmpty() ? QString() : tr("Pareto front: %1").arg(front.join("; ")));
    update();
}

void ParetoPlot::setCurrent(int row) {
    current_ = row;
    update();
}

std::optional<ParetoPlot::Frame> ParetoPlot::frame() const {
    Frame frame{{}, {HUGE_VAL, 0}, {HUGE_VAL, 0}};
    for (const CombinationRow& row : rows_) {
        if (!row.measured) {
            continue;
        }
        const auto peak = static_cast<double>(row.peak);
        frame.bytes = {std::min(frame.bytes.from, peak), std::max(frame.bytes.to, peak)};
        frame.ms = {std::min({frame.ms.from, row.stepMs.low, row.stepMs.median}),
                    std::max({frame.ms.to, row.stepMs.high, row.stepMs.median})};
    }
    if (frame.bytes.from == HUGE_VAL) {
        return {};
    }
    frame.bytes = widened(frame.bytes);
    frame.ms = widened(frame.ms);
    const QFontMetricsF small(smallFont(font()));
    const double left = small.horizontalAdvance(figureText(frame.ms.to, "ms")) + 22;
    frame.plot = QRectF(rect()).adjusted(left, small.height() + 12, -24, -2 * small.height() - 12);
    return frame;
}

std::optional<QPointF> ParetoPlot::pointOf(int row) const {
    const auto at = frame();
    if (!at || row < 0 || row >= static_cast<int>(rows_.size())) {
        return {};
    }
    const CombinationRow& r = rows_[static_cast<std::size_t>(row)];
    return r.measured ? std::optional(QPointF(at->x(static_cast<double>(r.peak)), at->y(r.stepMs.median)))
                      : std::nullopt;
}

int ParetoPlot::rowAt(const QPointF& position) const {
    int nearest = -1;
    double least = kReach;
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
        if (const auto point = pointOf(row)) {
            if (const double far = QLineF(*point, position).length(); far < least) {
                least = far;
                nearest = row;
            }
        }
    }
    return nearest;
}

HoverCard ParetoPlot::cardOf(int row) const {
    HoverCard card;
    if (!pointOf(row)) {
        return card;
    }
    const CombinationRow& r = rows_[static_cast<std::size_t>(row)];
    card.title = r.name;
    card.note = r.front ? tr("Pareto: none beats it in both") : QString();
    card.rows.push_back({{}, tr("memory"), QString::fromStdString(base::formatBytes(r.peak))});
    card.rows.push_back({{}, tr("step ms"), timeText(r.stepMs)});
    return card;
}

void ParetoPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().window);
    const auto at = frame();
    if (!at) {
        painter.setPen(theme().mutedText);
        painter.drawText(rect(), Qt::AlignCenter, tr("Nothing was measured"));
        return;
    }
    painter.setFont(smallFont(font()));
    paintAxes(painter, *at);
    paintFront(painter, *at);
    for (const bool front : {false, true}) {  // what matters lies above
        for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
            if (rows_[static_cast<std::size_t>(row)].measured &&
                rows_[static_cast<std::size_t>(row)].front == front) {
                paintPoint(painter, *at, row);
            }
        }
    }
}

void ParetoPlot::paintAxes(QPainter& painter, const Frame& f) const {
    const Theme& t = theme();
    const double line = QFontMetricsF(painter.font()).height();
    const auto label = [&](const QRectF& room, int flags, const QString& text) {
        painter.setPen(t.mutedText);
        painter.drawText(room, flags, text);
    };
    for (const double tick : byteTicks(f.bytes, static_cast<int>(f.plot.width() / kTickWidth))) {
        painter.setPen(QPen(t.border, 1));
        const double x = std::round(f.x(tick)) + 0.5;
        painter.drawLine(QPointF(x, f.plot.top()), QPointF(x, f.plot.bottom()));
        label({x - kTickWidth / 2.0, f.plot.bottom() + 2, kTickWidth, line}, Qt::AlignCenter,
              figureText(tick, "B"));
    }
    for (const double tick : roundTicks(f.ms, static_cast<int>(f.plot.height() / kTickHeight))) {
        painter.setPen(QPen(t.border, 1));
        const double y = std::round(f.y(tick)) + 0.5;
        painter.drawLine(QPointF(f.plot.left(), y), QPointF(f.plot.right(), y));
        label({0, y - line / 2, f.plot.left() - 6, line}, Qt::AlignRight | Qt::AlignVCenter,
              figureText(tick, "ms"));
    }
    label({f.plot.left(), f.plot.bottom() + line + 4, f.plot.width(), line}, Qt::AlignRight,
          tr("peak memory (less is better)"));
    label({6, 2, width() - 12.0, line}, Qt::AlignLeft, tr("time of a step (less is better)"));
}

/// Stairs: what lies above and right of them is beaten.
void ParetoPlot::paintFront(QPainter& painter, const Frame& f) const {
    std::vector<QPointF> points;
    for (int row = 0; row < static_cast<int>(rows_.size()); ++row) {
        if (rows_[static_cast<std::size_t>(row)].front) {
            if (const auto point = pointOf(row)) {
                points.push_back(*point);
            }
        }
    }
    if (points.empty()) {
        return;
    }
    std::sort(points.begin(), points.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    QPainterPath path(QPointF(points.front().x(), f.plot.top()));
    for (const QPointF& point : points) {
        path.lineTo(point.x(), path.currentPosition().y());
        path.lineTo(point);
    }
    path.lineTo(f.plot.right(), points.back().y());
    QColor colour = theme().accent;
    colour.setAlphaF(0.6F);
    painter.setPen(QPen(colour, 1.4, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
}

void ParetoPlot::paintPoint(QPainter& painter, const Frame& f, int index) const {
    const CombinationRow& row = rows_[static_cast<std::size_t>(index)];
    const Theme& t = theme();
    const QPointF at(f.x(static_cast<double>(row.peak)), f.y(row.stepMs.median));
    const QColor colour = row.front ? t.accent : t.mutedText;
    if (row.stepMs.n > 1) {
        painter.setPen(QPen(colour, 1.2));
        const double low = f.y(row.stepMs.low), high = f.y(row.stepMs.high);
        painter.drawLine(QPointF(at.x(), low), QPointF(at.x(), high));
        for (const double end : {low, high}) {
            painter.drawLine(QPointF(at.x() - 3, end), QPointF(at.x() + 3, end));
        }
    }
    painter.setPen(QPen(t.window, 1.5));
    painter.setBrush(colour);
    painter.drawEllipse(at, kRadius, kRadius);
    if (index == current_ || index == hovered_) {
        painter.setPen(QPen(t.text, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(at, kRadius + 3, kRadius + 3);
    }
    if (index != 0 && index != current_) {
        return;
    }
    painter.setPen(t.text);
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(row.name);
    const bool right = at.x() + 12 + width < this->width();
    const QRectF room(right ? at.x() + 10 : std::max(2.0, at.x() - 10 - width), at.y() - 20, width + 2, 16);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, row.name);
}

void ParetoPlot::hover(int row) {
    hovered_ = row;
    const auto point = pointOf(row);
    card_->showCard(point ? cardOf(row) : HoverCard(), point ? point->toPoint() : QPoint());
    setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void ParetoPlot::mouseMoveEvent(QMouseEvent* event) {
    if (const int row = rowAt(event->position()); row != hovered_) {
        hover(row);
    }
}

void ParetoPlot::mousePressEvent(QMouseEvent* event) {
    if (const int row = rowAt(event->position()); row >= 0 && event->button() == Qt::LeftButton) {
        emit rowClicked(row);
    }
}

void ParetoPlot::leaveEvent(QEvent*) {
    hover(-1);
}

}  // namespace highwater::widgets

#include "moc_pareto_plot.cpp"
