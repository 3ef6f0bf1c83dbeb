#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <QProcess>
#include <QPushButton>
#include <functional>
#include <optional>
#include <vector>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/run/runs_columns.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "app/desktop/shell/main_window.h"
#include "core/base/file.h"
#include "core/runs/progress.h"
#include "core/wire/follower.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kDisturbs =
    "Another program is measuring run #1. Two runs at once slow each other down. Press Run again to run "
    "anyway.";

/// Two engines and two windows may have to share a busy machine.
bool reached(const std::function<bool()>& met) {
    constexpr int kPatienceMs = 240000;
    return highwater::test::waitUntil(met, kPatienceMs);
}

/// A window that is killed during its run, and another one started after it. The engine is the real one.
class TakenRunTest : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
    }
    void TearDown() override {
        window_.reset();
        kill();
        if (const auto held = base::HeldProcess::hold(engine_)) {
            held->send(SIGKILL);
            EXPECT_TRUE(reached([&] { return held->ended(); }));
        }
        WindowFixture::TearDown();
    }

    /// Starts the window whose run is to be long; returns once the engine has begun.
    void startFirst() {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_QPA_PLATFORM", "offscreen");
        first_.setProcessEnvironment(environment);
        first_.start(HIGHWATER_BIN_DIR "/highwater",
                     {options.experiment, "--run", "--steps", "100000", "--store",
                      QString::fromStdString(options.store.string())});
        ASSERT_TRUE(reached([&] { return engineHasBegun(); }));
        engine_ = (**wire::readFollower(run())).engine;
    }
    void kill() {
        if (first_.state() != QProcess::NotRunning) {
            first_.kill();
            first_.waitForFinished();
        }
    }
    /// The folder of the first window's run.
    fs::path run() const {
        std::error_code error;
        for (const auto& folder : fs::directory_iterator(options.store / "runs", error)) {
            const auto state = base::readFile(folder.path() / "state.json");
            if (state && state->find("\"number\": 1,") != std::string::npos) {
                return folder.path();
            }
        }
        return {};
    }
    /// An engine is named before it begins; if its window is killed then, it never does.
    bool engineHasBegun() const {
        const auto follower = wire::readFollower(run());
        if (!follower || !*follower) {
            return false;
        }
        std::error_code error;
        return fs::read_symlink(fmt::format("/proc/{}/exe", (*follower)->engine.pid), error).filename() ==
               "highwater-engine";
    }
    bool engineLives() const { return base::lifeOf(engine_) == base::Life::Alive; }
    int stepsWritten() const {
        const auto progress = runs::readProgress(run());
        return progress ? progress->done : 0;
    }
    void startSecond() {
        window_ = std::make_unique<MainWindow>(options);
        window_->show();
        window_->open(options);
        ASSERT_TRUE(reached([&] { return window_->store().listed(); }));
    }
    ControlBar& controls() { return *window_->findChild<ControlBar*>(); }
    widgets::LivePlots& plots() { return *window_->findChild<widgets::LivePlots*>(); }
    QPushButton& button(const QString& text) {
        for (auto* found : controls().findChildren<QPushButton*>()) {
            if (found->text() == text) {
                return *found;
            }
        }
        throw std::runtime_error("no such button");
    }
    QString tableStatus() {
        const auto* rows = window_->findChild<RunsTable*>()->view().model();
        return rows->index(0, static_cast<int>(RunColumn::Status)).data().toString();
    }
    /// How the first window's run is, for a test that fails.
    std::string state() {
        const auto text = base::readFile(run() / "state.json");
        return fmt::format("{} engine lives: {}, steps: {}, notice: {}", text ? *text : "", engineLives(),
                           stepsWritten(), notice());
    }
    std::string notice() { return window_->notices().text().toStdString(); }
    std::unique_ptr<MainWindow> window_;
    QProcess first_;
    base::ProcessIdentity engine_;  ///< of the first window's run
};

