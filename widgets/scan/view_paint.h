#pragma once

#include <QColor>
#include <QPen>
#include <QRect>
#include <QString>

class QPainter;

/// Shared by the slice and volume views, which are dark in both themes: grey values are judged against black.
namespace highwater::widgets {

inline constexpr QColor kViewGround{10, 11, 13};
inline constexpr QColor kViewText{225, 228, 234};
inline constexpr QColor kViewMuted{150, 156, 168};

/// Small text in a corner or at an edge of a view, with a dark rim so that it can be read on bright pixels.
void paintNote(QPainter& painter, const QRect& view, Qt::Alignment alignment, const QString& text,
               const QColor& colour = kViewMuted);

/// A theme's colour for lines on these views: the light theme's are made for white paper.
QColor onDark(const QColor& colour);

/// The patch box's line; thin and dashed where it lies behind or elsewhere.
QPen boxPen(bool here);

}  // namespace highwater::widgets
