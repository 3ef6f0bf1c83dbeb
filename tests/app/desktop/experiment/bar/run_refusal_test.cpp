#include "app/desktop/experiment/bar/run_refusal.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "app/desktop/experiment/bar/checkpoint_field.h"
#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

class RunRefusalTest : public ::testing::Test {
protected:
    void SetUp() override { document.reset(testing::experimentFrom("conv relu")); }
    QToolButton* show() { return line.findChild<QToolButton*>("Show the refused input"); }
    ExperimentDocument document;
    RunRefusal line{document};
};

TEST_F(RunRefusalTest, SaysWhyAndLeadsToTheSetting) {
    EXPECT_TRUE(line.isHidden());
    document.edit("p", [](stack::Experiment& e) { e.step.precision = stack::Precision::Fp16; });
    EXPECT_TRUE(line.text().startsWith("Cannot run: precision other than fp32")) << line.text().toStdString();
    EXPECT_TRUE(line.text().contains("GPU")) << "what to do";
    QSignalSpy wanted(&line, &RunRefusal::settingWanted);
    QTest::mouseClick(show(), Qt::LeftButton);
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(wanted[0][0].toString(), QString("/step/precision"));
    line.setRunsOnGpu(true);
    EXPECT_TRUE(line.isHidden());
}

TEST_F(RunRefusalTest, SaysWhyNothingIsPredicted) {
    line.setTrouble("there is no profile of this GPU to predict with");
    EXPECT_EQ(line.text(), QString("No prediction: there is no profile of this GPU to predict with."));
    EXPECT_TRUE(show()->isHidden()) << "it leads nowhere";
    line.setTrouble({});
    EXPECT_TRUE(line.isHidden());
}

TEST_F(RunRefusalTest, IsQuietWhileTheStackIsNotValid) {
    document.edit("k", [](stack::Experiment& e) {
        std::get<stack::Conv>(e.stack[0].op).kernelSize = {99};
        e.step.precision = stack::Precision::Fp16;
    });
    line.setTrouble("the stack is not valid yet");
    EXPECT_TRUE(line.isHidden());
}

TEST(CheckpointField, OffersEveryKindAndTheNumberOfSegments) {
    ExperimentDocument document;
    document.reset(testing::experimentFrom("conv relu conv"));
    CheckpointField field(document);
    auto* kind = field.findChild<QComboBox*>("Checkpointing");
    auto* segments = field.findChild<QSpinBox*>("Segments");
    using Kind = stack::Checkpointing::Kind;
    for (const Kind wanted : {Kind::None, Kind::Sqrt, Kind::Segments, Kind::Blocks}) {
        kind->setCurrentIndex(static_cast<int>(wanted));
        EXPECT_EQ(document.experiment().step.checkpoint.kind, wanted);
        EXPECT_EQ(segments->isHidden(), wanted != Kind::Segments);
    }
    kind->setCurrentIndex(static_cast<int>(Kind::Segments));
    const int before = document.undoStack().count();
    segments->setValue(3);
    segments->setValue(4);
    EXPECT_EQ(document.experiment().step.checkpoint.segments, 4);
    EXPECT_EQ(document.undoStack().count(), before + 1) << "one step";
    document.undoStack().undo();
    EXPECT_EQ(segments->value(), 2);
}

}  // namespace
}  // namespace highwater::desktop
