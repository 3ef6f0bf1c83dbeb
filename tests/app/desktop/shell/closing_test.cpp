// What happens to edits when a window is closed: they are kept for the next start, or the user is asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <filesystem>
#include <memory>

#include "app/desktop/experiment/settings_page.h"
#include "app/desktop/shell/drive.h"
#include "app/desktop/shell/ending.h"
#include "app/desktop/shell/main_window.h"
#include "core/base/file.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/path_field.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using highwater::test::waitUntil;
using ::testing::HasSubstr;
using ::testing::Not;

class ClosingTest : public highwater::test::WindowFixture {
protected:
    std::unique_ptr<MainWindow> open(const Options& with) {
        auto window = std::make_unique<MainWindow>(with);
        window->show();
        window->open(with);
        EXPECT_TRUE(waitUntil([&] { return window->store().listed(); }));
        return window;
    }
    std::unique_ptr<MainWindow> open() { return open(options); }
    static void setBatch(MainWindow& window, int batch) {
        window.document().edit("batch", [batch](stack::Experiment& e) { e.step.batchSize = batch; });
    }
    static std::int64_t batchOf(MainWindow& window) { return window.document().experiment().step.batchSize; }
    static std::string noticeOf(MainWindow& window) { return window.notices().text().toStdString(); }

    /// Closes the window and presses that button of the question that appears. Returns the question's text;
    /// empty if there was none.
    static std::string close(MainWindow& window, const QString& button) {
        std::string said;
        QTimer timer;
        QObject::connect(&timer, &QTimer::timeout, &window, [&] {
            auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box) {
                return;
            }
            timer.stop();
            said = (box->text() + ' ' + box->informativeText()).toStdString();
            for (auto* const each : box->buttons()) {
                if (each->text().remove('&') == button) {
                    return each->click();
                }
            }
            ADD_FAILURE() << "no such button";
            box->reject();
        });
        timer.start(10);
        window.close();
        return said;
    }
    /// A file in place of the sessions' folder: nothing can be stored, not even by root.
    void blockSessions() const {
        fs::remove_all(options.store / "desktop");
        fs::create_directories(options.store);
        ASSERT_TRUE(base::writeFileAtomically(options.store / "desktop", "no folder"));
    }
};

TEST_F(ClosingTest, WhatIsBeingTypedIsTaken) {
    auto experiment = (*stack::loadPresets()).front().experiment;
    experiment.input = stack::ScanInput{{{"/no/such.nii", {}, 0}}};
    options.experiment = saved(experiment);
    auto window = open();
    window->settings().showSettings(true);
    auto* const channel = window->findChild<widgets::PathField*>("Channel 1");
    ASSERT_NE(channel, nullptr);
    auto* const line = channel->findChild<QLineEdit*>();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, "/typed/but/not.nii");  // and no Enter
    ASSERT_EQ(close(*window, "Cancel"), "") << "nothing to ask";
    window.reset();

    options.experiment.clear();
    window = open();
    EXPECT_EQ(std::get<stack::ScanInput>(window->document().experiment().input).scans.front().path,
              "/typed/but/not.nii");
    EXPECT_EQ(window->notices().text().contains("not closed properly"), false);
}

TEST_F(ClosingTest, AsksAboutWhatCannotBeKept) {
    blockSessions();
    auto window = open();
    setBatch(*window, 7);
    const auto unkept = [&] {
        return window->notices().text().contains("Your changes are not kept for the next start");
    };
    ASSERT_TRUE(waitUntil(unkept)) << noticeOf(*window);
    const std::string said = close(*window, "Cancel");
    EXPECT_THAT(said, HasSubstr("Your changes are not saved."));
    EXPECT_THAT(said, HasSubstr("cannot be written"));
    EXPECT_TRUE(window->isVisible());

    setBatch(*window, 8);  // the window stays open
    fs::remove(options.store / "desktop");
    setBatch(*window, 9);
    ASSERT_TRUE(waitUntil([&] { return !unkept(); })) << "it is kept now";
    EXPECT_EQ(close(*window, "Cancel"), "");
    EXPECT_FALSE(window->isVisible());
    window.reset();
    EXPECT_EQ(batchOf(*open()), 9);
}

TEST_F(ClosingTest, LeavesWithoutChangesOnlyWhenToldTo) {
    blockSessions();
    auto window = open();
    EXPECT_EQ(close(*window, "Cancel"), "") << "nothing was changed";
    window = open();
    setBatch(*window, 7);
    EXPECT_THAT(close(*window, "Quit without saving"), HasSubstr("not saved"));
    EXPECT_FALSE(window->isVisible());
}

TEST_F(ClosingTest, AWindowThatIsClosedByASignalAsksNothing) {
    blockSessions();
    auto window = open();
    setBatch(*window, 7);
    window->setProperty(kUnasked, true);
    EXPECT_EQ(close(*window, "Cancel"), "");
    EXPECT_FALSE(window->isVisible());
}

/// `highwater --screenshot a.png` leaves the window open, and the user may continue with it.
TEST_F(ClosingTest, AWindowThatAScriptOpenedAsksBeforeChangesAreLost) {
    options.screenshot = QString::fromStdString((folder / "a.png").string());
    auto window = open();
    setBatch(*window, 7);
    EXPECT_EQ(close(*window, "Cancel"), "") << "while it is driven";
    window = open();
    const Drive drive(*window, options);
    ASSERT_TRUE(waitUntil([&] { return fs::exists(folder / "a.png"); }));
    setBatch(*window, 7);
    EXPECT_THAT(close(*window, "Cancel"), HasSubstr("does not save its session"));
    EXPECT_FALSE(fs::exists(options.store / "desktop"));
}

TEST_F(ClosingTest, WhatOtherWindowsLeftIsOffered) {
    auto first = open(), second = open();
    setBatch(*first, 101);
    setBatch(*second, 102);
    EXPECT_EQ(close(*first, "Cancel"), "");
    EXPECT_EQ(close(*second, "Cancel"), "");
    first.reset();
    second.reset();
    auto third = open();
    EXPECT_EQ(batchOf(*third), 102);
    EXPECT_THAT(noticeOf(*third), HasSubstr("Another window was closed with unsaved changes"));
    auto* const action = third->notices().findChild<QPushButton*>();
    EXPECT_EQ(action->text(), "Open in another window");

    options.experiment = "/no/such.json";  // the reason why it was not opened is shown first
    auto fourth = open();
    EXPECT_THAT(noticeOf(*fourth), HasSubstr("no such file"));
    fourth->notices().dismiss();
    EXPECT_THAT(noticeOf(*fourth), HasSubstr("Another window was closed with unsaved changes"));
    options.experiment.clear();
    auto fifth = open();
    EXPECT_EQ(batchOf(*fifth), 101);
    EXPECT_THAT(noticeOf(*fifth), Not(HasSubstr("closed with")));
}

}  // namespace
}  // namespace highwater::desktop
