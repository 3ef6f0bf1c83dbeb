#pragma once

#include <QIcon>

namespace highwater::widgets {

enum class Glyph { Play, Stop };

/// A small icon drawn in these colours, sharp at every scale.
QIcon glyphIcon(Glyph glyph, const QColor& colour, const QColor& disabled);

}  // namespace highwater::widgets
