#pragma once

#include <QFrame>
#include <optional>

class QLineEdit;

namespace highwater::widgets {

class ScanScene;

/// A number as people type it: a point for decimals whatever the locale, "-" or "−"; nothing where it is not
/// a finite number ("1,5" and "1 000" are none, so that nothing is read differently elsewhere).
std::optional<double> typedNumber(const QString& text);

/// Width and level as numbers to type. Enter takes them over, Escape and a click elsewhere leave them.
class WindowEditor : public QFrame {
    Q_OBJECT
public:
    WindowEditor(ScanScene& scene, QWidget* parent);
    void open(const QWidget* under);

private:
    void apply();
    /// Marks what cannot be taken; true when all can.
    bool check();
    ScanScene& scene_;
    QLineEdit* width_;
    QLineEdit* level_;
};

}  // namespace highwater::widgets
