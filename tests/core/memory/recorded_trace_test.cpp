#include "tests/core/memory/recorded_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace highwater::memory {
namespace {

/// Recorded from LibTorch's own allocator; tests/data/allocator/README.md says how.
std::vector<std::filesystem::path> recordings() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(HIGHWATER_SOURCE_DIR "/tests/data/allocator")) {
        if (entry.path().extension() == ".jsonl") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

std::string nameOf(const ::testing::TestParamInfo<std::filesystem::path>& info) {
    std::string name = info.param.stem().string();
    std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
}

class RecordedAllocator : public ::testing::TestWithParam<std::filesystem::path> {
protected:
    void SetUp() override {
        auto read = testing::readRecording(GetParam());
        ASSERT_TRUE(read) << read.error().message;
        trace_ = *std::move(read);
        ASSERT_GT(trace_.operations.size(), 20U);
    }
    testing::RecordedTrace trace_;
};

TEST_P(RecordedAllocator, IsFollowedToTheByte) {
    EXPECT_EQ(testing::followRecording(trace_), "");
}

TEST_P(RecordedAllocator, DoesWhatTheSimulatedOneDoes) {
    EXPECT_EQ(testing::simulateRecording(trace_), "");
}

INSTANTIATE_TEST_SUITE_P(LibTorch, RecordedAllocator, ::testing::ValuesIn(recordings()), nameOf);

}  // namespace
}  // namespace highwater::memory
