#include "app/desktop/trace/trace_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <filesystem>

#include "app/desktop/trace/trace_range.h"
#include "app/desktop/trace/trace_windows.h"
#include "app/desktop/window/notice_bar.h"
#include "core/base/file.h"
#include "core/runs/trace_store.h"
#include "tests/bench/timeline_bench/training_capture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using highwater::test::waitUntil;

class TraceWindowTest : public ::testing::Test {
protected:
    fs::path folder =
        fs::path(::testing::TempDir()) /
        (std::string("hw traces ") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    memory::Trace trace = bench::trainingCapture(3000);

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder);
        qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((folder / "config").string()));
    }
    void TearDown() override { fs::remove_all(folder); }

    /// The trace as a run has it.
    TraceSource run(const std::string& name, const memory::Trace& of) {
        const fs::path path = folder / "store" / "runs" / name;
        fs::create_directories(path);
        auto writer = runs::TraceWriter::create(path, of.layers);
        EXPECT_TRUE(writer);
        memory::TraceChunk chunk;
        chunk.blocks = of.blocks;
        chunk.events = of.events;
        chunk.steps = of.steps;
        chunk.labels = of.labels;
        EXPECT_TRUE(writer->append(chunk));
        EXPECT_TRUE(writer->finish());
        return {TraceSource::Kind::Run, path, QString::fromStdString(name)};
    }
    static bool open(TraceWindow& window) {
        window.setAttribute(Qt::WA_DeleteOnClose, false);
        window.show();
        return waitUntil([&] { return !window.loading(); });
    }
};

TEST_F(TraceWindowTest, ShowsARunsTrace) {
    TraceWindow window(run("run 1", trace), {});
    EXPECT_EQ(window.windowTitle(), "Memory of run 1");
    EXPECT_THAT(window.panel().state().title().toStdString(), HasSubstr("Opening run 1"));
    ASSERT_TRUE(open(window));
    EXPECT_EQ(window.problem(), "");
    ASSERT_TRUE(window.panel().showsTrace());
    const memory::Trace& shown = window.panel().index()->trace();
    EXPECT_EQ(shown.events, trace.events);
    EXPECT_EQ(shown.layers, trace.layers);
    EXPECT_EQ(shown.title, "run 1");
}

