#pragma once

#include <QElapsedTimer>
#include <QMenu>

namespace highwater::widgets {

/// A menu whose entries can be found by typing their first letters.
class TypedMenu : public QMenu {
public:
    using QMenu::QMenu;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QString typed_;
    QElapsedTimer since_;  ///< since the last letter was typed
};

}  // namespace highwater::widgets
