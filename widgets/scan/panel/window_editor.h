#pragma once

#include <QFrame>
#include <optional>

class QLineEdit;

namespace highwater::widgets {

class ScanScene;

/// Reads a number as people type it: a decimal point in every locale, "-" or "−" as the sign. Returns
/// std::nullopt if it is not a finite number. "1,5" and "1 000" are not accepted, because they mean different
/// numbers in different places.
std::optional<double> typedNumber(const QString& text);

/// Fields for typing width and level. Enter applies them; Escape and a click elsewhere discard them.
class WindowEditor : public QFrame {
    Q_OBJECT
public:
    WindowEditor(ScanScene& scene, QWidget* parent);
    void open(const QWidget* under);

private:
    void apply();
    /// Marks the fields that are not valid. Returns true if all are valid.
    bool check();
    ScanScene& scene_;
    QLineEdit* width_;
    QLineEdit* level_;
};

}  // namespace highwater::widgets
