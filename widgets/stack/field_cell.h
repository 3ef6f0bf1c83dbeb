#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace highwater::widgets {

class ElidedLabel;

/// One field of a form: its name, its editor, the way back to its default where it differs, and beneath it
/// what is wrong with it.
class FieldCell : public QWidget {
    Q_OBJECT
public:
    /// Takes the editor over. `key` is its name on screen, `tip` the meaning of the term.
    FieldCell(const QString& key, const QString& tip, QWidget* editor, QWidget* parent = nullptr);

    const QString& key() const { return key_; }
    QWidget* editor() const { return editor_; }
    QLabel* label() const { return label_; }
    /// Offers the way back to `text`; empty: the value is the default.
    void setDefault(const QString& text);
    /// Typed by the user, and wrong; empty where it is right.
    void setReason(const QString& reason);
    /// What is wrong with the value itself; shown where nothing typed is wrong.
    void setProblem(const QString& problem);
    /// The editor cannot be used: `note` says why in two words beside the name ("needs a GPU"), `whyNot` in a
    /// sentence as its tooltip. Empty: it can.
    void setAvailable(const QString& note, const QString& whyNot);
    /// What stands beneath the editor; empty for nothing.
    QString message() const;
    bool matches(const QString& filter) const;

signals:
    void resetWanted();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void guardWheel(QWidget* editor);
    void showMessage();
    QString key_, tip_, reason_, problem_;
    QLabel* label_;
    ElidedLabel* note_;
    QToolButton* reset_;
    QWidget* editor_;
    QLabel* message_;
};

}  // namespace highwater::widgets
