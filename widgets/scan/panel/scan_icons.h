#pragma once

#include <QIcon>

namespace highwater::widgets {

enum class ScanGlyph { Window, Invert, Crosshair, Crop, Measure, Labels, Keys };

/// A 16 pixel icon in this colour, sharp at every scale.
QIcon scanIcon(ScanGlyph glyph, const QColor& colour);

}  // namespace highwater::widgets
