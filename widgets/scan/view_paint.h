#pragma once

#include <QColor>
#include <QPen>
#include <QRect>
#include <QString>

class QFont;
class QPainter;

/// Shared by the slice views and the 3D view, which are dark in both themes because gray values are judged
/// against black.
namespace highwater::widgets {

inline constexpr QColor kViewGround{10, 11, 13};
inline constexpr QColor kViewText{225, 228, 234};
inline constexpr QColor kViewMuted{150, 156, 168};

/// Paints small text in a corner or at an edge of a view, with a dark rim so that it can be read on bright
/// pixels.
void paintNote(QPainter& painter, const QRect& view, Qt::Alignment alignment, const QString& text,
               const QColor& color = kViewMuted);

/// Small text in a corner or at an edge of a view.
struct ViewNote {
    QRect view;
    Qt::Alignment alignment;
    QString text;
    QColor color = kViewMuted;
};
/// Where paintNote() places it, in a widget with this font.
QRect placeOf(const ViewNote& note, const QFont& font);

/// A theme's color, adapted for lines on these dark views: the light theme's colors are made for a white
/// background.
QColor onDark(const QColor& color);

/// The pen of the patch box. It is thin and dashed (`here` is false) for edges behind the volume and for
/// slices that do not cut the box.
QPen boxPen(bool here);

}  // namespace highwater::widgets
