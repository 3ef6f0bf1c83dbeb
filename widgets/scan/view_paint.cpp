#include "widgets/scan/view_paint.h"

#include <QPainter>
#include <QPainterPath>

#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {

namespace {

QRect within(const QRect& view) {
    return view.adjusted(7, 5, -7, -5);
}

}  // namespace

QRect placeOf(const ViewNote& note, const QFont& font) {
    return QFontMetrics(smallFont(font)).boundingRect(within(note.view), note.alignment, note.text);
}

void paintNote(QPainter& painter, const QRect& view, Qt::Alignment alignment, const QString& text,
               const QColor& color) {
    painter.save();
    painter.setFont(smallFont(painter.font()));
    const QRect inside = within(view);
    painter.setPen(QColor(0, 0, 0, 150));
    for (const int x : {-1, 0, 1}) {
        for (const int y : {-1, 0, 1}) {
            painter.drawText(inside.translated(x, y), alignment, text);
        }
    }
    painter.setPen(color);
    painter.drawText(inside, alignment, text);
    painter.restore();
}

QColor onDark(const QColor& color) {
    return theme().dark ? color : color.lighter(145);
}

QPen boxPen(bool here) {
    QColor color = onDark(theme().box);
    if (here) {
        return QPen(color, 1.4);
    }
    color.setAlphaF(0.55F);
    return QPen(color, 1, Qt::DashLine);
}

}  // namespace highwater::widgets
