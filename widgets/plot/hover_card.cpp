#include "widgets/plot/hover_card.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

constexpr double kPad = 9, kSwatch = 9, kSwatchGap = 6, kColumnGap = 18, kLeading = 2;

QFont titleFont(QFont font) {
    font.setWeight(QFont::DemiBold);
    return font;
}

QSize cardSize(const HoverCard& card, const QFont& font) {
    const QFontMetricsF plain(font);
    double width = QFontMetricsF(titleFont(font)).horizontalAdvance(card.title);
    width = std::max(width, plain.horizontalAdvance(card.note));
    for (const HoverCard::Row& row : card.rows) {
        const double texts = plain.horizontalAdvance(row.name) + plain.horizontalAdvance(row.value);
        width = std::max(width, kSwatch + kSwatchGap + kColumnGap + texts);
    }
    const double lines = 1.0 + (card.note.isEmpty() ? 0 : 1) + static_cast<double>(card.rows.size());
    return QSizeF(std::ceil(width + 2 * kPad), std::ceil(lines * (plain.height() + kLeading) + 2 * kPad))
        .toSize();
}

void paintRow(QPainter& p, const HoverCard::Row& row, const QRectF& line) {
    if (row.color.isValid()) {
        p.setPen(Qt::NoPen);
        p.setBrush(row.color);
        p.drawRoundedRect(QRectF(line.left(), line.center().y() - kSwatch / 2, kSwatch, kSwatch), 2, 2);
    }
    p.setPen(theme().text);
    p.drawText(line.adjusted(kSwatch + kSwatchGap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, row.name);
    p.drawText(line, Qt::AlignRight | Qt::AlignVCenter, row.value);
}

}  // namespace

HoverCardWidget::HoverCardWidget(QWidget* host) : QWidget(host) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void HoverCardWidget::showCard(const HoverCard& card, const QPoint& anchor) {
    card_ = card;
    if (card.empty()) {
        hide();
        return;
    }
    const QSize size = cardSize(card, font());
    const QRect room = parentWidget()->rect().adjusted(4, 4, -4, -4);
    int left = anchor.x() + 12;
    if (left + size.width() > room.right()) {
        left = anchor.x() - 12 - size.width();
    }
    left = std::max(room.left(), left);
    const int top = std::clamp(anchor.y(), room.top(), std::max(room.top(), room.bottom() - size.height()));
    setGeometry(QRect(QPoint(left, top), size));
    raise();
    show();
    update();
}

void HoverCardWidget::paintEvent(QPaintEvent*) {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const Theme& t = theme();
    p.setPen(QPen(t.border, 1));
    p.setBrush(t.header);
    p.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);

    const double height = QFontMetricsF(font()).height() + kLeading;
    QRectF line(kPad, kPad, width() - 2 * kPad, height);
    p.setFont(titleFont(font()));
    p.setPen(t.text);
    p.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, card_.title);
    p.setFont(font());
    if (!card_.note.isEmpty()) {
        line.translate(0, height);
        p.setPen(t.mutedText);
        p.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, card_.note);
    }
    for (const HoverCard::Row& row : card_.rows) {
        line.translate(0, height);
        paintRow(p, row, line);
    }
}

}  // namespace highwater::widgets
