#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QTest>

#include "app/desktop/run/live_values.h"
#include "app/desktop/run/peak_lines.h"
#include "app/desktop/run/pretended_twin.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::desktop {
namespace {

using base::kMiB;
using highwater::test::waitUntil;
using ::testing::ElementsAre;

runs::RunSummary row(int number, const char* name, const char* device,
                     wire::RunStatus status = wire::RunStatus::Done) {
    runs::RunSummary made;
    made.id = std::to_string(number);
    made.number = number;
    made.name = name;
    made.device = device;
    made.status = status;
    return made;
}

wire::StepDone step(int index, base::Bytes peak) {
    wire::StepDone made;
    made.index = index;
    made.peak.ledger[memory::Category::Activations] = peak;
    made.peak.phase = wire::Phase::Backward;
    made.peak.time = 20;
    made.timeline = {{0, {}}, {20, made.peak.ledger}, {30, {}}};
    made.marks = {{0, wire::Phase::Forward, -1}, {20, wire::Phase::Backward, -1}};
    return made;
}

TEST(PretendedTwin, IsTheNewestCompleteRunOfTheSameCommandOnTheGpu) {
    const std::vector<runs::RunSummary> rows = {
        row(1, "train.py", "pretended rtx3060"),
        row(2, "train.py", "pretended rtx3060"),
        row(3, "train.py", "pretended rtx3060", wire::RunStatus::OutOfMemory),
        row(4, "train.py", "pretended h100"),
        row(5, "train.py --batch 8", "pretended rtx3060"),
        row(6, "train.py", "cuda:0")};
    ASSERT_NE(pretendedTwin(rows, "train.py", "rtx3060"), nullptr);
    EXPECT_EQ(pretendedTwin(rows, "train.py", "rtx3060")->number, 2);
    EXPECT_EQ(pretendedTwin(rows, "train.py --batch 8", "rtx3060")->number, 5);
    EXPECT_EQ(pretendedTwin(rows, "train.py", "cpu"), nullptr);
    EXPECT_EQ(pretendedTwin(rows, "other.py", "rtx3060"), nullptr);
}

TEST(PretendedTwin, IsShownAsTheStepWithTheHighestPeak) {
    runs::RunRecord twin;
    twin.summary.number = 12;
    EXPECT_FALSE(forecastOfTwin(twin));
    twin.events = {step(0, 4 * kMiB), step(1, 6 * kMiB), step(2, 5 * kMiB)};
    const auto forecast = forecastOfTwin(twin);
    ASSERT_TRUE(forecast);
    EXPECT_EQ(forecast->name, "pretended, run #12");
    ASSERT_EQ(forecast->points.size(), 3U);
    EXPECT_EQ(forecast->points[1].ledger.total(), 6 * kMiB);
    EXPECT_EQ(forecast->points[0].phase, plotPhaseOf(wire::Phase::Forward));
    EXPECT_EQ(forecast->points[1].phase, plotPhaseOf(wire::Phase::Backward));
    EXPECT_EQ(forecast->peakHigh, 6 * kMiB);
}

TEST(PeakLines, AreOrderedByTheirDifference) {
    const QList<QStringList> rows = peakLineRows({{{"train.py:3", 8 * kMiB, 1}, {"train.py:5", 4 * kMiB, 1}},
                                                  {{"train.py:3", 8 * kMiB, 1},
                                                   {"train.py:5", 1 * kMiB, 1},
                                                   {"train.py:9", 2 * kMiB, 1},
                                                   {"", kMiB, 1}}},
                                                 3);
    EXPECT_THAT(rows, ElementsAre(QStringList{"train.py:5", "4.00 MiB", "1.00 MiB", "−3.00 MiB"},
                                  QStringList{"train.py:9", "—", "2.00 MiB", "+2.00 MiB"},
                                  QStringList{"(autograd)", "—", "1.00 MiB", "+1.00 MiB"}));
    EXPECT_TRUE(peakLineRows({{}, {}}, 3).isEmpty());
}

TEST(PretendedRun, ShowsTheStepInWhichMemoryRanOut) {
    runs::RunRecord run;
    run.script.emplace();
    run.script->gpu = "rtx3060";
    wire::Failed failed;
    failed.status = wire::RunStatus::OutOfMemory;
    failed.requested = 9 * kMiB;
    failed.step = 1;
    run.events = {failed, step(0, 6 * kMiB)};  // the steps are recorded at the end
    const widgets::StoredRun stored = toStoredRun(run);
    EXPECT_EQ(stored.begunStep, 1);
    EXPECT_EQ(stored.begun.size(), 3U);
    ASSERT_TRUE(stored.refusal);
    EXPECT_EQ(stored.refusal->ledger.total(), 6 * kMiB);
}

/// The window with a watched run and a pretended one of the same script.
class ScriptRuns : public highwater::test::WindowFixture {
protected:
    std::string record(const std::string& gpu, const std::string& device, base::Bytes peak) {
        auto store = runs::RunStore::open(options.store);
        EXPECT_TRUE(store);
        wire::ScriptSource source;
        source.command = {"/scripts/train.py"};
        source.gpu = gpu;
        source.watched = gpu.empty();
        const auto folder = store->create(source);
        EXPECT_TRUE(folder);
        auto writer = runs::RunWriter::open(*folder);
        EXPECT_TRUE(writer);
        wire::Started started;
        started.runId = folder->filename().string();
        started.environment.device = device;
        started.environment.deviceName = "NVIDIA GeForce RTX 3060";
        started.environment.memoryBytes = 12 * base::kGiB;
        started.steps = 1;
        wire::RunResult result;
        result.runId = started.runId;
        result.environment = started.environment;
        result.peakAllocated = peak;
        EXPECT_TRUE(writer->append(started) && writer->append(step(0, peak)) && writer->finish(result));
        EXPECT_TRUE(store->settle(started.runId, 0, ""));
        return started.runId;
    }
};

TEST_F(ScriptRuns, ThePretendedRunLiesOverTheWatchedOne) {
    record("rtx3060", "pretended rtx3060", 6 * kMiB);
    const std::string watched = record("", "cuda:0", 7 * kMiB);
    MainWindow window(options);
    window.show();
    window.open(options);
    auto* table = window.findChild<RunsTable*>();
    ASSERT_TRUE(waitUntil([&] { return !window.loading() && table->visibleRuns() == 2; }));
    table->select({QString::fromStdString(watched)});
    auto* plots = window.findChild<widgets::LivePlots*>();
    const auto names = [&] {
        plots->flush();
        QStringList found;
        for (const widgets::SeriesStyle& entry : plots->memoryPanel().legend()->entries()) {
            found << entry.name;
        }
        return found;
    };
    EXPECT_TRUE(waitUntil([&] { return names().contains("pretended, run #1"); }))
        << names().join(", ").toStdString();
    EXPECT_FALSE(names().contains("predicted"));
}

}  // namespace
}  // namespace highwater::desktop
