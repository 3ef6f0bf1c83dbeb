#include "app/desktop/experiment/settings/augment_list.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include "app/desktop/experiment/settings/settings_panel.h"
#include "tests/app/desktop/experiment/stack/stacks.h"
#include "widgets/controls/checked_edit.h"

namespace highwater::desktop {
namespace {

using Kind = stack::Augmentation::Kind;

class AugmentListTest : public ::testing::Test {
protected:
    void SetUp() override {
        document.reset(testing::experimentFrom("conv"));
        panel.resize(440, 900);
        panel.show();
        QCoreApplication::processEvents();
    }
    const std::vector<stack::Augmentation>& list() { return document.experiment().data.augment; }
    void add(const QString& kind) {
        auto* button = panel.findChild<QToolButton*>("Add augmentation");
        for (QAction* action : button->menu()->actions()) {
            if (action->text() == kind) {
                action->trigger();
            }
        }
        settle();
    }
    void click(const char* name) {
        QTest::mouseClick(panel.findChild<QToolButton*>(name), Qt::LeftButton);
        settle();
    }
    static void settle() { QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); }
    widgets::CheckedEdit* edit(const char* name) { return panel.findChild<widgets::CheckedEdit*>(name); }
    void type(const char* name, const QString& text) {
        edit(name)->setFocus();
        edit(name)->selectAll();
        QTest::keyClicks(edit(name), text);
    }
    ExperimentDocument document;
    SettingsPanel panel{document};
};

TEST_F(AugmentListTest, AddsChangesReordersAndRemoves) {
    add("flip");
    add("rotate");
    ASSERT_EQ(list().size(), 2u);
    EXPECT_EQ(list()[1], (stack::Augmentation{Kind::Rotate, 0.5, 0}));
    type("augment 2 p", "0.25");
    type("augment 2 amount", "30");
    EXPECT_EQ(list()[1], (stack::Augmentation{Kind::Rotate, 0.25, 30}));
    click("augment 2 up");
    EXPECT_EQ(list()[0].kind, Kind::Rotate);
    EXPECT_EQ(edit("augment 1 amount")->text(), QString("30"));
    click("augment 2 remove");
    ASSERT_EQ(list().size(), 1u);
    EXPECT_EQ(list()[0].kind, Kind::Rotate);
    EXPECT_EQ(document.undoStack().count(), 6) << "add, add, p, amount, move, remove";
    for (int i = 0; i < 6; ++i) {
        document.undoStack().undo();
    }
    EXPECT_TRUE(list().empty());
    for (int i = 0; i < 6; ++i) {
        document.undoStack().redo();
    }
    EXPECT_EQ(list().size(), 1u);
}

TEST_F(AugmentListTest, AnotherKindHasAnAmountOfItsOwn) {
    add("rotate");
    type("augment 1 amount", "30");
    auto* kind = panel.findChild<QComboBox*>("augment 1 type");
    kind->setFocus();
    QTest::keyClick(kind, Qt::Key_Down);
    EXPECT_EQ(list()[0], (stack::Augmentation{Kind::Scale, 0.5, 0})) << "30 degrees are no scale";
    EXPECT_EQ(edit("augment 1 amount")->placeholderText(), QString("0.2"));
    QTest::keyClick(kind, Qt::Key_Home);
    EXPECT_EQ(list()[0].kind, Kind::Flip);
    EXPECT_FALSE(edit("augment 1 amount")->isEnabled()) << "a flip has no amount";
}

TEST_F(AugmentListTest, WrongNumbersAreNotApplied) {
    add("noise");
    type("augment 1 p", "2");
    EXPECT_FALSE(edit("augment 1 p")->isRight());
    EXPECT_EQ(list()[0].p, 0.5);
    type("augment 1 amount", "much");
    EXPECT_FALSE(edit("augment 1 amount")->isRight());
    EXPECT_EQ(list()[0].amount, 0);
    EXPECT_EQ(document.undoStack().count(), 1);
}

TEST_F(AugmentListTest, AltAndArrowsMoveItAndTheKeysStayWithIt) {
    add("flip");
    add("rotate");
    add("noise");
    auto* kind = panel.findChild<QComboBox*>("augment 1 type");
    panel.activateWindow();
    edit("augment 1 p")->setFocus();
    QTest::keyClick(edit("augment 1 p"), Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(list()[1].kind, Kind::Flip);
    EXPECT_EQ(QApplication::focusWidget()->objectName(), QString("augment 2 p"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down, Qt::AltModifier);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(list()[2].kind, Kind::Flip) << "no further than the end";
    EXPECT_EQ(kind->currentText(), QString("rotate"));
}

}  // namespace
}  // namespace highwater::desktop
