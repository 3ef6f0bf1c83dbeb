#include "core/runs/progress.h"

#include "core/runs/losses.h"

#include "tests/core/runs/store_fixture.h"

namespace highwater::runs {
namespace {

class ProgressTest : public test::StoreTest {
protected:
    RunStore store = open();
    std::string id = create(store);
    RunWriter writer = std::move(*RunWriter::open(run(id)));
};

TEST_F(ProgressTest, IsTheStepsDoneAndTheTimeOfThoseToCome) {
    EXPECT_FALSE(find(store, id).progress) << "the engine is still starting";
    ASSERT_TRUE(writer.append(test::startedOf(id)));  // 20 steps
    EXPECT_EQ(find(store, id).progress, (Progress{0, 20}));
    EXPECT_EQ(stepText({0, 23, {}, 3}), "warm-up 1 of 3") << "the step that is being done is the first";
    EXPECT_EQ(stepText({3, 23, {}, 3}), "warm-up 3 of 3");
    EXPECT_EQ(stepText({23, 23, {}, 3}), "step 20 of 20");
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(writer.append(test::stepOf(i, i == 0 ? 900 : 100, 4096)));
    }
    EXPECT_EQ(find(store, id).progress, (Progress{5, 20, 1500.0}));
    EXPECT_EQ(progressText(*find(store, id).progress), "step 5 of 20, 2 s left");
    ASSERT_TRUE(writer.finish(test::resultOf(id)));
    EXPECT_FALSE(find(store, id).progress);
}

TEST_F(ProgressTest, OfALongRunIsReadFromItsEnd) {
    wire::Started started = test::startedOf(id);
    started.steps = 20000;
    ASSERT_TRUE(writer.append(started));
    wire::StepDone step = test::stepOf(0, 10, 4096);
    for (int i = 0; i < 30; ++i) {
        step.index = i;
        step.timeline.assign(4000, {1.5, {}});
        ASSERT_TRUE(writer.append(step));
    }
    ASSERT_GT(std::filesystem::file_size(run(id) / "events.jsonl"), 1000000U);
    const auto progress = readProgress(run(id));
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->done, 30);
    EXPECT_DOUBLE_EQ(progress->left.value(), 10.0 * (20000 - 30));
}

TEST_F(ProgressTest, ATornLineIsNoStep) {
    ASSERT_TRUE(writer.append(test::startedOf(id)));
    ASSERT_TRUE(writer.append(test::stepOf(0, 100, 4096)));
    std::ofstream(run(id) / "events.jsonl", std::ios::app) << R"({"event": "step", "ind)";
    EXPECT_EQ(readProgress(run(id)), (Progress{1, 20, 1900.0}));
    EXPECT_FALSE(readProgress(run(id) / "nowhere"));
}

TEST_F(ProgressTest, LossesAreReadWithoutTheRestOfTheRun) {
    wire::Started started = test::startedOf(id);
    started.warmup = 1;
    ASSERT_TRUE(writer.append(started));
    ASSERT_TRUE(writer.append(test::stepOf(0, 100, 4096, true)));
    ASSERT_TRUE(writer.append(test::stepOf(1, 100, 4096)));
    EXPECT_EQ(readLosses(run(id)).values, (std::vector<double>{1, 0.5}));
    EXPECT_EQ(readLosses(run(id)).warmup, 1);
    wire::RunResult result = test::resultOf(id);
    result.losses = {3, 2, 1.5};
    result.lossLast = 1.5;
    ASSERT_TRUE(writer.finish(result));
    EXPECT_EQ(readLosses(run(id)).values, result.losses);
    EXPECT_EQ(find(store, id).loss, 1.5);
    EXPECT_TRUE(readLosses(run(id) / "nowhere").values.empty());
}

}  // namespace
}  // namespace highwater::runs
