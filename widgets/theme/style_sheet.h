#pragma once

#include <QString>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

/// The application's style sheet, for what palette and FlatStyle do not cover. It uses these properties:
/// QPushButton[primary="true"] (the one main action), QLabel[muted="true"] (small grey note),
/// QToolButton[link="true"] (an action that looks like a link).
QString styleSheet(const Theme& theme);

}  // namespace highwater::widgets
