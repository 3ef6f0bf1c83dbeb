#pragma once

#include <QElapsedTimer>
#include <QMenu>

namespace highwater::widgets {

/// A menu in which the first letters of an entry lead to it.
class TypedMenu : public QMenu {
public:
    using QMenu::QMenu;

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QString typed_;
    QElapsedTimer since_;  ///< the last letter
};

}  // namespace highwater::widgets
