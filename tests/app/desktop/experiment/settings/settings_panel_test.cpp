#include "app/desktop/experiment/settings/settings_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include "app/desktop/experiment/settings/fold_section.h"
#include "tests/app/desktop/experiment/stack/stacks.h"
#include "widgets/controls/field_cell.h"

namespace highwater::desktop {
namespace {

class SettingsPanelTest : public ::testing::Test {
protected:
    void SetUp() override { open(testing::experimentFrom("conv relu")); }
    void open(const stack::Experiment& experiment) {
        document.reset(experiment);
        panel.resize(440, 700);
        panel.show();
        panel.activateWindow();
        QCoreApplication::processEvents();
    }
    widgets::FieldCell* cell(const QString& name) {
        for (widgets::FieldCell* each : panel.findChildren<widgets::FieldCell*>()) {
            if (each->editor()->objectName() == name) {
                return each;
            }
        }
        ADD_FAILURE() << "no field " << name.toStdString();
        return nullptr;
    }
    FoldSection* section(const QString& title) {
        for (FoldSection* each : panel.findChildren<FoldSection*>()) {
            if (each->title() == title) {
                return each;
            }
        }
        return nullptr;
    }
    std::vector<std::string> shown() {
        std::vector<std::string> names;
        for (widgets::FieldCell* each : panel.findChildren<widgets::FieldCell*>()) {
            if (each->isVisible()) {
                names.push_back(each->editor()->objectName().toStdString());
            }
        }
        return names;
    }
    void search(const QString& text) {
        auto* line = panel.findChild<QLineEdit*>("Find a setting");
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
        QCoreApplication::processEvents();
    }
    void type(const QString& field, const QString& text) {
        auto* edit = panel.findChild<widgets::CheckedEdit*>(field);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, text);
    }
    ExperimentDocument document;
    SettingsPanel panel{document};
};

TEST_F(SettingsPanelTest, WrongTextSaysWhyBeneathItAndAppliesNothing) {
    type("/optimizer/lr", "-1");
    EXPECT_THAT(cell("/optimizer/lr")->message().toStdString(), ::testing::HasSubstr("from 0"));
    EXPECT_EQ(document.undoStack().count(), 0);
    type("/optimizer/lr", "0.5");
    EXPECT_EQ(cell("/optimizer/lr")->message(), QString());
    EXPECT_EQ(document.experiment().optimizer.lr, 0.5);
    type("/optimizer/betas", "0.9");
    EXPECT_THAT(cell("/optimizer/betas")->message().toStdString(), ::testing::HasSubstr("two numbers"));
    QTest::keyClick(panel.findChild<QWidget*>("/optimizer/betas"), Qt::Key_Escape);
    EXPECT_EQ(cell("/optimizer/betas")->message(), QString());
}

TEST_F(SettingsPanelTest, AnotherFieldIsAnotherUndoStep) {
    type("/optimizer/lr", "0.5");
    type("/optimizer/weight_decay", "0.25");
    type("/optimizer/weight_decay", "0.75");
    EXPECT_EQ(document.undoStack().count(), 2);
    document.undoStack().undo();
    EXPECT_EQ(document.experiment().optimizer.weightDecay, 0);
    EXPECT_EQ(panel.findChild<widgets::CheckedEdit*>("/optimizer/weight_decay")->text(), QString("0"));
}

TEST_F(SettingsPanelTest, WhatTheCpuCannotDoIsDisabledWithTheReason) {
    panel.setDevices(false, false);
    for (const char* name : {"/step/channels_last", "/data/pinned", "/backend/cudnn", "/backend/benchmark",
                             "/backend/tf32", "/backend/workspace_limit", "/backend/alloc_conf"}) {
        EXPECT_FALSE(cell(name)->editor()->isEnabled()) << name;
        EXPECT_THAT(cell(name)->editor()->toolTip().toStdString(), ::testing::HasSubstr("GPU")) << name;
    }
    const auto* precision = panel.findChild<QComboBox*>("/step/precision");
    const auto* items = qobject_cast<const QStandardItemModel*>(precision->model());
    EXPECT_TRUE(items->item(0)->isEnabled());
    EXPECT_FALSE(items->item(3)->isEnabled());
    panel.setDevices(false, true);
    EXPECT_TRUE(cell("/step/channels_last")->editor()->isEnabled());
    EXPECT_TRUE(cell("/backend/onednn")->editor()->isEnabled()) << "it still runs on the CPU";
    EXPECT_TRUE(items->item(3)->isEnabled());
    panel.setDevices(true, true);
    EXPECT_FALSE(cell("/backend/onednn")->editor()->isEnabled());
}

TEST_F(SettingsPanelTest, WhatIsSetCanBeSetBackWhereItCannotBeUsed) {
    panel.setDevices(false, false);
    document.edit("c", [](stack::Experiment& e) { e.step.channelsLast = true; });
    auto* box = panel.findChild<QCheckBox*>("/step/channels_last");
    EXPECT_TRUE(box->isEnabled());
    box->click();
    EXPECT_FALSE(document.experiment().step.channelsLast);
    EXPECT_FALSE(box->isEnabled());
}

TEST_F(SettingsPanelTest, FitsTheNarrowestColumn) {
    stack::Experiment e = testing::experimentFrom("conv");
    e.input = stack::ScanInput();
    e.data.augment = {stack::Augmentation{stack::Augmentation::Kind::Brightness, 0.5, 0.25}};
    e.windows = stack::Windows();
    open(e);
    panel.resize(320, 560);
    QCoreApplication::processEvents();
    const auto right = [&](const QWidget* of) { return of->mapTo(&panel, of->rect().topRight()).x(); };
    for (const QWidget* each : panel.findChildren<QWidget*>()) {
        const bool its = each->isVisible() && each->objectName().startsWith("augment 1");
        EXPECT_TRUE(!its || right(each) < panel.width() - 10) << each->objectName().toStdString();
    }
    for (const widgets::FieldCell* each : panel.findChildren<widgets::FieldCell*>()) {
        EXPECT_TRUE(!each->isVisible() || right(each) < panel.width() - 10) << each->key().toStdString();
    }
}

TEST_F(SettingsPanelTest, ACohortHasItsFolderAndChannels) {
    stack::Experiment e = testing::experimentFrom("conv");
    e.input = stack::ScanInput();
    open(e);
    EXPECT_FALSE(cell("/input/cohort")->editor()->isEnabled()) << "it is chosen in its window";
    EXPECT_TRUE(cell("/input/channels")->isHidden()) << "a scan has as many as it has files";
    document.edit("cohort", [](stack::Experiment& x) {
        auto& input = std::get<stack::ScanInput>(x.input);
        input.cohort = "/cases";
        input.channels = 4;
    });
    EXPECT_FALSE(cell("/input/channels")->isHidden());
}

TEST_F(SettingsPanelTest, WhatTheDeviceRefusesIsSaidAtItsField) {
    stack::Experiment e = testing::experimentFrom("conv relu");
    e.step.precision = stack::Precision::Fp16;
    open(e);
    panel.setDevices(false, false);
    EXPECT_THAT(cell("/step/precision")->message().toStdString(),
                ::testing::StartsWith("precision other than fp32"));
    EXPECT_TRUE(section("Step")->findChild<QLabel*>()->isVisible());
    panel.setDevices(true, false);
    EXPECT_EQ(cell("/step/precision")->message(), QString());
}

TEST_F(SettingsPanelTest, WhatIsNotValidIsSaidAtItsField) {
    document.edit("m", [](stack::Experiment& e) { e.step.microBatches = 3; });
    EXPECT_THAT(cell("/step/micro_batches")->message().toStdString(),
                ::testing::HasSubstr("does not divide"));
    document.edit("l", [](stack::Experiment& e) {
        e.step.microBatches = 1;
        e.loss = stack::Loss::Dice;
    });
    EXPECT_EQ(cell("/step/micro_batches")->message(), QString());
    EXPECT_THAT(cell("/loss")->message().toStdString(), ::testing::HasSubstr("class labels"));
}

TEST_F(SettingsPanelTest, OnlyWhatCountsIsShown) {
    EXPECT_THAT(shown(), ::testing::Not(::testing::Contains("/optimizer/momentum")));
    panel.findChild<QComboBox*>("/optimizer/type")->setCurrentIndex(0);
    EXPECT_THAT(shown(), ::testing::Contains("/optimizer/momentum"));
    EXPECT_THAT(shown(), ::testing::Not(::testing::Contains("/optimizer/betas")));
    EXPECT_THAT(shown(), ::testing::Not(::testing::Contains("/windows/size")));
    panel.findChild<QCheckBox*>("/windows")->click();
    EXPECT_THAT(shown(), ::testing::Contains("/windows/size"));
    EXPECT_TRUE(document.info()) << document.info().error().message;
    EXPECT_EQ(document.experiment().windows->size, (stack::Sizes{8, 8, 8}));
}

TEST_F(SettingsPanelTest, CountsWhatIsSetEvenWhereItIsFolded) {
    QSignalSpy counted(&panel, &SettingsPanel::changedFieldsChanged);
    const int before = panel.changedFields();
    section("Libraries")->setOpen(false);
    document.edit("t", [](stack::Experiment& e) {
        e.backend.threads = 2;
        e.backend.onednn = false;
    });
    EXPECT_EQ(panel.changedFields(), before + 2);
    EXPECT_EQ(counted.count(), 1);
    EXPECT_THAT(section("Libraries")->findChild<QLabel*>()->text().toStdString(), "2 changed");
    EXPECT_FALSE(panel.findChild<QSpinBox*>("/backend/threads")->isVisible());
}

TEST_F(SettingsPanelTest, FindsSettingsByNameAndMeaning) {
    section("Step")->setOpen(false);
    search("seed");
    EXPECT_THAT(shown(), ::testing::Contains("/step/seed"));
    EXPECT_THAT(shown(), ::testing::Not(::testing::Contains("/step/train")));
    search("slow disk");
    EXPECT_THAT(shown(), ::testing::ElementsAre("/data/read_delay_ms"));
    search("nothing like it");
    EXPECT_TRUE(shown().empty());
    QTest::keyClick(panel.findChild<QWidget*>("Find a setting"), Qt::Key_Escape);
    EXPECT_FALSE(section("Step")->isOpen()) << "folded as before";
    EXPECT_GT(shown().size(), 20u);
}

TEST_F(SettingsPanelTest, KeysLeadFromTheSearchIntoTheFieldAndOn) {
    search("weight_decay");
    QTest::keyClick(panel.findChild<QWidget*>("Find a setting"), Qt::Key_Return);
    EXPECT_EQ(QApplication::focusWidget()->objectName(), QString("/optimizer/weight_decay"));
    search("");
    QTest::keyClick(panel.findChild<QWidget*>("Find a setting"), Qt::Key_Escape);
    ASSERT_TRUE(panel.showField("/optimizer/type"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    EXPECT_EQ(QApplication::focusWidget()->objectName(), QString("/optimizer/lr"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab, Qt::ShiftModifier);
    EXPECT_EQ(QApplication::focusWidget()->objectName(), QString("/optimizer/type"));
}

TEST_F(SettingsPanelTest, LeadsToAFieldThatIsFoldedAway) {
    section("Libraries")->setOpen(false);
    EXPECT_TRUE(panel.showField("/backend/threads"));
    EXPECT_TRUE(panel.findChild<QSpinBox*>("/backend/threads")->hasFocus());
    EXPECT_FALSE(panel.showField("/backend/nothing"));
}

TEST_F(SettingsPanelTest, TheWheelScrollsAndChangesNothing) {
    auto* spin = panel.findChild<QSpinBox*>("/step/batch_size");
    panel.findChild<QWidget*>("Find a setting")->setFocus();
    QWheelEvent wheel(QPointF(5, 5), spin->mapToGlobal(QPointF(5, 5)), {}, {0, 120}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(spin, &wheel);
    EXPECT_EQ(document.undoStack().count(), 0);
    spin->setFocus();
    QApplication::sendEvent(spin, &wheel);
    EXPECT_EQ(document.experiment().step.batchSize, 2);
}

TEST_F(SettingsPanelTest, KeepsWhatIsFolded) {
    section("Data")->setOpen(false);
    const QStringList open = panel.openSections();
    EXPECT_FALSE(open.contains("Data"));
    SettingsPanel other(document);
    other.setOpenSections(open);
    EXPECT_EQ(other.openSections(), open);
}

TEST_F(SettingsPanelTest, OneColumnWhereItIsNarrow) {
    const auto apart = [&] {
        QCoreApplication::processEvents();
        return cell("/optimizer/type")->mapTo(&panel, QPoint()).x() !=
               cell("/optimizer/lr")->mapTo(&panel, QPoint()).x();
    };
    const auto side = [&] {  // loss and type are the first two of their section
        QCoreApplication::processEvents();
        return cell("/loss")->mapTo(&panel, QPoint()).y() ==
               cell("/optimizer/type")->mapTo(&panel, QPoint()).y();
    };
    EXPECT_TRUE(apart());
    EXPECT_TRUE(side());
    panel.resize(220, 700);
    EXPECT_FALSE(side());
}

}  // namespace
}  // namespace highwater::desktop
