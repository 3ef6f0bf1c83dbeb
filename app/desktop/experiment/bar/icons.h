#pragma once

#include <QIcon>

namespace highwater::desktop {

enum class Glyph { Play, Stop };

/// A small icon drawn in these colors, sharp at every scale.
QIcon glyphIcon(Glyph glyph, const QColor& color, const QColor& disabled);

}  // namespace highwater::desktop
