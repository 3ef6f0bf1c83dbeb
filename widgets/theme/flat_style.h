#pragma once

#include <QProxyStyle>
#include <QString>

#include "widgets/theme/theme.h"

namespace highwater::widgets {

/// Qt's Fusion style with flat fields: line edits, spin boxes and combo boxes are drawn as one rounded box
/// each. The colors are those of the theme at the time of painting.
///
/// Labels show plain text unless they are set to Qt::RichText, and so do tool tips and message boxes, which
/// contain labels. By default Qt renders whatever looks like HTML, and names of files, layers, runs and hosts
/// come from other people.
class FlatStyle : public QProxyStyle {
    Q_OBJECT
public:
    FlatStyle();
    using QProxyStyle::polish;
    void polish(QWidget* widget) override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option,
                         const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
};

/// The application's style sheet: what palette and FlatStyle do not cover. Properties it knows:
/// QPushButton[primary="true"] (the one main action), QLabel[muted="true"] (small gray note),
/// QToolButton[link="true"] (an action that reads as a link).
QString styleSheet(const Theme& theme);

}  // namespace highwater::widgets
