#include "widgets/theme/flat_style.h"

#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QWidget>
#include <cmath>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

constexpr int kFieldPadding = 3;  ///< left and right of a line edit's text, as in a combo box

/// A gray whose contrast with the field and with the window is 3:1 or more (WCAG 2.1, 1.4.11).
QColor fieldBorder(const Theme& t) {
    constexpr double kMuted = 0.72;
    const auto mix = [](int a, int b) {
        return static_cast<int>(std::lround(kMuted * a + (1 - kMuted) * b));
    };
    return {mix(t.mutedText.red(), t.field.red()), mix(t.mutedText.green(), t.field.green()),
            mix(t.mutedText.blue(), t.field.blue())};
}

/// A widget marks a wrong value with the dynamic property "invalid".
bool isInvalid(const QWidget* widget) {
    return widget && widget->property("invalid").toBool();
}

void drawField(QPainter* painter, const QRect& rect, const QStyleOption& option, const QWidget* widget) {
    const bool focused = option.state & QStyle::State_HasFocus;
    const bool hovered = (option.state & QStyle::State_MouseOver) && (option.state & QStyle::State_Enabled);
    const Theme& t = theme();
    QColor border = fieldBorder(t), fill = t.field;
    if (!(option.state & QStyle::State_Enabled)) {
        fill = t.window;
        border = t.border;
    }
    if (isInvalid(widget)) {
        border = t.bad;
    } else if (focused) {
        border = t.accent;
    } else if (hovered) {
        border = t.mutedText;
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(border, 1));
    painter->setBrush(fill);
    painter->drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter->restore();
}

void drawChevron(QPainter* painter, const QRectF& rect, bool up, bool enabled) {
    QColor color = theme().mutedText;
    if (!enabled) {
        color.setAlphaF(0.4);
    }
    const QPointF c = rect.center();
    const double rise = up ? 1.6 : -1.6;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(
        QPolygonF({{c.x() - 3.2, c.y() + rise}, {c.x(), c.y() - rise}, {c.x() + 3.2, c.y() + rise}}));
    painter->restore();
}

void drawCheckBox(QPainter* painter, const QStyleOption& option) {
    const Theme& t = theme();
    const bool on = option.state & QStyle::State_On;
    const bool strong = option.state & (QStyle::State_HasFocus | QStyle::State_MouseOver);
    const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(on || strong ? t.accent : t.mutedText, 1));
    painter->setBrush(on ? t.accent : t.field);
    painter->drawRoundedRect(box, 3, 3);
    if (on) {
        const QPointF c = box.center();
        painter->setPen(QPen(t.accentText, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter->drawPolyline(
            QPolygonF({c + QPointF(-3, 0.2), c + QPointF(-0.8, 2.5), c + QPointF(3.2, -2.4)}));
    }
    painter->restore();
}

/// Marks where a drop would land: a line between rows, or a frame around the target block.
void drawDropMark(QPainter* painter, const QRect& rect) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme().accent, 2));
    painter->setBrush(Qt::NoBrush);
    if (rect.height() == 0) {
        painter->drawLine(rect.topLeft(), rect.topRight());
    } else {
        painter->drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -1), 3, 3);
    }
    painter->restore();
}

}  // namespace

FlatStyle::FlatStyle() : QProxyStyle("Fusion") {}

void FlatStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText) {
        label->setTextFormat(Qt::PlainText);
    }
    if (qobject_cast<QLineEdit*>(widget)) {
        widget->setAttribute(
            Qt::WA_Hover);  // repaint it when the pointer leaves, as Fusion does for other fields
    }
}

void FlatStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    switch (element) {
        case PE_PanelLineEdit: {
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (frame && frame->lineWidth > 0) {  // in a spin or combo box, the box itself draws the frame
                drawField(painter, option->rect, *option, widget);
            }
            return;
        }
        case PE_IndicatorCheckBox:
            drawCheckBox(painter, *option);
            return;
        case PE_IndicatorItemViewItemDrop:
            drawDropMark(painter, option->rect);
            return;
        case PE_IndicatorHeaderArrow:
            if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
                // Qt calls the indicator of an ascending column SortDown; here it points up, as in
                // spreadsheets.
                drawChevron(painter, option->rect, header->sortIndicator == QStyleOptionHeader::SortDown,
                            true);
            }
            return;
        case PE_FrameLineEdit:
        case PE_FrameFocusRect:
            return;
        default:
            QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const {
    const bool enabled = option->state & State_Enabled;
    if (control == CC_ComboBox) {
        const QRect arrow = proxy()->subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
        drawField(painter, option->rect, *option, widget);
        drawChevron(painter, arrow, false, enabled);
        return;
    }
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if (control == CC_SpinBox && spin) {
        drawField(painter, option->rect, *option, widget);
        if (spin->buttonSymbols == QAbstractSpinBox::NoButtons) {
            return;
        }
        const QRect up = proxy()->subControlRect(CC_SpinBox, option, SC_SpinBoxUp, widget);
        const QRect down = proxy()->subControlRect(CC_SpinBox, option, SC_SpinBoxDown, widget);
        drawChevron(painter, up, true, enabled && (spin->stepEnabled & QAbstractSpinBox::StepUpEnabled));
        drawChevron(painter, down, false, enabled && (spin->stepEnabled & QAbstractSpinBox::StepDownEnabled));
        return;
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect FlatStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
    const QRect rect = QProxyStyle::subElementRect(element, option, widget);
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    const bool field = element == SE_LineEditContents && frame && frame->lineWidth > 0;
    return field ? rect.adjusted(kFieldPadding, 0, -kFieldPadding, 0) : rect;
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* data) const {
    if (hint == SH_ToolTip_WakeUpDelay) {
        return 500;
    }
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) {
        return 0;
    }
    return QProxyStyle::styleHint(hint, option, widget, data);
}

}  // namespace highwater::widgets

#include "moc_flat_style.cpp"
