#include "widgets/plot/legend.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

double Legend::widthOf(std::size_t entry, const QFontMetricsF& metrics) const {
    return kLegendSwatch + kLegendSwatchGap + std::ceil(metrics.horizontalAdvance(entries_[entry].name)) + 1;
}

Legend::Places Legend::wrapped(int width) const {
    const QFontMetricsF metrics(font());
    const double height = metrics.height() + 2;
    Places out;
    double x = kLegendSide, y = kPadding;
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
        const double w = widthOf(entry, metrics);
        if (x > kLegendSide && x + w > width - kLegendSide) {
            x = kLegendSide;
            y += height;
        }
        out.entries.push_back({entry, {x, y, w, height}});
        x += w + kEntryGap;
    }
    return out;
}

Legend::Places Legend::inOneLine(int width) const {
    const QFontMetricsF metrics(smallFont(font()));
    std::vector<std::size_t> shown(entries_.size());
    std::iota(shown.begin(), shown.end(), std::size_t{0});
    const auto moreWidth = [&] { return std::ceil(metrics.horizontalAdvance(moreText(shown.size()))) + 1; };
    const auto needed = [&] {
        double all = shown.size() < entries_.size() ? moreWidth() : -kDenseGap;
        for (const std::size_t entry : shown) {
            all += widthOf(entry, metrics) + kDenseGap;
        }
        return all;
    };
    while (shown.size() > 1 && needed() > width - 2 * kLegendSide) {
        shown.erase(std::ranges::min_element(shown, [&](std::size_t a, std::size_t b) {
            // On a tie, the later entry is dropped.
            return std::pair(entries_[a].weight, b) < std::pair(entries_[b].weight, a);
        }));
    }
    Places out;
    double x = kLegendSide;
    for (const std::size_t entry : shown) {
        const double w = widthOf(entry, metrics);
        out.entries.push_back({entry, {x, 0, w, metrics.height()}});
        x += w + kDenseGap;
    }
    if (shown.size() < entries_.size()) {
        out.more = {x, 0, moreWidth(), metrics.height()};
    }
    return out;
}

QString Legend::moreText(std::size_t shown) const {
    return QStringLiteral("+%1").arg(entries_.size() - shown);
}

QString Legend::meaningOfMore(const Places& places) const {
    QStringList lines;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (std::ranges::find(places.entries, i, &Place::entry) == places.entries.end()) {
            lines << (entries_[i].meaning.isEmpty() ? entries_[i].name : entries_[i].meaning);
        }
    }
    return lines.join('\n');
}

QStringList Legend::shown() const {
    const Places all = places();
    QStringList names;
    for (const Place& place : all.entries) {
        names << entries_[place.entry].name;
    }
    return all.more.isEmpty() ? names : names << moreText(all.entries.size());
}

int Legend::heightForWidth(int width, bool dense) const {
    if (dense) {
        return static_cast<int>(std::ceil(QFontMetricsF(smallFont(font())).height())) + 2;
    }
    const std::vector<Place> boxes = wrapped(width).entries;
    const double line = QFontMetricsF(font()).height() + 2;
    return static_cast<int>(
        std::ceil((boxes.empty() ? kPadding + line : boxes.back().box.bottom()) + kPadding));
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
    const Places all = places();
    const auto at = std::ranges::find_if(all.entries,
                                         [&](const Place& place) { return place.box.contains(help->pos()); });
    if (at != all.entries.end()) {
        QToolTip::showText(help->globalPos(), entries_[at->entry].meaning, this, at->box.toAlignedRect());
    } else if (all.more.contains(help->pos())) {
        QToolTip::showText(help->globalPos(), meaningOfMore(all), this, all.more.toAlignedRect());
    } else {
        QToolTip::hideText();
    }
    return true;
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const Places all = places();
    p.setFont(dense_ ? smallFont(font()) : font());
    for (const auto& [number, box] : all.entries) {
        const SeriesStyle& entry = entries_[number];
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
    if (!all.more.isEmpty()) {
        p.setPen(theme().mutedText);
        p.drawText(all.more, Qt::AlignLeft | Qt::AlignVCenter, moreText(all.entries.size()));
    }
}

}  // namespace highwater::widgets