TEST_F(TakenRunTest, TheRunOfAKilledWindowIsShownAndStopped) {
    startFirst();
    ASSERT_TRUE(reached([&] { return stepsWritten() > 3; }));
    kill();
    ASSERT_TRUE(engineLives());
    const auto before = static_cast<std::size_t>(stepsWritten());

    startSecond();
    ASSERT_TRUE(reached(
        [&] { return notice() == "Run #1 continued after its window closed. This window now shows it."; }));
    ASSERT_TRUE(reached([&] { return window_->running() && plots().stepCount() > before + 2; })) << state();
    EXPECT_FALSE(button("Run").isEnabled());
    EXPECT_TRUE(button("Stop").isEnabled());
    EXPECT_TRUE(controls().gauge().state().running);
    EXPECT_EQ(controls().gauge().state().run, "run #1");
    EXPECT_GT(controls().gauge().state().peak, 0);
    plots().flush();
    EXPECT_THAT(plots().memoryPanel().mark().toStdString(), StartsWith("run #1: batch "));
    EXPECT_THAT(plots().timePanel().note().toStdString(), HasSubstr(" left"));
    EXPECT_EQ(tableStatus(), "running, " + plots().left()) << "one time left, wherever it is told";
    EXPECT_EQ((**wire::readFollower(run())).follower, base::thisProcess());
    EXPECT_THAT(window_->startRun().toStdString(), HasSubstr("A run is already in progress"));

    button("Stop").click();
    ASSERT_TRUE(reached([&] { return !window_->running() && window_->lastRun(); }));
    EXPECT_EQ(notice(), "") << "it follows no run any more";
    EXPECT_FALSE(engineLives());
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Cancelled);
    EXPECT_EQ(window_->lastRun()->message, "");
    EXPECT_GT(window_->lastRun()->stepMs.n, 0);
    ASSERT_TRUE(reached([&] { return window_->store().rows().at(0) == *window_->lastRun(); }));
    EXPECT_TRUE(window_->store().active().empty());
    EXPECT_TRUE(button("Run").isEnabled());
}

/// Before its engine has loaded LibTorch.
TEST_F(TakenRunTest, ARunWhoseWindowIsKilledAtOnceGoesOn) {
    startFirst();
    kill();
    ASSERT_TRUE(engineLives());
    {
        auto store = runs::RunStore::open(options.store);
        ASSERT_TRUE(store);
        EXPECT_EQ(store->list()->at(0).status, wire::RunStatus::Running);
    }
    startSecond();
    ASSERT_TRUE(reached([&] { return window_->running() && plots().stepCount() > 1; })) << state();
    EXPECT_EQ(window_->store().rows().at(0).status, wire::RunStatus::Running);
    window_->stopRun();
    ASSERT_TRUE(reached([&] { return !window_->running() && window_->lastRun(); }));
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Cancelled);
}

TEST_F(TakenRunTest, AnEngineThatDiesWhileItIsFollowedLeavesWhatItMeasured) {
    startFirst();
    ASSERT_TRUE(reached([&] { return stepsWritten() > 3; }));
    kill();
    startSecond();
    ASSERT_TRUE(reached([&] { return window_->running() && plots().stepCount() > 1; })) << state();
    base::HeldProcess::hold(engine_)->send(SIGKILL);
    ASSERT_TRUE(reached([&] { return !window_->running() && window_->lastRun(); }));
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Failed);
    EXPECT_NE(window_->lastRun()->message, "");
    EXPECT_GT(window_->lastRun()->peakAllocated, 0);
    EXPECT_THAT(notice(), StartsWith("Run #1: "));
}

