#pragma once

#include <QObject>

namespace highwater::desktop {

/// Lets Ctrl+Z and Ctrl+Y reach the experiment from a field that has the focus: fields apply what is typed at
/// once, so their own undo has nothing to offer. Text that is wrong or not applied yet stays the field's
/// affair, and so do plain text fields and dialogs.
class UndoKeys : public QObject {
    Q_OBJECT
public:
    /// `window`'s fields, for as long as it lives.
    explicit UndoKeys(QWidget* window);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* window_;
};

}  // namespace highwater::desktop
