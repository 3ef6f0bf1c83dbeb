#include "widgets/controls/undo_keys.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMainWindow>
#include <QSpinBox>
#include <QTest>
#include <QUndoStack>
#include <QWidget>

namespace highwater::desktop {
namespace {

TEST(UndoKeysOfAWindow, UndoAndRedoAsTheMainWindowDoes) {
    QUndoStack stack;
    stack.push(new QUndoCommand("one"));
    QWidget window;
    widgets::addUndoShortcuts(&window, stack);
    window.show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    for (const auto& [key, modifiers] : {std::pair{Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier},
                                         std::pair{Qt::Key_Y, Qt::KeyboardModifiers(Qt::ControlModifier)}}) {
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        EXPECT_EQ(stack.index(), 0);
        QTest::keyClick(&window, key, modifiers);
        EXPECT_EQ(stack.index(), 1);
    }
}

TEST(UndoKeysOfAWindow, ANumberThatIsStillBeingTypedCountsForAShortcut) {
    QMainWindow window;
    const widgets::UndoKeys keys(&window);
    auto* spin = new QSpinBox(&window);
    spin->setKeyboardTracking(false);
    spin->setValue(3);
    window.setCentralWidget(spin);
    int seen = 0;
    QAction* run = window.addAction("Run");
    run->setShortcut(QKeySequence("F5"));
    QObject::connect(run, &QAction::triggered, [&] { seen = spin->value(); });
    window.show();
    QApplication::setActiveWindow(&window);
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
    spin->setFocus();
    spin->selectAll();
    QTest::keyClicks(spin, "12");
    ASSERT_EQ(spin->value(), 3) << "not at every digit";
    QTest::keyClick(spin, Qt::Key_F5);
    EXPECT_EQ(seen, 12);
}

TEST(UndoKeysOfAWindow, CtrlEReachesTheWindowFromAField) {
    QWidget window;
    const widgets::UndoKeys keys(&window);
    QLineEdit field;  // of any window
    const auto left = [&](Qt::Key which) {
        QKeyEvent key(QEvent::ShortcutOverride, which, Qt::ControlModifier);
        key.accept();  // as the field does on X11, where it moves the cursor to the end
        QCoreApplication::sendEvent(&field, &key);
        return key.isAccepted();
    };
    EXPECT_FALSE(left(Qt::Key_E));
    EXPECT_TRUE(left(Qt::Key_K));
}

}  // namespace
}  // namespace highwater::desktop
