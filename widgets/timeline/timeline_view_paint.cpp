#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/plot/plot_values.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/timeline_view.h"
#include "widgets/timeline/timeline_words.h"

namespace highwater::widgets {

namespace {

constexpr int kPaintedStrip = 17;
constexpr int kMostLabels = 80;

QColor faded(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

/// The same color blended with a known background, opaque: opaque colors are drawn many times faster.
QColor over(const QColor& ground, const QColor& color, double share) {
    const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {part(ground.red(), color.red()), part(ground.green(), color.green()),
            part(ground.blue(), color.blue())};
}

/// The name, its last part ("1 conv" of "enc2 · 1 conv"), the elided name if enough of it remains, or
/// nothing.
QString fitting(const QString& name, double room, const QFontMetricsF& metrics) {
    if (room < 12 || metrics.horizontalAdvance(name) <= room) {
        return room < 12 ? QString() : name;
    }
    const QString last = name.section(QStringLiteral(" · "), -1);
    if (metrics.horizontalAdvance(last) <= room) {
        return last;
    }
    return room < 60 ? QString() : metrics.elidedText(name, Qt::ElideRight, room);
}

QColor phaseColor(int phase) {
    return phase <= 0 ? theme().mutedText : theme().phase[static_cast<std::size_t>(phase - 1)];
}

}  // namespace

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    if (!index_) {
        painter.fillRect(rect(), t.window);
        return;
    }
    const QImage& image = picture().image;
    const QRect r = plot();
    for (const QRect& beside : QRegion(rect()) - r) {
        painter.fillRect(beside, t.window);
    }
    painter.drawImage(r.topLeft(), image);
    paintLabels(painter);
    paintAxes(painter);
    paintStrips(painter);
    painter.setClipRect(r.adjusted(0, -kPaintedStrip * 2, 0, 0));
    paintReservedLine(painter);
    paintBudget(painter);
    paintLayerLine(painter);
    paintRefusals(painter);
    paintMarks(painter);
    paintSelection(painter);
    paintCursor(painter);
}

/// Where the visible steps begin (in widget pixels, at least 24 apart), and their indices.
std::vector<std::pair<double, int>> TimelineView::stepMarks() const {
    const auto& steps = index_->trace().steps;
    const auto event = [&](double x) {
        const std::size_t state = index_->stateAt(range_.axis, x);
        return state == 0 ? 0 : state - 1;
    };
    const auto before = [](const memory::TraceStep& s, std::size_t e) { return s.event < e; };
    auto step = std::lower_bound(steps.begin(), steps.end(), event(range_.from), before);
    const auto end = std::lower_bound(steps.begin(), steps.end(), event(range_.to) + 1, before);
    const auto every = std::max<std::ptrdiff_t>(1, (end - step) * 24 / std::max(1, plot().width()));
    std::vector<std::pair<double, int>> marks;
    for (; step < end; step += std::min(every, end - step)) {
        marks.emplace_back(pixelAt(index_->begin(range_.axis, step->event + 1)), step->index);
    }
    return marks;
}

/// Lines that are part of the picture: the grid and the starts of steps.
void TimelineView::drawLines(QImage& image) const {
    const double scale = image.devicePixelRatio();
    const int line = std::max(1, static_cast<int>(std::lround(scale)));
    for (const Tick& tick : stackTicks(range_.low, range_.high, std::max(1, plot().height() / 44)).ticks) {
        const double y = (range_.high - tick.at) / (range_.high - range_.low) * image.height();
        blend(image, {0, static_cast<int>(std::lround(y)), image.width(), line}, theme().text, 0.07);
    }
    for (const auto& [pixel, index] : stepMarks()) {
        blend(image,
              {static_cast<int>(std::lround((pixel - plot().left()) * scale)), 0, line, image.height()},
              theme().text, 0.22);
    }
}

/// The names of blocks that are large enough.
void TimelineView::paintLabels(QPainter& painter) {
    const QRect r = plot();
    const double scale = devicePixelRatioF();
    const QFont small = smallFont(font());
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    painter.setClipRect(r);
    int left = kMostLabels;
    for (const BlockPlace& place :
         blockPlaces(*index_, picture_, 40 * scale, (metrics.height() + 2) * scale)) {
        const QRectF at(place.area.topLeft() / scale + r.topLeft(), place.area.size() / scale);
        const QRectF box = (at & QRectF(r)).adjusted(5, 0, -5, 0);
        if (box.height() < metrics.height() || left-- <= 0) {
            continue;
        }
        const Span& span = index_->spans()[place.span];
        const bool pale = focus_.any() && !focus_.on(span.layer);
        const QString layer = span.layer < 0 ? QString() : layerText(index_->trace(), span.layer);
        const QString size = bytesText(index_->bytes(span.block));
        QString text = layer.isEmpty() ? size : layer + QStringLiteral(" · ") + size;
        if (metrics.horizontalAdvance(text) > box.width()) {
            text = fitting(layer.isEmpty() ? size : layer, box.width(), metrics);
        }
        const bool bright = qGray(theme().of(span.category).rgb()) > 130;
        painter.setPen(pale     ? faded(theme().text, 0.4)
                       : bright ? QColor(0, 0, 0, 215)
                                : QColor(255, 255, 255, 240));
        painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
    }
    painter.setClipping(false);
    painter.setFont(font());
}

void TimelineView::paintAxes(QPainter& painter) {
    const Theme& t = theme();
    const QRect r = plot();
    painter.setPen(t.mutedText);
    const Ticks bytes = stackTicks(range_.low, range_.high, std::max(1, r.height() / 44));
    const double line = QFontMetricsF(font()).height();
    for (const Tick& tick : bytes.ticks) {
        const double y = r.top() + (range_.high - tick.at) / (range_.high - range_.low) * r.height();
        if (y > r.top() + line * 1.3) {
            painter.drawText(QRectF(0, y - line / 2, r.left() - 6, line), Qt::AlignRight | Qt::AlignVCenter,
                             QString::fromStdString(tick.label));
        }
    }
    painter.drawText(QRectF(0, r.top() - 2, r.left() - 6, line), Qt::AlignRight | Qt::AlignTop,
                     QString::fromStdString(bytes.unit));

    const TimelineTicks times = timelineTicks(*index_, range_, std::max(1, r.width() / 110));
    painter.fillRect(QRect(r.left(), r.bottom() + 1, r.width(), 1), t.border);
    double free = r.left() - 20;
    if (!times.base.isEmpty()) {
        painter.drawText(QRectF(2, r.bottom() + 4, r.left() + 140, line), Qt::AlignLeft | Qt::AlignVCenter,
                         times.base);
        free = 2 + QFontMetricsF(font()).horizontalAdvance(times.base) + 8;
    }
    for (const Tick& tick : times.ticks.ticks) {
        QString label = QString::fromStdString(tick.label);
        if (&tick == &times.ticks.ticks.back() || times.ticks.ticks.size() < 3) {
            label += ' ' + QString::fromStdString(times.ticks.unit);
        }
        const double width = QFontMetricsF(font()).horizontalAdvance(label);
        const double x = std::min(pixelAt(tick.at) - width / 2, this->width() - width - 2);
        painter.fillRect(QRectF(std::round(pixelAt(tick.at)), r.bottom() + 1, 1, 4), t.border);
        if (x < free) {
            continue;
        }
        painter.drawText(QRectF(x, r.bottom() + 5, width + 2, line), Qt::AlignLeft | Qt::AlignVCenter, label);
        free = x + width + 10;
    }
}

/// Phases and layers above the stack.
void TimelineView::paintStrips(QPainter& painter) {
    const QRect r = plot();
    if (r.top() < 2 * kPaintedStrip) {
        return;
    }
    const Theme& t = theme();
    const double scale = devicePixelRatioF();
    const QFont small = smallFont(font());
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    const auto strip = [&](const QString& what, const std::vector<ColumnRun>& runs, double top, auto color,
                           auto name) {
        if (std::ranges::any_of(runs, [](const ColumnRun& run) { return run.value >= 0; })) {
            painter.setPen(t.mutedText);
            painter.drawText(QRectF(0, top, r.left() - 6, kPaintedStrip - 2),
                             Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, what);
        }
        for (const ColumnRun& run : runs) {
            const QRectF box(r.left() + run.left / scale, top, (run.right - run.left) / scale,
                             kPaintedStrip - 2);
            const QColor ink = color(run.value, box.width());
            if (!ink.isValid()) {
                continue;
            }
            painter.fillRect(box.adjusted(0, 0, box.width() > 3 ? -1 : 0, 0), ink);
            const QString text = fitting(name(run.value, box.width() - 7), box.width() - 7, metrics);
            if (text.isEmpty()) {
                continue;
            }
            painter.setPen(t.text);
            painter.drawText(box.adjusted(4, 0, -3, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                             text);
        }
    };
    strip(
        tr("phase"), phases_, r.top() - 2 * kPaintedStrip,
        [](int phase, double) { return over(theme().window, phaseColor(phase), phase == 0 ? 0.2 : 0.45); },
        [&](int value, double width) {
            const auto phase = static_cast<memory::Phase>(value);
            const QString whole = phaseText(*index_, phase);  // says that it is guessed, if there is room
            return metrics.horizontalAdvance(whole) <= width ? whole : phaseText(phase);
        });
    strip(
        tr("layer"), layers_, r.top() - kPaintedStrip,
        [&](int layer, double width) {
            if (layer < 0 || (width < 3 && !focus_.on(layer))) {
                return QColor();
            }
            return focus_.on(layer) ? over(t.window, t.accent, 0.55)
                                    : over(t.window, t.text, layer % 2 ? 0.13 : 0.08);
        },
        [&](int layer, double) { return layerText(index_->trace(), layer); });
    painter.setFont(font());
}

/// Steps and the peak.
void TimelineView::paintMarks(QPainter& painter) {
    const Theme& t = theme();
    const QRect r = plot();
    painter.setFont(smallFont(font()));
    const QFontMetricsF metrics(painter.font());
    double free = 0;
    for (const auto& [pixel, index] : stepMarks()) {
        const QString label = stepName(index_->trace(), index);
        if (pixel < free || metrics.horizontalAdvance(label) + pixel > r.right()) {
            continue;
        }
        painter.setPen(t.mutedText);
        painter.drawText(QPointF(pixel + 4, r.top() + metrics.ascent() + 2), label);
        free = pixel + metrics.horizontalAdvance(label) + 14;
    }

    const std::size_t peak = index_->peakState();
    const double x = pixelAt((index_->begin(range_.axis, peak) + index_->begin(range_.axis, peak + 1)) / 2);
    const auto bytes = static_cast<double>(index_->totals()[peak]);
    const double y = r.top() + (range_.high - bytes) / (range_.high - range_.low) * r.height();
    if (x >= r.left() - 1 && x <= r.right() + 1 && y >= r.top() - 2 && y < r.bottom() && bytes > 0) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(t.window, 1));
        painter.setBrush(t.text);
        painter.drawEllipse(QPointF(x, y), 3.5, 3.5);
        painter.setRenderHint(QPainter::Antialiasing, false);
        const QString label = tr("peak %1").arg(bytesText(index_->totals()[peak]));
        const double width = metrics.horizontalAdvance(label) + 8;
        const bool right = x + 8 + width < r.right();
        QRectF box(right ? x + 7 : x - 7 - width, std::max(r.top() + 1.0, y - metrics.height() / 2 - 2),
                   width, metrics.height() + 2);
        for (const auto& [taken, refusal] : refusalLabels_) {
            if (taken.intersects(box)) {
                box.moveTop(taken.bottom() + 3);
            }
        }
        painter.fillRect(box, faded(t.header, 0.85));
        painter.setPen(t.text);
        painter.drawText(box, Qt::AlignCenter, label);
    }
    painter.setFont(font());
}

