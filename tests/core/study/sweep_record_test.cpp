#include "core/study/sweep_record.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/core/temporary_folder.h"

namespace highwater::study {
namespace {

/// The id names the files that a resumed sweep writes: a record under another name could name any file.
TEST(SweepRecord, IsThatOfItsFile) {
    const test::TemporaryFolder store;
    SweepRecord record;
    record.study = {"20260101-000000-abcdef", "lr"};
    record.sweep = {{"repeats", 3}};
    ASSERT_TRUE(saveSweep(store.path(), record));
    EXPECT_TRUE(findSweep(store.path(), "", record.sweep));
    const auto sweeps = store.path() / "sweeps";
    std::filesystem::rename(sweeps / (record.study.id + ".json"), sweeps / "20260101-000000-other0.json");
    EXPECT_FALSE(findSweep(store.path(), "", record.sweep));
}

/// Its lock is created if there is none, but never through a link.
TEST(SweepRecord, TheLockIsAFileOfTheStore) {
    const test::TemporaryFolder store;
    SweepRecord record;
    record.study.id = "20260101-000000-abcdef";
    ASSERT_TRUE(saveSweep(store.path(), record));
    std::filesystem::create_symlink(store.path() / "elsewhere",
                                    store.path() / "sweeps" / (record.study.id + ".lock"));
    EXPECT_FALSE(lockSweep(store.path(), record.study));
    EXPECT_FALSE(std::filesystem::exists(store.path() / "elsewhere"));
}

}  // namespace
}  // namespace highwater::study
