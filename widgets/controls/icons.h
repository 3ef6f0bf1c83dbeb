#pragma once

#include <QIcon>

namespace highwater::widgets {

enum class Glyph { Play, Stop };

/// A small icon drawn in that colour, sharp at every scale.
QIcon glyphIcon(Glyph glyph, const QColor& colour, const QColor& disabled);

}  // namespace highwater::widgets
