#include "core/hosts/run_limits.h"

#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/hosts/frames.h"
#include "core/wire/event_lines.h"
#include "tests/core/temporary_folder.h"

namespace highwater::hosts {
namespace {

using base::kKiB;
using base::kMiB;
using std::chrono::seconds;

TEST(RunLimits, EventsAreThoseOfTheStepsAndOfTheTime) {
    EXPECT_EQ(mostEvents(23, seconds(0)), 64 * kMiB);
    // All 23 steps have their memory over time; samples of the ledger continue.
    EXPECT_EQ(mostEvents(23, seconds(100)), 64 * kMiB + 23 * (512 + 2) * kKiB + 100 * 64 * kKiB);
    // Ten of them a second do.
    EXPECT_EQ(mostEvents(1'000'000, seconds(2)),
              64 * kMiB + 20 * 512 * kKiB + 20'000 * 2 * kKiB + 2 * 64 * kKiB);
    EXPECT_EQ(mostEvents({}, seconds(2)), mostEvents(1'000'000, seconds(2)));
    for (const auto time : {seconds(86'400), seconds::max()}) {
        EXPECT_EQ(mostEvents({}, time), wire::kMostEvents);
    }
    EXPECT_EQ(mostEvents({}, seconds(-5)), 64 * kMiB);
}

TEST(RunLimits, APreviewIsOfTheExperimentsPatch) {
    const test::TemporaryFolder folder;
    const auto of = [&](const std::string& shape) {
        return mostOf(kPatch, folder.write("experiment.json",
                                           R"({"schema": "highwater.experiment/1", "input": {"synthetic": )" +
                                               shape + R"(}, "stack": [{"type": "relu"}], "loss": "mean"})"));
    };
    EXPECT_EQ(of("[1, 64, 32, 16]"), kMiB + 64 * 32 * 16 * 8);
    EXPECT_EQ(of("[1, 65536, 65536, 65536]"), kMiB + base::kGiB);
    EXPECT_EQ(mostOf(kPatch, folder.path() / "none"), base::kGiB);
    EXPECT_EQ(mostOf(kErrors, folder.path() / "none"), 4 * kMiB);
    EXPECT_EQ(mostOf(kResult, folder.path() / "none"), 128 * kMiB);
}

TEST(RunLimits, ARunIsAsOldAsItsExperiment) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(ageOf(folder.path()), seconds(60));
    folder.write("experiment.json", "{}");
    using Clock = std::filesystem::file_time_type::clock;
    std::filesystem::last_write_time(folder.path() / "experiment.json", Clock::now() - std::chrono::hours(1));
    EXPECT_GE(ageOf(folder.path()), seconds(3660));
    EXPECT_LT(ageOf(folder.path()), seconds(3960));
    std::filesystem::last_write_time(folder.path() / "experiment.json", Clock::now() + std::chrono::hours(1));
    EXPECT_EQ(ageOf(folder.path()), seconds(60));
}

/// A folder from elsewhere may contain links in place of the files to be written.
TEST(RunLimits, NothingIsPutOutsideOfTheRun) {
    const test::TemporaryFolder folder, outside;
    outside.write("patch.hwvol", "kept");
    outside.write("patch.hwvol.next", "kept");
    std::filesystem::create_directory(folder.path() / "previews");
    std::filesystem::create_symlink(outside.path() / "patch.hwvol.next",
                                    folder.path() / "previews" / "patch.hwvol.next");
    ASSERT_TRUE(putFile(folder.path(), kPatch, "new"));
    EXPECT_EQ(*base::readFile(folder.path() / kPatch), "new");
    std::filesystem::remove(folder.path() / kPatch);
    std::filesystem::remove(folder.path() / "previews");
    std::filesystem::create_symlink(outside.path(), folder.path() / "previews");
    ASSERT_TRUE(putFile(folder.path(), kPatch, "new"));
    std::filesystem::create_symlink(outside.path() / "patch.hwvol", folder.path() / kResult);
    ASSERT_TRUE(putFile(folder.path(), kResult, "{}"));
    EXPECT_EQ(*base::readFile(folder.path() / kResult), "{}");
    for (const char* const name : {"patch.hwvol", "patch.hwvol.next"}) {
        EXPECT_EQ(*base::readFile(outside.path() / name), "kept");
    }
}

}  // namespace
}  // namespace highwater::hosts
