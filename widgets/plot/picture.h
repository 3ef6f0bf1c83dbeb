#pragma once

#include <QPixmap>

#include "core/base/result.h"

class QWidget;

/// Pictures of widgets with charts in them.
namespace highwater::widgets {

/// The widget with all in it at `scale` device pixels a point (at least the screen's own), on the panels'
/// colour.
QPixmap pictureOf(QWidget& widget, double scale = 2.0);

/// Writes such a picture, as shapes and text where the format has them: `path` ends in .png (twice the
/// widget's points across), .svg or .pdf (one page of the widget's size). The error is one line.
base::Status savePicture(QWidget& widget, const QString& path);

}  // namespace highwater::widgets
