#include "app/desktop/study/claims/claim_delegate.h"

#include <QPainter>
#include <QTextLayout>

#include "app/desktop/study/claims/claims_model.h"
#include "app/desktop/study/claims/verdict_badge.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kSide = 12, kLines = 2;

bool isGroup(const QModelIndex& index) {
    return index.data(ClaimsModel::kIdRole).toString().isEmpty();
}

void paintGroup(QPainter& painter, const QStyleOptionViewItem& option, const QString& text) {
    painter.fillRect(option.rect, widgets::theme().header);
    painter.fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1,
                     widgets::theme().border);
    QFont bold = option.font;
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(widgets::theme().text);
    const QRect room = option.rect.adjusted(kSide, 0, -kSide, 0);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(bold).elidedText(text, Qt::ElideRight, room.width()));
}

/// At most two lines; the second one is elided.
void paintStatement(QPainter& painter, const QRect& room, const QString& text, const QFont& font) {
    const QFontMetricsF metrics(font);
    QTextLayout layout(text, font);
    layout.beginLayout();
    std::vector<std::pair<int, int>> lines;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(room.width());
        lines.emplace_back(line.textStart(), line.textLength());
    }
    layout.endLayout();
    const std::size_t shown = std::min<std::size_t>(lines.size(), kLines);
    double y = room.center().y() - metrics.lineSpacing() * static_cast<double>(shown) / 2;
    painter.setFont(font);
    for (std::size_t i = 0; i < shown; ++i, y += metrics.lineSpacing()) {
        const bool cut = i + 1 == shown && lines.size() > shown;
        const QString line = cut ? metrics.elidedText(text.mid(lines[i].first), Qt::ElideRight, room.width())
                                 : text.mid(lines[i].first, lines[i].second).trimmed();
        painter.drawText(QRectF(room.left(), y, room.width(), metrics.lineSpacing()),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, line);
    }
}

}  // namespace

void ClaimDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const widgets::Theme& t = widgets::theme();
    if (isGroup(index)) {
        return paintGroup(*painter, option, index.data().toString());
    }
    painter->fillRect(option.rect, option.state & QStyle::State_Selected ? t.selection : t.window);
    if (option.state & QStyle::State_HasFocus) {
        painter->fillRect(option.rect.left(), option.rect.top(), 2, option.rect.height(), t.accent);
    }
    painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.border);
    const BadgeLook look =
        badgeOf(static_cast<ClaimVerdict>(index.data(ClaimsModel::kVerdictRole).toInt()),
                static_cast<ClaimActivity>(index.data(ClaimsModel::kActivityRole).toInt()));
    const QSizeF badge = badgeSize(look, option.font);
    const QRectF pill(option.rect.right() - kSide - badge.width(),
                      option.rect.center().y() - badge.height() / 2, badge.width(), badge.height());
    paintBadge(*painter, pill, look, option.font);
    painter->setPen(t.text);
    const QRect room(option.rect.left() + kSide, option.rect.top(),
                     static_cast<int>(pill.left()) - option.rect.left() - 2 * kSide, option.rect.height());
    paintStatement(*painter, room, index.data().toString(), option.font);
}

QSize ClaimDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const int line = QFontMetrics(option.font).lineSpacing();
    return {120, isGroup(index) ? line + 10 : kLines * line + 12};
}

}  // namespace highwater::desktop
