#include <gmock/gmock.h>

#include <QElapsedTimer>
#include <QPushButton>
#include <QToolButton>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/run/runs_page.h"
#include "app/desktop/shell/main_window.h"
#include "core/stack/json/json.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/core/runs/gpu_store.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

using highwater::test::waitUntil;

/// The window with an engine that replays a made-up GPU run.
class GpuWindow : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        options.experiment = saved(runs::test::gpuExperiment());
    }

    /// Runs to the end as specified by `how`.
    static void run(MainWindow& window, const Options& options, const char* how) {
        qputenv("HIGHWATER_REPLAY", how);
        window.open(options);
        ASSERT_EQ(window.loadProblem(), "");
        ASSERT_EQ(window.startRun(), "");
        ASSERT_TRUE(waitUntil([&] { return !window.running() && window.lastRun(); }));
    }
    static const widgets::DeviceStrip& strip(MainWindow& window) {
        return window.findChild<widgets::LivePlots*>()->deviceStrip();
    }
};

TEST_F(GpuWindow, ShowsTheDeviceWhileItRunsAndAtItsPeakAfterwards) {
    MainWindow window(options);
    qputenv("HIGHWATER_REPLAY", "slow");
    window.open(options);
    ASSERT_EQ(window.startRun(), "");
    ASSERT_TRUE(waitUntil([&] { return strip(window).status().when == "now"; }));
    EXPECT_GT(strip(window).status().used(), 0);
    ASSERT_TRUE(waitUntil([&] { return !window.running(); }));
    const wire::RunResult result = wire::test::gpuResult({});
    EXPECT_EQ(strip(window).status().when, "at the peak");
    EXPECT_EQ(strip(window).status().used(), result.deviceAtPeak->used());
    EXPECT_TRUE(strip(window).isVisibleTo(&window));
    const auto& gauge = window.findChild<ControlBar*>()->gauge();
    ASSERT_TRUE(gauge.state().device);
    EXPECT_EQ(gauge.state().device->used(), result.deviceAtPeak->used());
    EXPECT_THAT(gauge.text().toStdString(), HasSubstr(", GPU "));
}

TEST_F(GpuWindow, OutOfMemoryLeadsToTheBatchThatWouldHaveFitted) {
    MainWindow window(options);
    run(window, options, "out_of_memory");
    EXPECT_EQ(window.lastRun()->status, wire::RunStatus::OutOfMemory);
    EXPECT_THAT(window.notices().text().toStdString(), HasSubstr("a batch of 3 would have fitted"));
    EXPECT_THAT(strip(window).status().advice.toStdString(), HasSubstr("a batch of 3 would have fitted"));
    auto* use = strip(window).findChild<QToolButton*>("Use fitting batch");
    ASSERT_NE(use, nullptr);
    EXPECT_EQ(use->text(), "Use batch 3");
    ASSERT_EQ(window.document().experiment().step.batchSize, 4);
    use->click();
    EXPECT_EQ(window.document().experiment().step.batchSize, 3);
    window.document().undoStack().undo();
    EXPECT_EQ(window.document().experiment().step.batchSize, 4);
    for (auto* button : window.notices().findChildren<QPushButton*>()) {
        if (button->text() == "Use batch 3") {
            button->click();
        }
    }
    EXPECT_EQ(window.document().experiment().step.batchSize, 3);
}

TEST_F(GpuWindow, AStoredRunIsShownAsItEnded) {
    auto store = runs::RunStore::open(options.store);
    ASSERT_TRUE(store);
    const std::string done = runs::test::addGpuRun(*store, {});
    const std::string failed = runs::test::addGpuRun(*store, {.outOfMemory = true});
    MainWindow window(options);
    window.open(options);
    auto* page = window.findChild<RunsPage*>();
    ASSERT_NE(page, nullptr);
    emit page->previewRequested(*store->load(failed));
    EXPECT_EQ(strip(window).status().when, "when it failed");
    EXPECT_EQ(strip(window).status().batch, 3);
    emit page->previewRequested(*store->load(done));
    EXPECT_EQ(strip(window).status().used(), wire::test::gpuResult({}).deviceAtPeak->used());
    EXPECT_EQ(strip(window).status().batch, 0);
    auto& plots = *window.findChild<widgets::LivePlots*>();
    plots.flush();
    const auto& outlines = plots.memoryPanel().chart().scene().outlines;
    ASSERT_FALSE(outlines.empty());
    EXPECT_EQ(outlines.front().points.front().y, static_cast<double>(wire::test::gpu_run::reservedIn(9)));

    runs::RunRecord cpu = *store->load(done);
    cpu.summary.id += " on the CPU";
    cpu.result = {};
    cpu.events.clear();
    emit page->previewRequested(cpu);
    EXPECT_FALSE(strip(window).isVisibleTo(&window)) << "a CPU run has none";
}

TEST_F(GpuWindow, SaysWhatHeldTheGpuUp) {
    MainWindow window(options);
    run(window, options, "host_bound throttled unknown_context");
    const widgets::DeviceStatus& status = strip(window).status();
    EXPECT_THAT(status.warnings.join(' ').toStdString(), HasSubstr("slowed down by power cap"));
    EXPECT_THAT(status.warnings.join(' ').toStdString(), HasSubstr("the GPU waits for the host"));
    EXPECT_EQ(status.parts[4].name, "context (an estimate)");
}

}  // namespace
}  // namespace highwater::desktop
