#include "core/stack/nnunet/modules.h"

#include <gmock/gmock.h>

#include "core/stack/nnunet/nnunet.h"
#include "core/stack/program.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"

namespace highwater::stack {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

Experiment nnunetNetworkOf(const std::string& configuration) {
    NnunetOptions options;
    options.configuration = configuration;
    const auto made = importNnunet(testing::newerPlans().dump(), "plans.json", options);
    EXPECT_TRUE(made) << made.error().message;
    return made ? made->experiment : Experiment{};
}

std::vector<std::string> moduleNamesOf(const std::vector<NnunetModule>& modules) {
    std::vector<std::string> names;
    for (const NnunetModule& module : modules) {
        names.push_back(module.name);
    }
    return names;
}

/// The names are those of named_modules() in dynamic-network-architectures 0.4.
TEST(NnunetModules, OfAResidualNetwork) {
    const Experiment e = nnunetNetworkOf("resenc");
    const auto stages = nnunetModules(e, NnunetGrain::Stages);
    EXPECT_THAT(moduleNamesOf(stages),
                ElementsAre("encoder.stem", "encoder.stages.0", "encoder.stages.1", "encoder.stages.2",
                            "encoder.stages.3", "encoder.stages.4", "encoder.stages.5", "decoder.stages.0",
                            "decoder.stages.1", "decoder.stages.2", "decoder.stages.3", "decoder.stages.4"));
    EXPECT_EQ(stages[0], (NnunetModule{"encoder.stem", 0, 3}));
    EXPECT_EQ(stages[1], (NnunetModule{"encoder.stages.0", 3, 10}));
    const auto blocks = nnunetModules(e, NnunetGrain::Blocks);
    ASSERT_EQ(blocks.size(), 1U + 26U + 5U);
    EXPECT_EQ(blocks[0].name, "encoder.stem.convs.0");
    EXPECT_EQ(blocks[1], (NnunetModule{"encoder.stages.0.blocks.0", 3, 10}));
    EXPECT_EQ(blocks[4].name, "encoder.stages.1.blocks.2");
    EXPECT_EQ(blocks.back().name, "decoder.stages.4.convs.0");
    EXPECT_EQ(blocks.back().last, stages.back().last);
}

TEST(NnunetModules, OfAPlainNetwork) {
    const Experiment e = nnunetNetworkOf("3d_fullres");
    const auto stages = nnunetModules(e, NnunetGrain::Stages);
    ASSERT_EQ(stages.size(), 11U);
    EXPECT_EQ(stages[0], (NnunetModule{"encoder.stages.0", 0, 6}));
    EXPECT_EQ(stages[6].name, "decoder.stages.0");
    const auto blocks = nnunetModules(e, NnunetGrain::Blocks);
    ASSERT_EQ(blocks.size(), 22U);
    EXPECT_EQ(blocks[0], (NnunetModule{"encoder.stages.0.0.convs.0", 0, 3}));
    EXPECT_EQ(blocks[1], (NnunetModule{"encoder.stages.0.0.convs.1", 3, 6}));
    EXPECT_EQ(blocks[12].name, "decoder.stages.0.convs.0");
}

/// Modules have one input and no output but their last value, so that they can be recomputed as one.
TEST(NnunetModules, TakeOneTensorAndReturnOne) {
    for (const char* configuration : {"3d_fullres", "resenc"}) {
        const Experiment e = nnunetNetworkOf(configuration);
        for (const NnunetGrain grain : {NnunetGrain::Stages, NnunetGrain::Blocks}) {
            Experiment planned = e;
            planned.step.checkpoint.kind = Checkpointing::Kind::Plan;
            for (const NnunetModule& module : nnunetModules(e, grain)) {
                planned.step.checkpoint.plan.push_back({module.first, module.last, {}});
            }
            const auto info = inferShapes(planned);
            ASSERT_TRUE(info) << info.error().message;
            const Program program = makeProgram(planned, *info);
            std::size_t checkpointed = 0;
            for (const Segment& segment : program.segments) {
                if (segment.checkpoint) {
                    EXPECT_EQ(segment.imports.size(), 1U) << segment.first;
                    EXPECT_THAT(segment.exports, ElementsAre(segment.last - 1));
                    const auto first = static_cast<std::size_t>(
                        program.steps[static_cast<std::size_t>(segment.first)].layer);
                    EXPECT_TRUE(info->layers[first].type == "conv" || info->layers[first].type == "avg_pool")
                        << info->layers[first].type;
                    ++checkpointed;
                }
            }
            EXPECT_EQ(checkpointed, planned.step.checkpoint.plan.size());
        }
    }
}

}  // namespace
}  // namespace highwater::stack
