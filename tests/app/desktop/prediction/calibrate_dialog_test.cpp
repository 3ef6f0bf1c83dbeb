#include "app/desktop/prediction/calibrate_dialog.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "tests/app/desktop/experiment/stack/stacks.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;

/// A shell script in place of highwater-cli.
class CalibrateDialogTest : public ::testing::Test {
protected:
    fs::path folder = fs::path(::testing::TempDir()) / "hw calibrate";
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }
    fs::path program(const std::string& body) {
        const fs::path path = folder / "cli";
        std::ofstream(path) << "#!/bin/sh\n" << body << '\n';
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
};

TEST_F(CalibrateDialogTest, MeasuresThisStackAndSaysHowMany) {
    CalibrateDialog dialog(highwater::testing::experimentFrom("conv"),
                           program("test -s \"$3\" || exit 2\n"
                                   "echo \"$@\" > '" +
                                   (folder / "arguments").string() +
                                   "'\n"
                                   "echo 'convolution 1 of 2 · 2 threads' >&2\n"
                                   "echo '{\"calibrations\": [{\"measured\": 2}]}'"));
    QSignalSpy calibrated(&dialog, &CalibrateDialog::calibrated);
    dialog.start();
    EXPECT_TRUE(dialog.running());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !dialog.running() && calibrated.count() == 1; }, 20000));
    EXPECT_EQ(dialog.message(), "Measured 2 convolutions.");
    std::string words;
    std::getline(std::ifstream(folder / "arguments") >> std::ws, words);
    EXPECT_TRUE(words.starts_with("devices --calibrate ")) << words;
    EXPECT_TRUE(words.ends_with("--json --only")) << words;
}

TEST_F(CalibrateDialogTest, AFailureIsALine) {
    CalibrateDialog dialog(highwater::testing::experimentFrom("conv"),
                           program("echo 'highwater-cli: no engine' >&2\nexit 4"));
    QSignalSpy calibrated(&dialog, &CalibrateDialog::calibrated);
    dialog.start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !dialog.running(); }, 20000));
    EXPECT_EQ(dialog.message(), "highwater-cli: no engine");
    EXPECT_EQ(calibrated.count(), 0);
    CalibrateDialog none(highwater::testing::experimentFrom("conv"), folder / "none");
    none.start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !none.running(); }, 20000));
    EXPECT_EQ(none.message(), "The measurement failed.");
}

TEST_F(CalibrateDialogTest, StopsWhenAsked) {
    CalibrateDialog dialog(
        highwater::testing::experimentFrom("conv"),
        program("trap 'echo \"{\\\"calibrations\\\": [{\\\"measured\\\": 1}]}\"; exit 130' INT\n"
                "echo 'convolution 1 of 9 · 2 threads' >&2\n"
                "while true; do sleep 0.05; done"));
    QSignalSpy calibrated(&dialog, &CalibrateDialog::calibrated);
    dialog.start();
    ASSERT_TRUE(QTest::qWaitFor([&] { return dialog.message().contains("1 of 9"); }, 20000));
    dialog.stop();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !dialog.running(); }, 20000));
    EXPECT_EQ(dialog.message(), "Stopped. The measurements so far are kept.");
    EXPECT_EQ(calibrated.count(), 1) << "one row is better than none";
}

TEST(CalibrateDialog, ReadsProgress) {
    EXPECT_EQ(CalibrateDialog::progressIn("convolution 12 of 58 · 2 threads"), std::pair(12, 58));
    EXPECT_EQ(CalibrateDialog::progressIn("the machine's speed"), std::pair(0, 0));
}

}  // namespace
}  // namespace highwater::desktop
