#pragma once

#include <QColor>
#include <QObject>
#include <array>

#include "core/memory/ledger.h"

class QApplication;

/// One set of colors for every widget, light and dark, so that a color means the same everywhere.
namespace highwater::widgets {

enum class ThemeMode { System, Light, Dark };

struct Theme {
    bool dark = true;
    QColor window, panel, header, border, field, selection;  ///< surfaces
    QColor text, mutedText;
    QColor accent, accentText, good, warning, bad;
    std::array<QColor, memory::kCategoryCount> category;  ///< indexed by memory::Category
    std::array<QColor, 5> phase;                          ///< data, forward, recompute, backward, optimizer
    std::array<QColor, 5> device;  ///< parts of a GPU's memory: rounding, split, cache, context, others
    QColor box;                    ///< the patch box

    QColor of(memory::Category c) const { return category[static_cast<std::size_t>(c)]; }
};

/// The theme in use.
const Theme& theme();
/// Sets style, palette, style sheet and font; emits ThemeNotifier::changed.
void applyTheme(QApplication& app, ThemeMode mode);
ThemeMode themeMode();

class ThemeNotifier : public QObject {
    Q_OBJECT
public:
    static ThemeNotifier& instance();
signals:
    void changed();
};

}  // namespace highwater::widgets
