#include "widgets/timeline/stack_groups.h"

#include <gmock/gmock.h>

#include "tests/widgets/timeline/random_trace.h"
#include "tests/widgets/timeline/stacked_trace.h"

namespace highwater::widgets {
namespace {

using base::kMiB;
using highwater::testing::indexOf;
using highwater::testing::stackedTrace;
using ::testing::ElementsAre;

std::vector<std::pair<std::string, base::Bytes>> namesOf(const std::vector<GroupDifference>& rows) {
    std::vector<std::pair<std::string, base::Bytes>> names;
    for (const GroupDifference& row : rows) {
        names.emplace_back(row.name(), row.here.bytes);
    }
    return names;
}

TEST(StackGroups, ByPlaceFunctionModuleAndStack) {
    const auto index = indexOf(stackedTrace());
    using Pair = std::pair<std::string, base::Bytes>;
    const Pair before{"before the recording, unknown code", 8 * kMiB};
    EXPECT_THAT(namesOf(groupsAt(*index, 3, Grouping::Place)),
                ElementsAre(before, Pair("models/unet.py:57 forward", 4 * kMiB),
                            Pair("data/loader.py:20 batch", 2 * kMiB), Pair("optim/adam.py:180 step", kMiB)));
    EXPECT_THAT(namesOf(groupsAt(*index, 3, Grouping::Function)),
                ElementsAre(before, Pair("forward · models/unet.py", 4 * kMiB),
                            Pair("batch · data/loader.py", 2 * kMiB), Pair("step · optim/adam.py", kMiB)));
    EXPECT_THAT(namesOf(groupsAt(*index, 3, Grouping::Module)),
                ElementsAre(before, Pair("models/unet.py", 4 * kMiB), Pair("data/loader.py", 2 * kMiB),
                            Pair("torch.optim.adam", kMiB)));
    EXPECT_EQ(groupsAt(*index, 3, Grouping::Stack).size(), 4U);
    EXPECT_EQ(groupsAt(*index, 4, Grouping::Place).size(), 3U) << "one was freed";
    EXPECT_EQ(groupsAt(*index, 0, Grouping::Place).size(), 1U);
}

TEST(StackGroups, WhatIsHeldAddsUpToTheTotal) {
    for (std::uint32_t seed = 1; seed < 6; ++seed) {
        const auto index = indexOf(highwater::testing::randomTrace(seed, 300));
        for (std::size_t state = 0; state < index->states(); state += 17) {
            base::Bytes bytes = 0;
            std::int64_t blocks = 0;
            for (const HeldBytes& each : heldAt(*index, state)) {
                bytes += each.bytes;
                blocks += each.blocks;
            }
            EXPECT_EQ(bytes, index->totals()[state]);
            std::int64_t alive = 0;
            for (const auto count : index->countsAt(state)) {
                alive += count;
            }
            EXPECT_EQ(blocks, alive);
        }
    }
}

TEST(StackGroups, TwoCapturesAreMatchedByTheirCode) {
    const auto one = indexOf(stackedTrace()), two = indexOf(stackedTrace(3 * kMiB));
    const auto rows = compareGroups(*one, one->peakState(), *two, two->peakState(), Grouping::Stack);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].name(), "models/unet.py:57 forward");
    EXPECT_EQ(rows[0].difference(), -3 * kMiB);
    EXPECT_EQ(rows[0].other.bytes, 7 * kMiB);
    EXPECT_EQ(rows[1].difference(), 0);

    const auto edited = indexOf(stackedTrace(0, 60));  // the same code, three lines farther down
    const auto apart = compareGroups(*one, 3, *edited, 3, Grouping::Stack);
    ASSERT_EQ(apart.size(), 5U);
    EXPECT_EQ(apart[0].difference(), 4 * kMiB);
    EXPECT_EQ(apart[1].difference(), -4 * kMiB);
    EXPECT_EQ(apart[1].here.blocks, 0);
    EXPECT_EQ(compareGroups(*one, 3, *edited, 3, Grouping::Function).size(), 4U);
}

TEST(StackGroups, PathsEndWithTheirLastNames) {
    EXPECT_EQ(pathEnd("/a/b/c.py", 2), "b/c.py");
    EXPECT_EQ(pathEnd("C:\\a\\b\\c.py", 2), "b/c.py");
    EXPECT_EQ(pathEnd("c.py", 2), "c.py");
    EXPECT_EQ(pathEnd("/c.py", 2), "c.py");
    EXPECT_EQ(pathEnd("", 2), "");
    EXPECT_EQ(moduleOf("C:\\Python\\Lib\\site-packages\\torch\\nn\\__init__.py"), "torch.nn");
    EXPECT_EQ(moduleOf("/build/aten/Empty.cpp"), "aten/Empty.cpp");
    EXPECT_EQ(frameText({"??", "c10::alloc", 0}), "c10::alloc");
}

}  // namespace
}  // namespace highwater::widgets