void TimelineView::paintSelection(QPainter& painter) {
    const Theme& t = theme();
    const QRect r = plot();
    if (selection_) {
        const double left = std::clamp(pixelAt(selection_->first), r.left() - 1.0, r.right() + 1.0);
        const double right = std::clamp(pixelAt(selection_->second), r.left() - 1.0, r.right() + 1.0);
        const QRectF box(left, r.top(), std::max(1.0, right - left), r.height());
        painter.fillRect(box, faded(t.accent, 0.13));
        painter.fillRect(QRectF(box.left(), box.top(), 1, box.height()), t.accent);
        painter.fillRect(QRectF(box.right() - 1, box.top(), 1, box.height()), t.accent);
    }
    const auto outline = [&](std::uint32_t block, const QColor& color, double width) {
        painter.save();
        painter.setClipRect(r, Qt::IntersectClip);
        painter.translate(r.topLeft());
        painter.scale(1 / devicePixelRatioF(), 1 / devicePixelRatioF());
        painter.setBrush(Qt::NoBrush);
        QPen pen(color, width);
        pen.setCosmetic(true);
        painter.setPen(pen);
        for (const std::uint32_t span : picture_.layout.shown) {
            if (index_->spans()[span].block == block) {
                painter.drawPolygon(spanOutline(*index_, picture_, span));
            }
        }
        painter.restore();
    };
    if (hovered_ && hovered_ != block_) {
        outline(*hovered_, faded(t.text, 0.8), 1);
    }
    if (!block_) {
        return;
    }
    outline(*block_, t.text, 2);
    // A bar for its lifetime, however thin the block is.
    const BlockLife& life = index_->life(*block_);
    const double begin = std::max<double>(r.left(), pixelAt(index_->begin(range_.axis, life.begin)));
    const double end = std::min<double>(r.right() + 1.0, pixelAt(index_->begin(range_.axis, life.end)));
    if (end >= begin) {
        painter.fillRect(QRectF(begin, r.top(), std::max(3.0, end - begin), 3), t.accent);
    }
}

void TimelineView::paintCursor(QPainter& painter) {
    const QRect r = plot();
    paintMoment(painter);
    if (crosshair_) {
        painter.fillRect(QRectF(std::round(pixelAt(*crosshair_)), r.top(), 1, r.height()),
                         faded(theme().text, 0.45));
    }
    if (cursorShown_ && hasFocus()) {
        const double left = pixelAt(index_->begin(range_.axis, cursor_));
        const double right = pixelAt(index_->begin(range_.axis, cursor_ + 1));
        painter.fillRect(QRectF(left, r.top(), std::max(1.0, right - left), r.height()),
                         faded(theme().accent, right - left > 3 ? 0.18 : 0.8));
    }
}

}  // namespace highwater::widgets
