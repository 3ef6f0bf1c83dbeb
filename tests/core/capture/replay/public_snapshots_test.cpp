#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/core/capture/replay/replay.h"

namespace highwater::capture {
namespace {

/// Snapshots from public sources, which are not part of the project: docs/allocator-replay.md has the
/// figures.
TEST(PublicSnapshots, DifferNowhere) {
    const char* const folder = std::getenv("HIGHWATER_TEST_SNAPSHOTS");
    if (folder == nullptr || *folder == '\0') {
        GTEST_SKIP() << "HIGHWATER_TEST_SNAPSHOTS names no folder of snapshots";
    }
    std::int64_t equal = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const auto history = readHistory(file.path());
        ASSERT_TRUE(history) << history.error().message;
        for (const DeviceReplay& device : replay(*history).devices) {
            EXPECT_FALSE(device.difference)
                << file.path() << ", device " << device.device << ", event " << device.difference->event
                << ": recorded " << device.difference->recorded << "; predicted "
                << device.difference->predicted;
            equal += device.equal();
        }
    }
    EXPECT_GT(equal, 0);
}

}  // namespace
}  // namespace highwater::capture
