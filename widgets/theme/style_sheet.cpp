#include "texts/theme_texts.h"
#include "widgets/theme/flat_style.h"

#include <QPair>
#include <array>

namespace highwater::widgets {

QString styleSheet(const Theme& t) {
    const QColor hover = t.dark ? t.accent.lighter(112) : t.accent.darker(112);
    QColor faint = t.mutedText;
    faint.setAlphaF(0.6);
    // Longer names first: "@accent" is a prefix of "@accentText".
    const std::array<QPair<const char*, QColor>, 13> colors = {{{"@accentHover", hover},
                                                                {"@accentText", t.accentText},
                                                                {"@accent", t.accent},
                                                                {"@window", t.window},
                                                                {"@panel", t.panel},
                                                                {"@header", t.header},
                                                                {"@border", t.border},
                                                                {"@field", t.field},
                                                                {"@selection", t.selection},
                                                                {"@text", t.text},
                                                                {"@muted", t.mutedText},
                                                                {"@faint", faint},
                                                                {"@bad", t.bad}}};
    QString sheet = QString::fromUtf8(texts::window.data(), static_cast<qsizetype>(texts::window.size()));
    for (const auto& [name, color] : colors) {
        const QString value = QString("rgba(%1,%2,%3,%4)")
                                  .arg(color.red())
                                  .arg(color.green())
                                  .arg(color.blue())
                                  .arg(color.alpha());
        sheet.replace(QLatin1String(name), value);
    }
    return sheet;
}

}  // namespace highwater::widgets
