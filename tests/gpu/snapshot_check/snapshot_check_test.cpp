#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>

#include "core/capture/capture.h"
#include "core/predict/recorded/recorded.h"
#include "core/stack/json/json.h"
#include "tests/core/temporary_folder.h"
#include "tests/gpu/torch_python.h"

namespace highwater::predict {
namespace {

struct Case {
    const char* name;
    const char* arguments;
    stack::Precision precision;
    bool benchmark, told;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

constexpr Case kCases[] = {
    {"Stacks", "all", stack::Precision::Fp32, false, true},
    {"PythonStacks", "python", stack::Precision::Fp32, false, false},
    {"Benchmark", "all benchmark", stack::Precision::Fp32, true, true},
    {"Autocast", "all float16", stack::Precision::Fp16, false, true},
    {"AutocastPythonStacks", "python float16", stack::Precision::Fp16, false, false},
};

/// The rules given to the pretended device, and their meaning for a convolution.
constexpr const char* kRules = "HIGHWATER_PRETEND_WORKSPACE='forward=2*x+1048576,input=w+y,weight=0.5*y+777'";

base::Bytes toldFor(const RecordedWorkspace& each) {
    const ConvKey& key = each.convolution.op;
    double x = static_cast<double>(key.inputElements() * sizeOf(key.dtype)),
           y = static_cast<double>(key.outputElements() * sizeOf(key.dtype));
    const double w = static_cast<double>(key.weightElements() * sizeOf(key.dtype));
    ConvPart part = each.part;
    if (key.transposed) {  // to cuDNN it is the gradient of a convolution
        std::swap(x, y);
        part = part == ConvPart::Forward         ? ConvPart::InputGradient
               : part == ConvPart::InputGradient ? ConvPart::Forward
                                                 : part;
    }
    return static_cast<base::Bytes>(part == ConvPart::Forward         ? 2 * x + 1048576
                                    : part == ConvPart::InputGradient ? w + y
                                                                      : std::floor(0.5 * y) + 777);
}

class SnapshotCheck : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        if (const std::string why = gpu::whyNoTorch(); !why.empty()) {
            GTEST_SKIP() << why;
        }
        if (!gpu::onPretendedDevice()) {
            GTEST_SKIP() << "a real cuDNN cannot be told its workspaces";
        }
    }
    test::TemporaryFolder folder_;
};

TEST_P(SnapshotCheck, EveryWorkspaceIsFound) {
    const Case& c = GetParam();
    const auto file = folder_.path() / "recorded.pickle";
    const auto log = folder_.path() / "log";
    const auto command = fmt::format("HIGHWATER_PRETEND_ZEROS=1 {} '{}' -W ignore '{}' '{}' {} >'{}' 2>&1",
                                     gpu::pretended("h200", kRules), gpu::torchPython(),
                                     HIGHWATER_SOURCE_DIR "/tests/gpu/snapshot_check/record.py",
                                     file.string(), c.arguments, log.string());
    if (const int status = std::system(command.c_str()); status != 0) {
        if (WIFEXITED(status) && WEXITSTATUS(status) == gpu::kCannot) {
            GTEST_SKIP() << gpu::contents(log);
        }
        FAIL() << gpu::contents(log);
    }
    auto experiment = stack::loadExperiment(HIGHWATER_SOURCE_DIR "/tests/gpu/snapshot_check/unet.json");
    ASSERT_TRUE(experiment) << experiment.error().message;
    experiment->step.precision = c.precision;
    experiment->backend.benchmark = c.benchmark;
    const auto info = stack::inferShapes(*experiment);
    ASSERT_TRUE(info) << info.error().message;
    const auto target = gpuTarget("h200", *experiment);
    ASSERT_TRUE(target) << target.error().message;
    const auto recording = capture::readSnapshot(file);
    ASSERT_TRUE(recording) << recording.error().message;
    const auto comparison = compareWithRecording(*experiment, *info, *target, *recording);
    ASSERT_TRUE(comparison) << comparison.error().message;
    EXPECT_EQ(comparison->told, c.told);
    EXPECT_GE(comparison->found * 100, comparison->requests * 90);
    EXPECT_EQ(comparison->steps, 3);
    const GpuTable rows = measuredRows(*comparison, *target);
    EXPECT_GE(rows.size() * 10, comparison->workspaces.size() * 9);
    if (c.told && c.precision == stack::Precision::Fp32) {
        EXPECT_EQ(rows.size(), comparison->workspaces.size());
    }
    for (const RecordedWorkspace& each : comparison->workspaces) {
        if (const auto bytes = rows.workspace(each.convolution, each.part)) {
            EXPECT_EQ(*bytes, toldFor(each)) << partName(each.convolution, each.part);
        }
    }
    // All but a thousandth of the recorded peak is explained.
    EXPECT_LE(comparison->unexplained * 1000, comparison->recordedPeak);
}

INSTANTIATE_TEST_SUITE_P(LibTorch, SnapshotCheck, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace highwater::predict
