#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "core/base/processor.h"
#include "core/predict/predict.h"
#include "tests/core/temporary_folder.h"

namespace highwater::predict {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kOp = "conv1d/f/n1/c1,1/i4/k1/s1/p0/d1/g1";

/// The user's folder and the program's, both empty.
class CpuTarget : public ::testing::Test {
protected:
    void SetUp() override {
        ::setenv("XDG_DATA_HOME", folder_.path().c_str(), 1);
        ::setenv("HIGHWATER_RESOURCES", folder_.path().c_str(), 1);
        fs::create_directories(folder_.path() / "highwater" / "calibration");
        experiment_.backend.threads = 3;
    }
    /// A table of one row for `key`.
    void put(const CpuKey& key, base::Bytes temporary) {
        Calibration table(key);
        table.add(
            parseConvKey(kOp).value(),
            {{{OpEvent::Kind::Allocate, temporary}, {OpEvent::Kind::Result, 0}, {OpEvent::Kind::Free, 0}},
             0});
        std::ofstream(folder_.path() / "highwater" / "calibration" / calibrationFileName(key))
            << writeCalibration(table);
    }
    highwater::test::TemporaryFolder folder_;
    stack::Experiment experiment_;
};

/// The rules for the CPU are those of 1.13; predictions for another LibTorch say so.
bool rulesFit() {
    const auto versions = engineVersions();
    return !versions || versions->libtorch.starts_with("1.13");
}

TEST_F(CpuTarget, SaysWhyAllIsGuessed) {
    const auto target = cpuTarget(experiment_);
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(target->id, "cpu");
    EXPECT_EQ(target->cpu.threads, 3);
    EXPECT_EQ(target->cpu.isa, base::instructionSet());
    EXPECT_EQ(target->memory, base::machineMemory());
    ASSERT_TRUE(target->calibration);
    EXPECT_EQ(target->calibration->size(), 0U);
    ASSERT_EQ(target->notes.size(), rulesFit() ? 1U : 2U);
    EXPECT_THAT(target->notes.back(),
                HasSubstr(engineVersions() ? "`highwater-cli devices --calibrate` does it"
                                           : "it is not known which LibTorch will run"));
    if (!rulesFit()) {
        EXPECT_THAT(target->notes.front(), HasSubstr("the rules for the CPU are those of LibTorch 1.13"));
    }
}

TEST_F(CpuTarget, SaysWhatIsKnownOfALibTorch) {
    EXPECT_EQ(cpuRulesNote("1.13.0"), "");
    EXPECT_EQ(cpuRulesNote("1.13.1"), "");
    EXPECT_THAT(cpuRulesNote("2.11.0"), HasSubstr("peaks of 300 random stacks were off by at most 0.02 %"));
    EXPECT_THAT(cpuRulesNote("2.1.0"), HasSubstr("not compared with LibTorch 2.1.0")) << "2.1 is not 2.11";
}

TEST_F(CpuTarget, ExactIsSaidOnlyOfWhatWasCompared) {
    Prediction prediction;
    EXPECT_TRUE(prediction.exact());
    prediction.compared = false;
    EXPECT_FALSE(prediction.exact());
}

TEST_F(CpuTarget, FollowsTheExperimentAndTheTablesOnDisk) {
    const auto versions = engineVersions();
    if (!versions) {
        GTEST_SKIP() << versions.error().message;
    }
    CpuKey key{versions->libtorch, versions->onednn, base::instructionSet(), 3};
    put(key, 1000);
    const auto first = cpuTarget(experiment_);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->cpu, key);
    EXPECT_EQ(first->notes.empty(), rulesFit());
    EXPECT_EQ(highestTemporaries(*first->calibration->find(*parseConvKey(kOp))), 1000);
    EXPECT_EQ(cpuTarget(experiment_)->calibration, first->calibration) << "loaded again without need";

    put(key, 123456);  // with another file size, so that the result does not depend on the clock
    EXPECT_EQ(highestTemporaries(*cpuTarget(experiment_)->calibration->find(*parseConvKey(kOp))), 123456);

    experiment_.backend.onednn = false;
    EXPECT_EQ(cpuTarget(experiment_)->cpu.onednn, "off");
    EXPECT_EQ(cpuTarget(experiment_)->calibration->size(), 0U);
    experiment_.backend = {};
    EXPECT_EQ(cpuTarget(experiment_)->cpu.threads, base::defaultThreads());
}

TEST_F(CpuTarget, ABrokenTableIsAnError) {
    const auto versions = engineVersions();
    if (!versions) {
        GTEST_SKIP() << versions.error().message;
    }
    const CpuKey key{versions->libtorch, versions->onednn, base::instructionSet(), 3};
    std::ofstream(folder_.path() / "highwater" / "calibration" / calibrationFileName(key)) << "nonsense";
    const auto target = cpuTarget(experiment_);
    ASSERT_FALSE(target);
    EXPECT_THAT(target.error().message, HasSubstr(calibrationFileName(key)));
}

}  // namespace
}  // namespace highwater::predict
