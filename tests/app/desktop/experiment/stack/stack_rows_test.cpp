#include "app/desktop/experiment/stack/stack_rows.h"

#include <gtest/gtest.h>

#include "tests/app/desktop/experiment/stack/predictions.h"
#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

StackRows rowsOf(const stack::Experiment& experiment) {
    return stackRows(experiment, stack::inferShapes(experiment));
}

TEST(StackRows, SayTypeOptionsShapeAndBytes) {
    stack::Experiment e = testing::experimentFrom("conv:a [relu] add=a");
    std::get<stack::Conv>(e.stack[0].op).outChannels = 8;
    const StackRows rows = rowsOf(e);
    ASSERT_TRUE(rows.error.isEmpty()) << rows.error.toStdString();
    ASSERT_EQ(rows.rows.size(), 4u);
    EXPECT_EQ(rows.rows[0].options, QString("3³, pad 1, id a"));
    EXPECT_EQ(rows.rows[0].shape, QString("8 × 16³"));
    EXPECT_EQ(rows.rows[0].bytes, 8 * 16 * 16 * 16 * 4);
    EXPECT_DOUBLE_EQ(rows.rows[0].share, 1);
    EXPECT_TRUE(rows.rows[1].block);
    EXPECT_EQ(rows.rows[2].path, (Path{1, 0}));
    EXPECT_EQ(rows.rows[2].number, 3);
    EXPECT_EQ(rows.rows[3].options, QString("with a"));
    EXPECT_EQ(rows.parameters, 8 * 27 + 8);
}

TEST(StackRows, ShowWhatIsPredicted) {
    const stack::Experiment e = testing::experimentFrom("conv relu conv");
    auto prediction = testing::predictionOf(3);
    prediction.cliffs = {testing::cliffAt(2)};
    prediction.layers[2].atPeak = 20 * base::kMiB;
    const StackRows rows = stackRows(e, stack::inferShapes(e), &prediction);
    EXPECT_TRUE(rows.rows[1].predicted);
    EXPECT_EQ(rows.rows[1].bytes, base::kMiB);
    EXPECT_DOUBLE_EQ(rows.rows[1].share, 0.5) << "the bar is that of the number beside it, not of the peak";
    prediction.layers[2].activationBytes = 4 * base::kMiB;
    EXPECT_DOUBLE_EQ(stackRows(e, stack::inferShapes(e), &prediction).rows[1].share, 0.25);
    const QString tip = layerForecastText(prediction.layers[1], prediction.peakAllocated.expected);
    EXPECT_TRUE(tip.contains("10.0 % of it"));
    EXPECT_TRUE(tip.contains("backward 2.00 MiB (1.00 MiB to 4.00 MiB)"));
    EXPECT_TRUE(rows.rows[1].cliff.isEmpty());
    EXPECT_TRUE(rows.rows[2].cliff.contains("2^31"));
    EXPECT_TRUE(rows.rows[2].cliff.endsWith("safe: batch size 1; width 352 or 480"))
        << rows.rows[2].cliff.toStdString();
}

TEST(StackRows, APredictionOfAnotherStackIsLeftOut) {
    const stack::Experiment e = testing::experimentFrom("conv relu conv");
    auto prediction = testing::predictionOf(2);
    prediction.cliffs = {testing::cliffAt(1), testing::cliffAt(-1), testing::cliffAt(99)};
    const StackRows rows = stackRows(e, stack::inferShapes(e), &prediction);
    EXPECT_EQ(rows.rows, rowsOf(e).rows);
    auto same = testing::predictionOf(3);
    same.cliffs = {testing::cliffAt(-1), testing::cliffAt(99)};
    for (const StackRow& row : stackRows(e, stack::inferShapes(e), &same).rows) {
        EXPECT_TRUE(row.cliff.isEmpty());
    }
}

TEST(StackRows, AnInvalidStackMarksTheRowAndKeepsTheShapesBefore) {
    stack::Experiment e = testing::experimentFrom("conv [relu conv relu] relu");
    std::get<stack::Conv>(std::get<stack::Block>(e.stack[1].op).layers[1].op).kernelSize = {99};
    const StackRows rows = rowsOf(e);
    EXPECT_FALSE(rows.error.isEmpty());
    EXPECT_EQ(rows.badRow, 3);
    EXPECT_TRUE(rows.rows[3].bad);
    EXPECT_EQ(rows.rows[0].shape, QString("1 × 16³"));
    EXPECT_EQ(rows.rows[1].shape, QString()) << "a block that holds the fault has no output";
    EXPECT_EQ(rows.rows[2].shape, QString("1 × 16³"));
    for (const int after : {3, 4, 5}) {
        EXPECT_TRUE(rows.rows[after].shape.isEmpty());
        EXPECT_EQ(rows.rows[after].bytes, -1);
    }
}

TEST(StackRows, AFaultOutsideTheStackKeepsAllShapes) {
    stack::Experiment e = testing::experimentFrom("conv relu");
    e.loss = stack::Loss::CrossEntropy;
    const StackRows rows = rowsOf(e);
    EXPECT_FALSE(rows.error.isEmpty());
    EXPECT_EQ(rows.badRow, -1);
    EXPECT_EQ(rows.rows[1].shape, QString("1 × 16³"));
}

}  // namespace
}  // namespace highwater::desktop
