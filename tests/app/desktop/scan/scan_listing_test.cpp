#include "app/desktop/scan/scan_listing.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <atomic>
#include <thread>

#include "tests/widgets/wait_until.h"

namespace highwater::desktop {
namespace {

using ::highwater::test::waitUntil;

FolderView view(int series, int files, int cases = 0) {
    FolderView v;
    v.contents.series.resize(static_cast<std::size_t>(series));
    v.contents.scans.resize(static_cast<std::size_t>(files), "a.nii");
    if (cases > 0) {
        v.cohort.emplace().cases.resize(static_cast<std::size_t>(cases));
    }
    return v;
}

TEST(ScanListing, AChoiceIsAskedForOnlyWhereThereIsOne) {
    EXPECT_EQ(kindOf(view(1, 0)), FolderKind::OneSeries);
    EXPECT_EQ(kindOf(view(2, 0)), FolderKind::Choice);
    EXPECT_EQ(kindOf(view(1, 1)), FolderKind::Choice);
    EXPECT_EQ(kindOf(view(0, 1)), FolderKind::OneFile);
    EXPECT_EQ(kindOf(view(0, 1, 1)), FolderKind::OneFile) << "a cohort of one is a scan";
    EXPECT_EQ(kindOf(view(0, 1, 5)), FolderKind::Choice);
    EXPECT_EQ(kindOf(view(0, 3, 3)), FolderKind::Choice) << "channels, or cases?";
    EXPECT_EQ(kindOf(view(0, 0, 3)), FolderKind::Cohort);
    EXPECT_EQ(kindOf(view(0, 0)), FolderKind::Nothing);
}

TEST(ScanListing, WhatCannotBeReadIsShown) {
    FolderView v = view(1, 0);
    v.contents.series[0].problem = "no pixels";
    EXPECT_EQ(kindOf(v), FolderKind::Choice) << "its row says why";
    v = view(1, 0);
    v.contents.unread = {"IM7: cannot be decoded"};
    EXPECT_EQ(kindOf(v), FolderKind::Choice);
    v = view(0, 0);
    v.contents.unread = {"IM7: cannot be decoded"};
    EXPECT_EQ(kindOf(v), FolderKind::Choice);
}

TEST(ScanListing, TheNewestFolderCounts) {
    std::atomic<bool> hold{true};
    ScanListing listing(
        [&](const std::string& path, const scan::ReadOptions& how) -> base::Result<scan::Contents> {
            while (hold && !*how.cancel) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            if (*how.cancel) {
                return base::Error{"cancelled"};
            }
            scan::Contents contents;
            contents.scans = {path};
            return contents;
        });
    QStringList found;
    QObject::connect(&listing, &ScanListing::found, &listing,
                     [&](const FolderView& v) { found << v.folder; });
    QSignalSpy failed(&listing, &ScanListing::failed);
    listing.look("/one");
    listing.look("/two");
    hold = false;
    ASSERT_TRUE(waitUntil([&] { return !listing.busy(); }));
    EXPECT_EQ(found, QStringList{"/two"});
    EXPECT_EQ(failed.size(), 0);
}

TEST(ScanListing, CancelEndsItWithoutAWord) {
    ScanListing listing(
        [&](const std::string&, const scan::ReadOptions& how) -> base::Result<scan::Contents> {
            while (!*how.cancel) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            return base::Error{"cancelled"};
        });
    QSignalSpy failed(&listing, &ScanListing::failed), found(&listing, &ScanListing::found);
    listing.look("/one");
    EXPECT_TRUE(listing.busy());
    listing.cancel();
    EXPECT_FALSE(listing.busy());
    QCoreApplication::processEvents();
    EXPECT_EQ(failed.size() + found.size(), 0);
}

}  // namespace
}  // namespace highwater::desktop
