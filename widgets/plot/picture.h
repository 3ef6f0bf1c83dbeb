#pragma once

#include <QPixmap>

#include "core/base/result.h"

class QWidget;

/// Pictures of widgets with charts in them.
namespace highwater::widgets {

/// A picture of the widget and its children, with `scale` device pixels for each logical pixel (at least the
/// screen's own ratio). Charts are redrawn at that resolution.
QPixmap pictureOf(QWidget& widget, double scale = 2.0);

/// Writes a picture of the widget to a file. `path` must end in .png (2 device pixels for each logical
/// pixel), .svg or .pdf (one page of the widget's size); SVG and PDF hold shapes and text, not pixels. If the
/// name has another ending or the file cannot be written, the error says so in one line, and no file is left.
base::Status savePicture(QWidget& widget, const QString& path);

}  // namespace highwater::widgets
