#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "app/desktop/scan/cases/case_stepper.h"
#include "app/desktop/scan/cases/channel_bar.h"
#include "app/desktop/scan/cases/proposal_box.h"
#include "app/desktop/scan/cases/volume_bar.h"
#include "app/desktop/scan/cases/warning_line.h"

namespace highwater::desktop {
namespace {

TEST(VolumeBar, CountsFromOneOnScreenAndFromZeroInItsValues) {
    VolumeBar bar;
    EXPECT_TRUE(bar.isHidden()) << "a single volume leaves nothing to choose";
    bar.setVolumes(20, 3, false);
    EXPECT_FALSE(bar.isHidden());
    auto* number = bar.findChild<QSpinBox*>();
    EXPECT_EQ(number->value(), 4);
    EXPECT_EQ(number->maximum(), 20);
    QSignalSpy chosen(&bar, &VolumeBar::volumeChosen);
    number->setValue(20);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 19);
    EXPECT_EQ(bar.findChild<QSlider*>()->value(), 20) << "both show it";
    bar.setVolumes(20, 5, false);
    EXPECT_EQ(chosen.size(), 1) << "being told is not a choice";
}

TEST(VolumeBar, ADragIsReadAtItsEnd) {
    VolumeBar bar;
    bar.setVolumes(20, 0, false);
    QSignalSpy chosen(&bar, &VolumeBar::volumeChosen);
    auto* slider = bar.findChild<QSlider*>();
    slider->setSliderDown(true);
    slider->setSliderPosition(7);
    slider->setSliderPosition(9);
    EXPECT_EQ(chosen.size(), 0);
    EXPECT_EQ(bar.findChild<QSpinBox*>()->value(), 9) << "what letting go will read";
    slider->setSliderDown(false);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 8);
}

TEST(VolumeBar, AllAsChannelsAndBack) {
    VolumeBar bar;
    bar.setVolumes(4, 2, false);
    QSignalSpy all(&bar, &VolumeBar::allAsChannelsRequested), one(&bar, &VolumeBar::onlyThisRequested);
    auto* button = bar.findChild<QToolButton*>("Volumes as channels");
    button->click();
    EXPECT_EQ(all.size(), 1);
    bar.setVolumes(4, 2, true);
    button->click();
    EXPECT_EQ(all.size(), 1);
    EXPECT_EQ(one.size(), 1);
}

TEST(ChannelBar, IsThereWhereThereAreSeveral) {
    ChannelBar bar;
    bar.setChannels({"1: t1.nii"}, 0);
    EXPECT_TRUE(bar.isHidden());
    bar.setChannels({"1: t1.nii", "2: t2.nii", "labels: seg.nii"}, 1);
    EXPECT_FALSE(bar.isHidden());
    QSignalSpy chosen(&bar, &ChannelBar::channelChosen);
    bar.findChild<QComboBox*>()->setCurrentIndex(2);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen[0][0].toInt(), 2);
}

TEST(CaseStepper, StopsAtBothEnds) {
    CaseStepper stepper;
    EXPECT_TRUE(stepper.isHidden());
    stepper.setCases({"a", "b", "c"}, 0);
    EXPECT_FALSE(stepper.isHidden());
    QSignalSpy chosen(&stepper, &CaseStepper::caseChosen);
    stepper.step(-1);
    EXPECT_EQ(chosen.size(), 0);
    EXPECT_FALSE(stepper.findChild<QToolButton*>("Case before")->isEnabled());
    auto* next = stepper.findChild<QToolButton*>("Next case");
    next->click();
    next->click();
    next->click();
    ASSERT_EQ(chosen.size(), 2);
    EXPECT_EQ(chosen[1][0].toInt(), 2);
    EXPECT_FALSE(next->isEnabled());
}

TEST(WarningLine, SaysHowManyAndTheFirstThenAll) {
    WarningLine line;
    EXPECT_TRUE(line.isHidden());
    line.setWarnings({"a slice is missing", "tilted by 12°"});
    EXPECT_FALSE(line.isHidden());
    EXPECT_EQ(line.text(), "2 warnings: a slice is missing");
    auto* all = line.findChild<QLabel*>("All warnings");
    EXPECT_TRUE(all->isHidden());
    line.resize(300, 30);
    QTest::mouseClick(&line, Qt::LeftButton, {}, {20, 10});
    EXPECT_FALSE(all->isHidden());
    EXPECT_TRUE(all->text().contains("tilted by 12°"));
    line.findChild<QToolButton*>("Show warnings")->click();
    EXPECT_TRUE(all->isHidden()) << "folded, and still there";
    EXPECT_FALSE(line.isHidden());
    line.setWarnings({"spacing unknown"});
    EXPECT_EQ(line.text(), "spacing unknown");
    QStringList many;
    for (int i = 0; i < 1000; ++i) {
        many << QString("warning %1").arg(i);
    }
    line.setWarnings(many);
    EXPECT_EQ(line.text(), "1000 warnings: warning 0");
    EXPECT_EQ(all->text().count('\n'), 30);
    EXPECT_TRUE(all->text().contains("warning 29\nand 970 more; "));
    line.setWarnings({});
    EXPECT_TRUE(line.isHidden());
}

TEST(ProposalBox, ProposesShowsAndApplies) {
    ProposalBox box;
    const auto button = [&](const char* name) { return box.findChild<QPushButton*>(name); };
    box.setTarget("this CPU", "No case has been read.");
    EXPECT_FALSE(button("Propose")->isEnabled());
    EXPECT_TRUE(box.text().contains("No case has been read."));
    box.setTarget("NVIDIA T4", {});
    EXPECT_TRUE(button("Propose")->isEnabled());
    QSignalSpy propose(&box, &ProposalBox::proposeRequested), cancel(&box, &ProposalBox::cancelRequested),
        apply(&box, &ProposalBox::applyRequested);
    button("Propose")->click();
    EXPECT_EQ(propose.size(), 1);
    box.showBusy("Predicting: 3 sizes so far");
    EXPECT_TRUE(button("Propose")->isHidden());
    button("Cancel proposal")->click();
    EXPECT_EQ(cancel.size(), 1);
    EXPECT_TRUE(button("Apply proposal")->isHidden());
    box.showProposal({"64 × 96 × 96",
                      "2",
                      "9.31 GiB of 24.0 GiB",
                      "31 % of the median case",
                      {"The median case is large.", "Two patches fit."}});
    EXPECT_TRUE(box.text().contains("patch 64 × 96 × 96, batch 2"));
    EXPECT_TRUE(box.text().contains("predicted peak 9.31 GiB of 24.0 GiB"));
    EXPECT_TRUE(box.text().contains("Two patches fit."));
    EXPECT_TRUE(box.text().contains("estimate"));
    button("Apply proposal")->click();
    EXPECT_EQ(apply.size(), 1);
    box.showProblem("nothing fits");
    EXPECT_TRUE(button("Apply proposal")->isHidden());
    EXPECT_EQ(box.text(), "nothing fits");
}

}  // namespace
}  // namespace highwater::desktop
