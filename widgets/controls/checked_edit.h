#pragma once

#include <QLineEdit>
#include <functional>

class QSpinBox;

namespace highwater::widgets {

/// A line edit that emits only text that passes its check. Wrong text is marked, its reason becomes the
/// tooltip and is emitted by rejected(); wrong text is never applied.
class CheckedEdit : public QLineEdit {
    Q_OBJECT
public:
    /// Returns why the text is wrong, or an empty string if it is valid.
    using Check = std::function<QString(const QString&)>;
    /// Returns the text after this many steps up (or down, if negative), for arrow keys, wheel and dragging.
    /// Returns an empty string if there is none.
    using Step = std::function<QString(const QString&, int by)>;

    explicit CheckedEdit(Check check, QWidget* parent = nullptr);

    void setStep(Step step) { step_ = std::move(step); }
    /// Steps the text as if the user had typed it. Returns false if there was no such step.
    bool stepBy(int steps);
    /// The tooltip while the text is valid.
    void setHint(const QString& hint);
    /// Shows a value from outside. If the user is typing a text with the same meaning (`same`), that text is
    /// left as typed.
    void showValue(const QString& text, const std::function<bool(const QString& typed)>& same = {});
    bool isRight() const { return reason_.isEmpty(); }
    QString reason() const { return reason_; }

signals:
    void edited(const QString& text);      ///< the user typed valid text
    void rejected(const QString& reason);  ///< the user typed wrong text
    void judged(const QString& reason);    ///< the reason changed; empty if the text is valid now

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;  ///< only with focus
    void focusOutEvent(QFocusEvent* event) override;
    QSize sizeHint() const override;

private:
    void onTyped(const QString& text);
    void mark(const QString& reason);
    Check check_;
    Step step_;
    QString hint_, reason_, shown_;
    int wheel_ = 0;  ///< wheel rotation that does not yet make a step
};

/// "lr: “lots” is not a number", for the first field in the window of `within` whose text was rejected; empty
/// if all were accepted. Hidden fields do not count, unless they are hidden only because another page is
/// shown.
QString wrongField(const QWidget& within);

/// Marks the spin box while the typed value is out of its range, and shows the range.
void checkWhileTyped(QSpinBox* spin);

}  // namespace highwater::widgets