/// It is noticed by a window that was there before, too.
TEST_F(TakenRunTest, ARunThatIsFollowedIsLeftToItsWindowUntilThatIsGone) {
    startFirst();
    ASSERT_TRUE(reached([&] { return stepsWritten() > 0; }));
    startSecond();
    EXPECT_FALSE(window_->running());
    ASSERT_EQ(window_->store().active().size(), 1U);
    EXPECT_EQ(window_->store().active()[0].followedBy, runs::ActiveRun::FollowedBy::Another);
    window_->stopRun();
    EXPECT_TRUE(engineLives());
    kill();
    ASSERT_TRUE(reached([&] { return window_->running() && plots().stepCount() > 1; })) << state();
    window_->stopRun();
    ASSERT_TRUE(reached([&] { return !window_->running() && window_->lastRun(); }));
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Cancelled);
}

TEST_F(TakenRunTest, RunWarnsOnceWhileAnotherProgramMeasures) {
    startFirst();
    ASSERT_TRUE(reached([&] { return stepsWritten() > 0; }));
    startSecond();
    RunOptions few = controls().runOptions();
    few.steps = 2;
    few.warmup = 0;
    controls().setRunOptions(few);
    button("Run").click();
    ASSERT_TRUE(reached([&] { return notice() == kDisturbs; })) << notice();
    EXPECT_FALSE(window_->running());
    EXPECT_EQ(window_->store().rows().size(), 1U);
    button("Run").click();
    ASSERT_TRUE(reached([&] { return window_->running(); }));
    EXPECT_EQ(notice(), "");
    ASSERT_TRUE(reached([&] { return !window_->running() && window_->lastRun(); }));
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Done) << window_->lastRun()->message;
    EXPECT_EQ(window_->lastRun()->number, 2);
    EXPECT_TRUE(engineLives());
}

TEST_F(TakenRunTest, WithoutAnotherRunThereIsNoWarning) {
    startSecond();
    RunOptions few = controls().runOptions();
    few.steps = 1;
    few.warmup = 0;
    controls().setRunOptions(few);
    button("Run").click();
    ASSERT_TRUE(reached([&] { return window_->running(); }));
    ASSERT_TRUE(reached([&] { return !window_->running() && window_->lastRun(); }));
    EXPECT_EQ(window_->lastRun()->status, wire::RunStatus::Done) << window_->lastRun()->message;
    EXPECT_EQ(notice(), "");
}

TEST_F(TakenRunTest, ADamagedFollowerIsOneLineAndLosesNothing) {
    startFirst();
    ASSERT_TRUE(reached([&] { return stepsWritten() > 0; }));
    kill();
    const std::string whole = *base::readFile(run() / "follower.json");
    const std::string damaged = whole.substr(0, whole.size() / 2);
    ASSERT_TRUE(base::writeFileAtomically(run() / "follower.json", damaged));
    startSecond();
    ASSERT_TRUE(reached([&] { return notice().find("follower.json") != std::string::npos; })) << notice();
    EXPECT_THAT(notice(), StartsWith("Run #1 continues, but this window cannot follow it: "));
    EXPECT_EQ(notice().find('\n'), std::string::npos);
    EXPECT_FALSE(window_->running());
    EXPECT_EQ(window_->store().rows().at(0).status, wire::RunStatus::Running);
    EXPECT_TRUE(engineLives());
    EXPECT_EQ(*base::readFile(run() / "follower.json"), damaged);
    const int before = stepsWritten();
    EXPECT_TRUE(reached([&] { return stepsWritten() > before; })) << "it goes on";
}

/// What a script runs is its own.
TEST_F(TakenRunTest, AScriptThatRunsTakesNothingOver) {
    startFirst();
    kill();
    options.run = true;
    startSecond();
    ASSERT_EQ(window_->store().active().size(), 1U);
    EXPECT_EQ(window_->store().active()[0].followedBy, runs::ActiveRun::FollowedBy::Nobody);
    EXPECT_FALSE(window_->running());
    EXPECT_FALSE(window_->loading());
    EXPECT_TRUE(engineLives());
}

}  // namespace
}  // namespace highwater::desktop
