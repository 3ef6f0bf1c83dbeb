#pragma once

#include <QIcon>

namespace highwater::widgets {

enum class ScanGlyph { Window, Invert, Crosshair, Crop, Measure, Labels, Keys };

/// A 16-pixel icon in this color, sharp at every scale.
QIcon scanIcon(ScanGlyph glyph, const QColor& color);

}  // namespace highwater::widgets
