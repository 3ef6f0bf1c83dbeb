#include "widgets/study/interval_chart.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/study/study_words.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr double kChartSide = 12, kGap = 10, kBarHeight = 11, kCap = 3;
constexpr int kLeastWidth = 240;

double rowHeight(const QFont& font) {
    return QFontMetricsF(font).height() + 7;
}

QString tickText(double value, const QString& unit) {
    if (value == 0) {
        return QStringLiteral("0");
    }
    if (unit == "%") {
        return (value > 0 ? "+" : "") + QString::number(value, 'g', 6) + " %";
    }
    return figureText(value, unit);
}

/// Nothing differs from 0.
bool isFlat(const IntervalSection& section) {
    return std::all_of(section.bars.begin(), section.bars.end(), [](const IntervalBar& bar) {
        return bar.value.median == 0 && bar.value.low == 0 && bar.value.high == 0;
    });
}

}  // namespace

/// Where a section lies on the widget.
struct IntervalChart::Place {
    const IntervalSection* section = nullptr;
    double top = 0, bars = 0, bottom = 0;  ///< bars: where the first one begins
    QRectF plot;                           ///< of the bars
    AxisSpan span;
    double row = 0;
    double x(double value) const {
        return plot.left() + (value - span.from) / (span.to - span.from) * plot.width();
    }
};

AxisSpan spanOf(const IntervalSection& section) {
    AxisSpan span{0, 0};
    for (const IntervalBar& bar : section.bars) {
        for (const double value : {bar.value.median, bar.value.low, bar.value.high}) {
            if (std::isfinite(value)) {
                span.from = std::min(span.from, value);
                span.to = std::max(span.to, value);
            }
        }
    }
    if (span.from == span.to) {
        span.to = 1;
    }
    return span;
}

IntervalChart::IntervalChart(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { update(); });
}

void IntervalChart::setSections(std::vector<IntervalSection> sections) {
    std::erase_if(sections, [](const IntervalSection& section) { return section.bars.empty(); });
    sections_ = std::move(sections);
    QStringList spoken;
    for (const IntervalSection& section : sections_) {
        for (const IntervalBar& bar : section.bars) {
            spoken << section.title + ", " + bar.label + ": " + bar.text;
        }
    }
    setAccessibleDescription(spoken.join("; "));
    updateGeometry();
    update();
}

std::vector<IntervalChart::Place> IntervalChart::places() const {
    const QFontMetricsF metrics(font()), small(smallFont(font()));
    const double row = rowHeight(font());
    double labels = 0, texts = 0;
    for (const IntervalSection& section : sections_) {
        for (const IntervalBar& bar : section.bars) {
            labels = std::max(labels, metrics.horizontalAdvance(bar.label));
            texts = std::max(texts, small.horizontalAdvance(bar.text));
        }
    }
    labels = std::min(labels + 2, width() * 0.34);
    texts = std::min(texts + 2, width() * 0.36);
    std::vector<Place> places;
    double y = 0;
    for (const IntervalSection& section : sections_) {
        Place place{&section, y, y + row + 2, 0, {}, spanOf(section), row};
        const double left = kChartSide + labels + kGap, right = width() - kChartSide - texts - kGap;
        place.plot = QRectF(left, place.bars, std::max(20.0, right - left),
                            row * static_cast<double>(section.bars.size()));
        place.bottom = place.plot.bottom() + small.height() + 12;
        y = place.bottom;
        places.push_back(place);
    }
    return places;
}

QSize IntervalChart::sizeHint() const {
    const auto all = places();
    return {520, static_cast<int>(std::ceil(all.empty() ? 0 : all.back().bottom))};
}

QSize IntervalChart::minimumSizeHint() const {
    return {kLeastWidth, sizeHint().height()};
}

QRectF IntervalChart::barRect(std::size_t section, std::size_t bar) const {
    const Place place = places().at(section);
    const double a = place.x(0), b = place.x(place.section->bars.at(bar).value.median);
    const double middle = place.bars + (static_cast<double>(bar) + 0.5) * place.row;
    return QRectF(QPointF(std::min(a, b), middle - kBarHeight / 2),
                  QPointF(std::max(a, b), middle + kBarHeight / 2));
}

void IntervalChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Place& place : places()) {
        paintSection(painter, place);
    }
}

void IntervalChart::paintSection(QPainter& painter, const Place& place) const {
    painter.setFont(smallFont(font()));
    painter.setPen(theme().mutedText);
    painter.drawText(QRectF(kChartSide, place.top, width() - 2 * kChartSide, place.row),
                     Qt::AlignLeft | Qt::AlignVCenter, place.section->title);
    paintAxis(painter, place);
    for (std::size_t bar = 0; bar < place.section->bars.size(); ++bar) {
        paintBar(painter, place, bar);
    }
}

void IntervalChart::paintAxis(QPainter& painter, const Place& place) const {
    const QFontMetricsF metrics(painter.font());
    const int most = std::max(1, static_cast<int>(place.plot.width() / 90));
    const bool flat = isFlat(*place.section);  // then the other ticks would say nothing
    double free = -1;                          // labels do not run into each other
    const bool bytes = place.section->unit == "B";
    for (const double tick : bytes ? byteTicks(place.span, most) : roundTicks(place.span, most)) {
        if (flat && tick != 0) {
            continue;
        }
        const double x = std::round(place.x(tick)) + 0.5;
        painter.setPen(QPen(tick == 0 ? theme().mutedText : theme().border, 1));
        painter.drawLine(QPointF(x, place.plot.top()), QPointF(x, place.plot.bottom()));
        const QString text = tickText(tick, place.section->unit);
        const double half = metrics.horizontalAdvance(text) / 2;
        if (x - half < free) {
            continue;
        }
        free = x + half + 8;
        painter.setPen(theme().mutedText);
        painter.drawText(QRectF(x - half - 2, place.plot.bottom() + 1, 2 * half + 4, metrics.height()),
                         Qt::AlignCenter, text);
    }
}

void IntervalChart::paintBar(QPainter& painter, const Place& place, std::size_t index) const {
    const IntervalBar& bar = place.section->bars[index];
    const Theme& t = theme();
    const double top = place.bars + static_cast<double>(index) * place.row, middle = top + place.row / 2;
    painter.setFont(font());
    painter.setPen(bar.faded ? t.mutedText : t.text);
    const QRectF label(kChartSide, top, place.plot.left() - kGap - kChartSide, place.row);
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(font()).elidedText(bar.label, Qt::ElideRight, label.width()));
    painter.setFont(smallFont(font()));
    const QRectF text(place.plot.right() + kGap, top, width() - kChartSide - place.plot.right() - kGap,
                      place.row);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(bar.text, Qt::ElideRight, text.width()));
    if (bar.value.n == 0) {
        return;
    }
    QColor colour = bar.faded ? t.mutedText : bar.colour.isValid() ? bar.colour : t.accent;
    colour.setAlphaF(bar.faded ? 0.4 : 0.85);
    const double a = place.x(0), b = place.x(bar.value.median);
    painter.fillRect(
        QRectF(std::min(a, b), middle - kBarHeight / 2, std::max(1.0, std::abs(b - a)), kBarHeight), colour);
    if (bar.value.n < 2 || bar.value.low == bar.value.high) {
        return;
    }
    painter.setPen(QPen(bar.faded ? t.mutedText : t.text, 1.3));
    const double low = place.x(bar.value.low), high = place.x(bar.value.high);
    painter.drawLine(QPointF(low, middle), QPointF(high, middle));
    for (const double end : {low, high}) {
        painter.drawLine(QPointF(end, middle - kCap), QPointF(end, middle + kCap));
    }
}

bool IntervalChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    QString tip;
    for (const Place& place : places()) {
        for (std::size_t i = 0; i < place.section->bars.size(); ++i) {
            const double top = place.bars + static_cast<double>(i) * place.row;
            const IntervalBar& bar = place.section->bars[i];
            if (help->pos().y() >= top && help->pos().y() < top + place.row) {
                tip = bar.tip.isEmpty() ? bar.label + ": " + bar.text : bar.tip;
            }
        }
    }
    tip.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), tip, this);
    return true;
}

}  // namespace highwater::widgets

#include "moc_interval_chart.cpp"
