#include "widgets/plot/legend.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/plot/series.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kLegendSide = 12, kLegendSwatch = 10, kLegendSwatchGap = 6, kEntryGap = 16, kPadding = 5;
constexpr double kDenseGap = 8;

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void Legend::setEntries(std::vector<SeriesStyle> entries) {
    const auto same = [](const SeriesStyle& a, const SeriesStyle& b) {
        return a.name == b.name && a.color == b.color && a.over == b.over;
    };
    if (std::equal(entries.begin(), entries.end(), entries_.begin(), entries_.end(), same)) {
        return;
    }
    entries_ = std::move(entries);
    updateGeometry();
    update();
}

void Legend::setDense(bool on) {
    if (dense_ != on) {
        dense_ = on;
        updateGeometry();
        update();
    }
}

std::vector<QRectF> Legend::places(int width, bool dense) const {
    const QFontMetricsF metrics(dense ? smallFont(font()) : font());
    const double height = metrics.height() + (dense ? 0 : 2);
    std::vector<QRectF> out;
    double x = kLegendSide;
    double y = dense ? 0 : kPadding;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const double w = kLegendSwatch + kLegendSwatchGap +
                         std::ceil(metrics.horizontalAdvance(entryAt(i, dense).name)) + 1;
        if (x > kLegendSide && x + w > width - kLegendSide) {
            if (dense) {
                break;
            }
            x = kLegendSide;
            y += height;
        }
        out.emplace_back(x, y, w, height);
        x += w + (dense ? kDenseGap : kEntryGap);
    }
    return out;
}

int Legend::heightForWidth(int width, bool dense) const {
    const std::vector<QRectF> boxes = places(width, dense);
    if (dense) {
        return boxes.empty() ? 0 : static_cast<int>(std::ceil(boxes.back().bottom())) + 2;
    }
    const double line = QFontMetricsF(font()).height() + 2;
    return static_cast<int>(std::ceil((boxes.empty() ? kPadding + line : boxes.back().bottom()) + kPadding));
}

QSize Legend::sizeHint() const {
    const int w = std::max(240, width());
    return {w, heightForWidth(w)};
}

void Legend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (heightForWidth(event->size().width()) != heightForWidth(event->oldSize().width())) {
        updateGeometry();
    }
}

bool Legend::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::vector<QRectF> boxes = places(width(), dense_);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].contains(help->pos())) {
            QToolTip::showText(help->globalPos(), entryAt(i, dense_).meaning, this, boxes[i].toAlignedRect());
            return true;
        }
    }
    QToolTip::hideText();
    return true;
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const std::vector<QRectF> boxes = places(width(), dense_);
    p.setFont(dense_ ? smallFont(font()) : font());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const QRectF& box = boxes[i];
        const SeriesStyle& entry = entryAt(i, dense_);
        if (entry.line) {
            p.setPen(outlinePen(entry.color, entry.dotted, entry.over));
            p.drawLine(QPointF(box.left(), box.center().y()),
                       QPointF(box.left() + kLegendSwatch, box.center().y()));
        } else {
            p.setPen(Qt::NoPen);
            p.setBrush(entry.color);
            p.drawRoundedRect(
                QRectF(box.left(), box.center().y() - kLegendSwatch / 2, kLegendSwatch, kLegendSwatch), 2, 2);
        }
        p.setPen(theme().mutedText);
        p.drawText(box.adjusted(kLegendSwatch + kLegendSwatchGap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                   entry.name);
    }
}

}  // namespace highwater::widgets