TEST_F(TraceWindowTest, SavesForOtherViewersAndOpensASnapshotAgain) {
    TraceWindow window(run("run 1", trace), {});
    ASSERT_TRUE(open(window));
    for (const char* name : {"a.pickle", "a.json", "a.csv"}) {
        const fs::path file = folder / name;
        window.saveTo(QString::fromStdString(file.string()));
        ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
        EXPECT_GT(fs::file_size(file), 10'000U) << name;
        EXPECT_THAT(window.findChild<NoticeBar*>()->text().toStdString(), HasSubstr("Saved"));
    }
    window.saveTo(QString::fromStdString((folder / "a.txt").string()));
    EXPECT_THAT(window.findChild<NoticeBar*>()->text().toStdString(), HasSubstr("must end in .pickle"));

    TraceWindow again(traceSource(QString::fromStdString((folder / "a.pickle").string())), {});
    EXPECT_EQ(again.windowTitle(), "Memory of a.pickle");
    ASSERT_TRUE(open(again));
    ASSERT_TRUE(again.panel().showsTrace()) << again.problem().toStdString();
    const auto& index = *again.panel().index();
    EXPECT_EQ(index.totals()[index.peakState()],
              window.panel().index()->totals()[window.panel().index()->peakState()]);
}

TEST_F(TraceWindowTest, SaysWhatIsWrongWithAFile) {
    const fs::path file = folder / "wrong.pickle";
    ASSERT_TRUE(base::writeFileAtomically(file, "no pickle at all"));
    for (const TraceSource& source : {traceSource(QString::fromStdString(file.string())),
                                      traceSource(QString::fromStdString((folder / "none.pickle").string())),
                                      TraceSource{TraceSource::Kind::Run, folder, "run 7"}}) {
        TraceWindow window(source, {});
        ASSERT_TRUE(open(window));
        EXPECT_NE(window.problem(), "");
        EXPECT_FALSE(window.problem().contains('\n'));
        EXPECT_FALSE(window.panel().showsTrace());
        EXPECT_EQ(window.panel().state().detail(), window.problem());
        EXPECT_THAT(window.panel().state().title().toStdString(), HasSubstr("cannot be shown"));
    }
}

TEST_F(TraceWindowTest, TriesAgainWhenAsked) {
    const fs::path file = folder / "late.pickle";
    TraceWindow window(traceSource(QString::fromStdString(file.string())), {});
    ASSERT_TRUE(open(window));
    ASSERT_NE(window.problem(), "");
    ASSERT_TRUE(capture::write(trace, capture::Format::Snapshot, file));
    window.panel().state().findChildren<QPushButton*>().front()->click();
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_TRUE(window.panel().showsTrace());
    EXPECT_EQ(window.problem(), "");
}

TEST_F(TraceWindowTest, CancelsAndLoadsAfterAll) {
    TraceWindow window(run("run 1", trace), {});
    window.setAttribute(Qt::WA_DeleteOnClose, false);
    window.show();
    window.panel().state().findChildren<QPushButton*>().front()->click();
    EXPECT_EQ(window.panel().state().title(), "Cancelled");
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_FALSE(window.panel().showsTrace());
    window.panel().state().findChildren<QPushButton*>().front()->click();
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_TRUE(window.panel().showsTrace());
}

TEST_F(TraceWindowTest, ComparesTwoRuns) {
    TraceWindow window(run("run 1", trace), {});
    window.compareWith(run("run 2", bench::trainingCapture(6000, 3)));  // whichever is read first
    ASSERT_TRUE(open(window));
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_TRUE(window.panel().comparing());
    EXPECT_THAT(window.panel().layersTable().model()->headerData(2, Qt::Horizontal).toString().toStdString(),
                HasSubstr("run 2"));
    window.compareWith({TraceSource::Kind::Run, folder / "none", "run 9"});
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_THAT(window.findChild<NoticeBar*>()->text().toStdString(), HasSubstr("run 9"));
}

TEST_F(TraceWindowTest, CarriesLayersBothWays) {
    TraceWindow window(run("run 1", trace), {});
    ASSERT_TRUE(open(window));
    QSignalSpy clicked(&window, &TraceWindow::layerClicked);
    emit window.panel().layerClicked(3);
    ASSERT_EQ(clicked.size(), 1);
    EXPECT_EQ(clicked[0][1].toString().toStdString(), trace.layers[3]);
    window.showLayer(QString::fromStdString(trace.layers[5]));
    EXPECT_EQ(window.panel().view().shownLayer(), 5);
    window.showLayer("another stack's");
    EXPECT_EQ(window.panel().view().shownLayer(), -1);
}

TEST_F(TraceWindowTest, OneWindowATrace) {
    Store store(folder / "store");
    TraceWindows windows(store, nullptr);
    run("r1", trace);
    windows.openRun("r1");
    TraceWindow* first = windows.newest();
    ASSERT_NE(first, nullptr);
    windows.openRun("r1");
    EXPECT_EQ(windows.newest(), first);
    ASSERT_TRUE(waitUntil([&] { return !windows.loading(); }));
    EXPECT_EQ(windows.problem(), "");
    const QString missing = QString::fromStdString((folder / "none.pickle").string());
    windows.open(missing);
    store.refresh();
    ASSERT_TRUE(waitUntil([&] { return !windows.loading(); }));
    EXPECT_THAT(windows.problem().toStdString(), HasSubstr("none.pickle"));
    first->close();
    ASSERT_TRUE(waitUntil([&] { return windows.newest() != first; }));
}

TEST(TraceRange, StepsAreTheirEvents) {
    TraceSize size;
    size.events = 100;
    size.steps = {{10, 0}, {40, 1}, {70, 2}};
    EXPECT_EQ(rangeOfSteps(size, 0, 0).first, 10);
    EXPECT_EQ(rangeOfSteps(size, 0, 0).count, 30);
    EXPECT_EQ(rangeOfSteps(size, 1, 2).first, 40);
    EXPECT_EQ(rangeOfSteps(size, 1, 2).count, 60) << "to the end";

    size.events = 9'000'000;
    TraceRangeDialog dialog({TraceSource::Kind::Run, "x", "run 1"}, size);
    ASSERT_TRUE(dialog.range()) << "steps first, all only when asked for";
    EXPECT_EQ(dialog.range()->first, 10);
    EXPECT_EQ(dialog.range()->count, 60);
    QStringList said;
    for (const QLabel* label : dialog.findChildren<QLabel*>()) {
        said << label->text();
    }
    EXPECT_THAT(said.join('|').toStdString(), HasSubstr("9,000,000 events"));
}

TEST_F(TraceWindowTest, AStepOfALargeCaptureOpensAlone) {
    const TraceSource source = run("run 1", trace);
    TraceLoader loader;
    std::shared_ptr<const memory::Trace> part;
    std::optional<TraceSize> size;
    QObject::connect(&loader, &TraceLoader::inspected, [&](const TraceSize& s) { size = s; });
    QObject::connect(&loader, &TraceLoader::loaded,
                     [&](std::shared_ptr<const memory::Trace> t) { part = t; });
    loader.inspect(source);
    ASSERT_TRUE(waitUntil([&] { return size.has_value(); }));
    EXPECT_EQ(size->events, static_cast<std::int64_t>(trace.events.size()));
    ASSERT_EQ(size->steps, trace.steps);
    const auto range = rangeOfSteps(*size, 1, 1);
    loader.load(source, range);
    ASSERT_TRUE(waitUntil([&] { return part != nullptr; }));
    EXPECT_EQ(part->firstEvent, range.first);
    EXPECT_EQ(part->events.size(), static_cast<std::size_t>(range.count));
    EXPECT_EQ(part->allEvents, size->events);
    EXPECT_FALSE(part->alive.empty()) << "parameters lived already";
}

}  // namespace
}  // namespace highwater::desktop
