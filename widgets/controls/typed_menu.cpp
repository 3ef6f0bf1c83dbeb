#include "widgets/controls/typed_menu.h"

#include <QKeyEvent>

namespace highwater::widgets {

void TypedMenu::showEvent(QShowEvent* event) {
    typed_.clear();
    QMenu::showEvent(event);
}

void TypedMenu::keyPressEvent(QKeyEvent* event) {
    constexpr int kPauseMs = 2000;  // after this pause, typing starts a new search
    const QString letter = event->text();
    const bool command = event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    if (command || letter.isEmpty() || !letter.front().isPrint() || letter.front().isSpace()) {
        QMenu::keyPressEvent(event);
        return;
    }
    if (!since_.isValid() || since_.elapsed() > kPauseMs) {
        typed_.clear();
    }
    since_.restart();
    typed_ += letter;
    for (QAction* action : actions()) {
        if (action->isEnabled() && action->text().startsWith(typed_, Qt::CaseInsensitive)) {
            setActiveAction(action);
            break;
        }
    }
    event->accept();
}

}  // namespace highwater::widgets
