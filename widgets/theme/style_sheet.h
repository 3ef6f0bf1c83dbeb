#pragma once

#include <QString>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

/// The application's style sheet: what palette and FlatStyle do not cover. Properties it knows:
/// QPushButton[primary="true"] (the one main action), QLabel[muted="true"] (small grey note),
/// QToolButton[link="true"] (an action that reads as a link).
QString styleSheet(const Theme& theme);

}  // namespace highwater::widgets
