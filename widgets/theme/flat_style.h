#pragma once

#include <QProxyStyle>

namespace highwater::widgets {

/// Fusion with flat fields: line edits, spin boxes and combo boxes as one quiet rounded box each. Colours are
/// the theme's in force when painting.
class FlatStyle : public QProxyStyle {
    Q_OBJECT
public:
    FlatStyle();
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;
};

}  // namespace highwater::widgets
