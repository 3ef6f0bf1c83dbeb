#pragma once

#include <QWidget>

class QLabel;
class QMenu;
class QToolButton;

namespace highwater::widgets {

class ElidedLabel;

/// One field of a form: its name, its editor, a button that resets it if it differs from its default, and the
/// error message below it. Its context menu is that of the editor, followed by what the owner adds.
class FieldCell : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of the editor. `key` is the name on screen, `tip` the meaning of the term.
    FieldCell(const QString& key, const QString& tip, QWidget* editor, QWidget* parent = nullptr);

    const QString& key() const { return key_; }
    QWidget* editor() const { return editor_; }
    QLabel* label() const { return label_; }
    /// Offers to reset the value to `text`. Empty: the value is the default.
    void setDefault(const QString& text);
    /// Why the text typed by the user is wrong; empty if it is valid.
    void setReason(const QString& reason);
    /// What is wrong with the value itself; shown only if there is no wrong text.
    void setProblem(const QString& problem);
    /// Disables the editor. `note` says why in two words beside the name ("needs a GPU"), `whyNot` in a
    /// sentence as the tooltip. If empty, the editor is enabled.
    void setAvailable(const QString& note, const QString& whyNot);
    /// The message below the editor; empty if there is none.
    QString message() const;
    bool matches(const QString& filter) const;

signals:
    void resetWanted();
    /// The context menu is about to open; a receiver adds its actions.
    void menuOpening(QMenu& menu);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void watch(QWidget* editor);
    void showMessage();
    QString key_, tip_, reason_, problem_;
    QLabel* label_;
    ElidedLabel* note_;
    QToolButton* reset_;
    QWidget* editor_;
    QLabel* message_;
};

}  // namespace highwater::widgets
