#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/core/memory/recorded_trace.h"
#include "tests/gpu/torch_python.h"

namespace highwater::memory {
namespace {

namespace fs = std::filesystem;

struct Case {
    const char* name;
    const char* conf;
    const char* arguments;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

constexpr Case kCases[] = {
    {"Default", "", "random --seed 101 --left 512"},
    {"Expandable", "expandable_segments:True", "random --seed 102 --left 400"},
    {"MaxSplit", "max_split_size_mb:48,roundup_power2_divisions:4", "random --seed 103 --left 600"},
    {"GarbageCollection", "garbage_collection_threshold:0.9,per_process_memory_fraction:0.97",
     "random --seed 104 --left 900"},
    {"LargeSegments", "large_segment_size_mb:32,roundup_power2_divisions:[2:4,32:1,>:2]",
     "random --seed 105 --left 512"},
    {"Training", "", "training --seed 106 --operations 5"},
};

class AllocatorCheck : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        if (const std::string why = gpu::whyNoTorch(); !why.empty()) {
            GTEST_SKIP() << why;
        }
        file_ = fs::temp_directory_path() /
                fmt::format("highwater-allocator-{}-{}.jsonl", getpid(), GetParam().name);
    }
    void TearDown() override {
        fs::remove(file_);
        fs::remove(file_.string() + ".log");
    }
    fs::path file_;
};

TEST_P(AllocatorCheck, LibTorchsOwnDoesWhatOursDoes) {
    const Case& c = GetParam();
    const std::string log = file_.string() + ".log";
    const auto command = fmt::format(
        "{} PYTORCH_CUDA_ALLOC_CONF='{}' '{}' -W ignore '{}' {} --out '{}' >'{}' 2>&1", gpu::pretended("t4"),
        c.conf, gpu::torchPython(), HIGHWATER_SOURCE_DIR "/tests/gpu/allocator_check/record.py", c.arguments,
        file_.string(), log);
    if (const int status = std::system(command.c_str()); status != 0) {
        const std::string said = gpu::contents(log);
        if (WIFEXITED(status) && WEXITSTATUS(status) == gpu::kCannot) {
            GTEST_SKIP() << said;
        }
        if (said.find("Unrecognized") != std::string::npos) {
            GTEST_SKIP() << "this LibTorch is older than " << c.conf;
        }
        FAIL() << said;
    }
    const auto trace = testing::readRecording(file_);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(testing::followRecording(*trace), "");
    // On a real device, the time at which another stream has finished with a block is not under the test's
    // control.
    if (gpu::onPretendedDevice()) {
        EXPECT_EQ(testing::simulateRecording(*trace), "");
    }
}

INSTANTIATE_TEST_SUITE_P(LibTorch, AllocatorCheck, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace highwater::memory
