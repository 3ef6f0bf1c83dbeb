// A store of runs that cannot be read (yet) is not shown as an empty one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QProcess>
#include <QPushButton>
#include <filesystem>

#include "app/desktop/run/lock_holder.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "app/desktop/shell/main_window.h"
#include "core/base/file.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using highwater::test::waitUntil;
using ::testing::HasSubstr;

class LockedStore : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
        fs::create_directories(options.store);
    }
    static std::string inPlaceOfRuns(MainWindow& window) {
        return window.findChild<RunsTable*>()->view().textOfNone().toStdString();
    }
    static std::string notice(MainWindow& window) { return window.notices().text().toStdString(); }
};

TEST_F(LockedStore, IsListedAndSaysWhatAChangeWaitsFor) {
    QProcess holder;
    holder.start("flock", {QString::fromStdString((options.store / "lock").string()), "sh", "-c",
                           "echo held; read line"});
    ASSERT_TRUE(holder.waitForReadyRead()) << "flock is of util-linux";
    MainWindow window(options);
    window.show();
    EXPECT_THAT(inPlaceOfRuns(window), HasSubstr("Reading the runs"));
    window.open(options);
    ASSERT_TRUE(waitUntil([&] { return window.store().listed(); })) << "reading needs no lock";
    EXPECT_EQ(inPlaceOfRuns(window), "No runs yet: press Run");
    EXPECT_EQ(notice(window), "");
    bool created = false;
    window.store().create({}, "cpu", [&](const auto& folder) { created = folder.ok(); });
    ASSERT_TRUE(waitUntil([&] { return !window.store().heldBy().isEmpty(); }));
    EXPECT_THAT(window.store().heldBy().toStdString(),
                HasSubstr("(process " + std::to_string(holder.processId()) + ")"));
    EXPECT_TRUE(window.store().heldUp());
    EXPECT_THAT(notice(window), HasSubstr("has locked the run store"));
    EXPECT_FALSE(created);
    holder.write("\n");
    ASSERT_TRUE(waitUntil([&] { return created; }));
    EXPECT_EQ(notice(window), "");
    EXPECT_FALSE(window.store().heldUp());
    holder.waitForFinished();
}

TEST_F(LockedStore, SaysWhyTheRunsCannotBeReadAndTriesAgain) {
    fs::remove(options.store);
    ASSERT_TRUE(base::writeFileAtomically(options.store, "no folder"));
    MainWindow window(options);
    window.open(options);
    ASSERT_TRUE(waitUntil([&] { return window.store().listed(); }));
    EXPECT_THAT(inPlaceOfRuns(window), HasSubstr("The runs could not be read: "));
    EXPECT_THAT(notice(window), HasSubstr("Run store: "));
    fs::remove(options.store);
    auto* const again = window.notices().findChild<QPushButton*>();
    EXPECT_EQ(again->text(), "Try again");
    again->click();
    ASSERT_TRUE(waitUntil([&] { return inPlaceOfRuns(window) == "No runs yet: press Run"; }));
    EXPECT_EQ(notice(window), "");
}

TEST(LockHolder, IsFoundInTheSystemsList) {
    constexpr const char* kLocks =
        "1: POSIX  ADVISORY  WRITE 11 fe:00:1 0 EOF\n"
        "2: FLOCK  ADVISORY  WRITE 999999999 fe:00:2 0 EOF\n"
        "2: -> FLOCK  ADVISORY  WRITE 12 fe:00:2 0 EOF\n"
        "2: -> FLOCK  ADVISORY  WRITE 13 fe:00:2 0 EOF\n"
        "3: FLOCK  ADVISORY  WRITE 14 fe:00:3 0 EOF\n";
    EXPECT_EQ(lockHolder(kLocks, 12), "process 999999999");
    EXPECT_EQ(lockHolder(kLocks, 13), "process 999999999");
    EXPECT_EQ(lockHolder(kLocks, 11), "");
    EXPECT_EQ(lockHolder(kLocks, 14), "") << "it holds one, and waits for none";
    EXPECT_EQ(lockHolder("", 12), "");
    EXPECT_EQ(lockHolder("2: -> FLOCK\n->\n\n", 0), "");
}

TEST_F(LockedStore, SaysWhatIsUnusualAboutTheStore) {
    {
        auto made = runs::RunStore::open(options.store);
        ASSERT_TRUE(made) << made.error().message;
        ASSERT_TRUE(made->list());
    }
    auto index = base::readFile(options.store / "index.db");
    ASSERT_TRUE(index) << index.error().message;
    (*index)[63] = 99;  // user_version: bytes 60 to 63 of the header
    ASSERT_TRUE(base::writeFileAtomically(options.store / "index.db", *index));
    MainWindow window(options);
    window.open(options);
    ASSERT_TRUE(waitUntil([&] { return window.store().listed(); }));
    EXPECT_THAT(window.store().note().toStdString(), HasSubstr("index.db was written by a newer Highwater"));
    ASSERT_TRUE(waitUntil([&] { return !notice(window).empty(); }));
    EXPECT_THAT(notice(window), HasSubstr("index.db was written by a newer Highwater"));
}

}  // namespace
}  // namespace highwater::desktop
