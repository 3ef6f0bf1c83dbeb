#include "app/desktop/experiment/stack/stack_delegate.h"

#include <QPainter>
#include <algorithm>

#include "app/desktop/experiment/stack/stack_model.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::desktop {

namespace {

constexpr int kHandleWidth = 10;
constexpr int kNumberGap = 4, kLeastDigits = 2;
constexpr int kShapeLeft = 2, kShapeMargins = 6;

void paintHandle(QPainter* painter, const QRect& rect) {
    QColor color = widgets::theme().mutedText;
    color.setAlphaF(0.55);
    painter->setPen(Qt::NoPen);
    painter->setBrush(color);
    const QPointF center = QRectF(rect).center();
    for (const double y : {-4.0, 0.0, 4.0}) {
        for (const double x : {-2.0, 2.0}) {
            painter->drawEllipse(center + QPointF(x, y), 0.9, 0.9);
        }
    }
}

void paintText(QPainter* painter, const QRect& rect, int flags, const QString& text) {
    painter->drawText(rect, flags | Qt::AlignVCenter | Qt::TextSingleLine,
                      painter->fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

/// "32×64×192" for "32 × 64 × 192", if there is too little room.
QString tight(QString shape) {
    return shape.remove(' ');
}

/// Paints a warning triangle at the right end of `rect`; returns the rest of the rectangle.
QRect paintWarning(QPainter* painter, const QRect& rect) {
    const QPointF c(rect.right() - 9.0, rect.center().y() + 0.5);
    painter->setPen(QPen(widgets::theme().warning, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    painter->drawPolygon(QPolygonF({c + QPointF(0, -5), c + QPointF(5.5, 4.5), c + QPointF(-5.5, 4.5)}));
    painter->drawLine(c + QPointF(0, -1.5), c + QPointF(0, 1));
    painter->drawPoint(c + QPointF(0, 3));
    return rect.adjusted(0, 0, -18, 0);
}

void paintType(QPainter* painter, QRect rect, const StackRow& row, const QFont& base, int numberWidth) {
    paintHandle(painter, {rect.left(), rect.top(), kHandleWidth, rect.height()});
    rect.setLeft(rect.left() + kHandleWidth);
    painter->setFont(widgets::smallFont(base));
    painter->setPen(row.bad ? widgets::theme().bad : widgets::theme().mutedText);
    paintText(painter, {rect.left(), rect.top(), numberWidth - kNumberGap, rect.height()}, Qt::AlignRight,
              QString::number(row.number));
    rect.setLeft(rect.left() + numberWidth);
    if (!row.cliff.isEmpty()) {
        rect = paintWarning(painter, rect);
    }
    QFont font = base;
    if (row.block) {
        font.setWeight(QFont::DemiBold);
    }
    painter->setFont(font);
    painter->setPen(row.bad ? widgets::theme().bad : widgets::theme().text);
    paintText(painter, rect, Qt::AlignLeft, row.type);
}

void paintSize(QPainter* painter, QRect rect, const QString& text, const StackRow& row) {
    rect.setRight(rect.right() - 8);
    painter->setPen(row.bytes > 0 ? widgets::theme().text : widgets::theme().mutedText);
    paintText(painter, rect, Qt::AlignRight, text);
    if (row.share <= 0 || (row.bytes <= 0 && !row.predicted)) {
        return;
    }
    const double width = std::max(2.0, row.share * rect.width());
    painter->setPen(Qt::NoPen);
    QColor color = widgets::theme().of(memory::Category::Activations);
    if (row.block) {
        color.setAlphaF(0.5);
    }
    painter->setBrush(color);
    painter->drawRoundedRect(QRectF(rect.right() + 1 - width, rect.bottom() - 4.0, width, 2.5), 1.2, 1.2);
}

}  // namespace

void StackDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const auto* model = qobject_cast<const StackModel*>(index.model());
    const StackRow* row = model ? model->rowOf(index) : nullptr;
    if (!row) {
        return;
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setFont(option.font);
    const QString text = index.data().toString();
    QRect rect = option.rect;
    switch (index.column()) {
        case StackModel::Type:
            paintType(painter, rect, *row, option.font, numberWidth(option.font, *model));
            break;
        case StackModel::Options:
            painter->setFont(widgets::smallFont(option.font));
            painter->setPen(widgets::theme().mutedText);
            paintText(painter, rect.adjusted(6, 0, -4, 0), Qt::AlignLeft, text);
            break;
        case StackModel::Output:
        case StackModel::Parameters:
            painter->setFont(widgets::smallFont(option.font));
            painter->setPen(widgets::theme().mutedText);
            rect.adjust(kShapeLeft, 0, kShapeLeft - kShapeMargins, 0);
            paintText(painter, rect, Qt::AlignRight,
                      index.column() == StackModel::Output &&
                              painter->fontMetrics().horizontalAdvance(text) > rect.width()
                          ? tight(text)
                          : text);
            break;
        default:
            paintSize(painter, rect, text, *row);
    }
    painter->restore();
}

int StackDelegate::textWidth(Kind kind, const QFont& base, const QString& text) const {
    constexpr qsizetype kMostKept = 4096;
    if (font_ != base) {
        font_ = base;
        for (auto& widths : widths_) {
            widths.clear();
        }
    }
    auto& widths = widths_[kind];
    auto width = widths.constFind(text);
    if (width == widths.constEnd()) {
        if (widths.size() >= kMostKept) {
            widths.clear();
        }
        QFont font = kind == Small ? widgets::smallFont(base) : base;
        if (kind == Bold) {
            font.setWeight(QFont::DemiBold);
        }
        width = widths.insert(text, QFontMetrics(font).horizontalAdvance(text));
    }
    return *width;
}

/// The width of the last layer's number, so that no number is cut off and all names are aligned.
int StackDelegate::numberWidth(const QFont& base, const StackModel& model) const {
    const qsizetype digits = std::max<qsizetype>(kLeastDigits, QString::number(model.lastNumber()).size());
    return textWidth(Small, base, QString(digits, '0')) + kNumberGap;
}

QSize StackDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Kind kind = index.column() == StackModel::Type   ? Bold  // bold, as blocks are
                      : index.column() == StackModel::Size ? Plain
                                                           : Small;
    const auto* model = qobject_cast<const StackModel*>(index.model());
    const int extra =
        index.column() == StackModel::Type && model ? kHandleWidth + numberWidth(option.font, *model) : 0;
    return {textWidth(kind, option.font, index.data().toString()) + extra + 12,
            option.fontMetrics.height() + 12};
}

int StackDelegate::tightWidth(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    return textWidth(Small, option.font, tight(index.data().toString())) + kShapeMargins;
}

}  // namespace highwater::desktop

#include "moc_stack_delegate.cpp"
