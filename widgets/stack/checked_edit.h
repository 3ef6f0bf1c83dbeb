#pragma once

#include <QLineEdit>
#include <functional>

namespace highwater::widgets {

/// A line edit that hands on only text that passes its check. Wrong text is marked, its reason is the tooltip
/// and goes out as rejected(); it is never applied.
class CheckedEdit : public QLineEdit {
    Q_OBJECT
public:
    /// Why the text is wrong; empty where it is right.
    using Check = std::function<QString(const QString&)>;
    /// The text so many steps up (or down), for arrow keys, wheel and dragging; empty where there is none.
    using Step = std::function<QString(const QString&, int by)>;

    explicit CheckedEdit(Check check, QWidget* parent = nullptr);

    void setStep(Step step) { step_ = std::move(step); }
    /// As if typed. Whether there was such a step.
    bool stepBy(int steps);
    /// The tooltip while the text is right.
    void setHint(const QString& hint);
    /// Shows a value from outside. While the user types a text of the same meaning (`same`) it stays as
    /// typed.
    void showValue(const QString& text, const std::function<bool(const QString& typed)>& same = {});
    bool isRight() const { return reason_.isEmpty(); }
    QString reason() const { return reason_; }

signals:
    void edited(const QString& text);      ///< typed by the user, and right
    void rejected(const QString& reason);  ///< typed by the user, and wrong
    void judged(const QString& reason);    ///< what is wrong with the text is something else now, or nothing

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;  ///< while it has the focus
    void focusOutEvent(QFocusEvent* event) override;
    QSize sizeHint() const override;

private:
    void onTyped(const QString& text);
    void mark(const QString& reason);
    Check check_;
    Step step_;
    QString hint_, reason_, shown_;
    int wheel_ = 0;  ///< turned, and not yet a step
};

}  // namespace highwater::widgets
