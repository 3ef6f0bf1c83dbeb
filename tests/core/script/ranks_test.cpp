#include "core/script/ranks.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/predict/target/ranks.h"

namespace highwater::script {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Ranks, GetTheEnvironmentThatTorchrunGives) {
    base::Launch launch;
    launch.arguments = {"-u", "CUDA_VISIBLE_DEVICES", "LD_PRELOAD=/lib.so", "python3", "train.py", "lr=0.1"};
    makeRank(launch, {2, 4, 12345});
    for (const char* each : {"RANK=2", "LOCAL_RANK=2", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=4",
                             "MASTER_ADDR=127.0.0.1", "MASTER_PORT=12345", "HIGHWATER_PRETEND_DEVICES=4"}) {
        EXPECT_THAT(launch.arguments, Contains(each));
    }
    EXPECT_THAT(launch.arguments,
                Contains("HIGHWATER_PRETEND_NCCL=" + std::to_string(predict::ncclBuffers(4).expected)));
    EXPECT_EQ(launch.arguments[1], "CUDA_VISIBLE_DEVICES") << "an option keeps its value";
    const std::vector<std::string> last(launch.arguments.end() - 4, launch.arguments.end());
    EXPECT_THAT(last, ::testing::ElementsAre("LD_PRELOAD=/lib.so", "python3", "train.py", "lr=0.1"));
}

TEST(Ranks, APortIsFree) {
    const auto port = freePort();
    ASSERT_TRUE(port) << port.error().message;
    EXPECT_GT(*port, 0);
    EXPECT_LT(*port, 65536);
}

TEST(Ranks, AScriptThatStartsProcessesIsRefusedWithTheOptionToUse) {
    const auto problem = [](const std::vector<std::string>& command) {
        const auto checked = checkStartsNoRanks(command);
        return checked ? "" : checked.error().message;
    };
    EXPECT_EQ(problem({"train.py", "--nproc-per-node", "2"}), "");
    EXPECT_EQ(problem({"-m", "package.train"}), "");
    EXPECT_EQ(problem({}), "");
    EXPECT_EQ(
        problem({"-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"}),
        "torch.distributed.run starts processes of its own, which cannot be recorded; give the training "
        "script itself, and --ranks 2 before it");
    EXPECT_THAT(problem({"/venv/bin/torchrun", "--nproc_per_node=8", "train.py"}), HasSubstr("--ranks 8"));
    EXPECT_THAT(problem({"torchrun", "train.py"}), HasSubstr("torchrun starts processes of its own"));
    EXPECT_THAT(problem({"torchrun", "train.py"}), HasSubstr("--ranks N"));
}

TEST(Ranks, WhatRankZeroHoldsBeyondTheOthers) {
    ScriptOutcome first;
    ScriptOutcome second;
    ScriptOutcome third;
    first.allocated = 1000;
    first.peakByCategory[memory::Category::Parameters] = 300;
    first.peakByCategory[memory::Category::Gradients] = 100;
    second.allocated = 700;
    second.device = 1;
    second.context = 50;
    second.peakByCategory[memory::Category::Parameters] = 200;
    second.peakByCategory[memory::Category::Gradients] = 400;
    second.elsewhere = {{0, 20, true}, {2, 8, true}};
    third.allocated = 600;
    third.device = 2;
    const FirstRankExtra extra = firstRankExtra({&first, &second, &third});
    EXPECT_EQ(extra.allocated, 300);
    EXPECT_EQ(extra.byCategory[memory::Category::Parameters], 100);
    EXPECT_EQ(extra.byCategory[memory::Category::Gradients], 0);
    EXPECT_EQ(extra.byOtherRanks, 70) << "reserved, and the context of rank 1";
    EXPECT_EQ(firstRankExtra({&second, &first}).allocated, 0);
    EXPECT_EQ(firstRankExtra({nullptr, &second}).byOtherRanks, 0);
    EXPECT_EQ(firstRankExtra({&first, nullptr}).allocated, 0) << "nothing to compare it with";
}

}  // namespace
}  // namespace highwater::script
