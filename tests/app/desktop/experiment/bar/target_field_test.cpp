#include "app/desktop/experiment/bar/target_field.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

namespace highwater::desktop {
namespace {

class TargetFieldTest : public ::testing::Test {
protected:
    void SetUp() override {
        field.setTargets({{"h100", "H100 80 GB"},
                          {"a100-40", "A100 40 GB"},
                          {"a100-80", "A100 80 GB"},
                          {"t4", "T4 16 GB"}});
        static_cast<QWidget&>(field).show();
    }
    QLineEdit* line() { return field.findChild<QComboBox*>("Predict for")->lineEdit(); }
    void type(const QString& text) {
        line()->setFocus();
        line()->selectAll();
        QTest::keyClicks(line(), text);
        QTest::keyClick(line(), Qt::Key_Return);
    }
    TargetField field;
};

TEST_F(TargetFieldTest, APartOfANameFindsTheDevice) {
    QSignalSpy changed(&field, &TargetField::changed);
    type("a100 8");
    EXPECT_EQ(field.choice().id, QString("a100-80"));
    EXPECT_EQ(field.title(), QString("A100 80 GB"));
    EXPECT_EQ(line()->text(), QString("A100 80 GB"));
    EXPECT_EQ(changed.count(), 1);
    type("16");
    EXPECT_EQ(field.choice().id, QString("t4"));
    type("100");
    EXPECT_EQ(field.choice().id, QString("h100")) << "the first of several";
}

TEST_F(TargetFieldTest, TheFirstClickSelectsTheNameAndTheSecondPlacesTheCursor) {
    field.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&field));
    field.setFocusPolicy(Qt::StrongFocus);
    field.setFocus();  // away from the name
    QTest::mouseClick(line(), Qt::LeftButton);
    EXPECT_TRUE(QTest::qWaitFor([this] { return line()->selectedText() == line()->text(); }));
    QTest::mouseClick(line(), Qt::LeftButton);
    QTest::qWait(50);
    EXPECT_EQ(line()->selectedText(), QString());
}

TEST_F(TargetFieldTest, WhatNoDeviceIsCalledChangesNothing) {
    type("t4");
    QSignalSpy changed(&field, &TargetField::changed);
    type("mi300");
    EXPECT_EQ(field.choice().id, QString("t4"));
    EXPECT_EQ(line()->text(), QString("T4 16 GB"));
    line()->selectAll();
    QTest::keyClick(line(), Qt::Key_Delete);
    QTest::keyClick(line(), Qt::Key_Return);
    EXPECT_EQ(field.choice().id, QString("t4"));
    EXPECT_EQ(field.targets().size(), 5U) << "nothing is added to the list";
    EXPECT_EQ(changed.count(), 0);
}

}  // namespace
}  // namespace highwater::desktop
