#include "app/desktop/trace/trace_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <filesystem>

#include "app/desktop/trace/snapshot_bar.h"
#include "app/desktop/trace/trace_range.h"
#include "app/desktop/trace/trace_windows.h"
#include "core/base/file.h"
#include "core/runs/trace_store.h"
#include "tests/bench/timeline_bench/training_capture.h"
#include "tests/core/capture/history_pickle.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/timeline/groups_page.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/segments_panel.h"
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

    /// The trace as stored for a run.
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
        EXPECT_THAT(window.findChild<widgets::NoticeBar*>()->text().toStdString(), HasSubstr("Saved"));
    }
    window.saveTo(QString::fromStdString((folder / "a.txt").string()));
    EXPECT_THAT(window.findChild<widgets::NoticeBar*>()->text().toStdString(),
                HasSubstr("must end in .pickle"));

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
    EXPECT_THAT(window.findChild<widgets::NoticeBar*>()->text().toStdString(), HasSubstr("run 9"));
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

TEST_F(TraceWindowTest, OfTwoRunsTheFirstIsTheBaseline) {
    Store store(folder / "store");
    TraceWindows windows(store, nullptr);
    run("r1", trace);
    run("r2", bench::trainingCapture(6000, 3));
    windows.openRuns({"r1", "r2"});
    TraceWindow* second = windows.newest();
    ASSERT_NE(second, nullptr);
    ASSERT_TRUE(waitUntil([&] { return !windows.loading() && second->panel().comparing(); }));
    const QAbstractItemModel& layers = *second->panel().layersTable().model();
    EXPECT_THAT(layers.headerData(1, Qt::Horizontal).toString().toStdString(), HasSubstr("r2"));
    EXPECT_THAT(layers.headerData(2, Qt::Horizontal).toString().toStdString(), HasSubstr("r1"));
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

/// Three GPUs, as in the file of a real training: the first has most events, the second ran out of memory,
/// the third has no history.
class SnapshotWindowTest : public TraceWindowTest {
protected:
    using Does = capture::HistoryEvent::Kind;
    using State = capture::HistoryBlock::State;
    static constexpr std::uint64_t kBase = 0x7f0000000000;

    static capture::HistoryEvent event(Does kind, std::uint64_t offset, base::Bytes size, std::int64_t time) {
        return {kind, kBase + offset, size, 0, time, {}};
    }
    static capture::History threeGpus() {
        capture::History history;
        history.devices.resize(3);
        auto &busy = history.devices[0], &full = history.devices[1], &silent = history.devices[2];
        for (std::uint64_t i = 0; i < 40; ++i) {
            busy.events.push_back(event(Does::Allocate, 0, 512, static_cast<std::int64_t>(10 * i)));
            busy.events.push_back(event(Does::FreeRequested, 0, 512, static_cast<std::int64_t>(10 * i + 3)));
            busy.events.push_back(event(Does::FreeCompleted, 0, 512, static_cast<std::int64_t>(10 * i + 4)));
        }
        const base::Bytes mib = base::kMiB;
        busy.segments.push_back({kBase, 2 * mib, 0, true, false, {}, {{kBase, 2 * mib, 0, State::Free}}});
        full.device = 1;
        full.events = {event(Does::SegmentAllocate, 0, 20 * mib, 100)};
        for (std::uint64_t i = 0; i < 10; ++i) {
            full.events.push_back(
                event(Does::Allocate, i * 2 * mib, 2 * mib, 110 + static_cast<std::int64_t>(i)));
        }
        full.events.push_back({Does::OutOfMemory, 5 * base::kMiB, 64 * mib, 0, 130, {}});
        for (std::uint64_t i = 1; i < 10; ++i) {
            full.events.push_back(
                event(Does::FreeRequested, i * 2 * mib, 2 * mib, 140 + static_cast<std::int64_t>(i)));
            full.events.push_back(
                event(Does::FreeCompleted, i * 2 * mib, 2 * mib, 140 + static_cast<std::int64_t>(i)));
        }
        full.segments.push_back(
            {kBase,
             20 * mib,
             0,
             false,
             false,
             {},
             {{kBase, 2 * mib, 2 * mib, State::Allocated}, {kBase + 2 * mib, 18 * mib, 0, State::Free}}});
        silent.device = 2;
        silent.segments.push_back(
            {kBase, 4 * mib, 0, false, false, {}, {{kBase, mib, mib, State::Allocated}}});
        return history;
    }
    TraceSource file(const std::string& name, const capture::History& history, bool asList = false) {
        highwater::test::PickleOf options;
        options.asList = asList;
        options.stacks = {{{"C:\\net\\models\\unet.py", "forward", 57}, {"train.py", "main", 9}}};
        EXPECT_TRUE(base::writeFileAtomically(folder / name, highwater::test::pickled(history, options)));
        return traceSource(QString::fromStdString((folder / name).string()));
    }
    static QString notice(TraceWindow& window) { return window.findChild<widgets::NoticeBar*>()->text(); }
};

TEST_F(SnapshotWindowTest, TheDeviceThatRanOutOfMemoryIsShownAndTheOthersAreOffered) {
    TraceWindow window(file("three.pickle", threeGpus()), {});
    ASSERT_TRUE(open(window));
    QComboBox& devices = window.bar().devices();
    ASSERT_EQ(devices.count(), 3);
    EXPECT_EQ(devices.itemText(0), QString::fromUtf8("GPU 0: 120 records · 2.00 MiB reserved"));
    EXPECT_EQ(devices.itemText(1),
              QString::fromUtf8("GPU 1: out of memory · 30 records · 20.0 MiB reserved"));
    EXPECT_EQ(devices.itemText(2), QString::fromUtf8("GPU 2: no history · 4.00 MiB reserved"));
    EXPECT_EQ(devices.currentIndex(), 1);
    EXPECT_EQ(notice(window), "GPU 1 ran out of memory: 64.0 MiB requested, 5.00 MiB free.");
    ASSERT_TRUE(window.panel().showsTrace());
    EXPECT_FALSE(window.showsSegments());
    EXPECT_EQ(window.panel().index()->trace().title, "three.pickle, GPU 1");
    EXPECT_EQ(window.panel().index()->trace().refusals.size(), 1U);

    emit window.bar().deviceChosen(0);
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_EQ(window.panel().index()->trace().title, "three.pickle, GPU 0");
    EXPECT_EQ(window.panel().index()->trace().events.size(), 80U);
    EXPECT_EQ(devices.currentIndex(), 0);

    emit window.bar().deviceChosen(2);
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_TRUE(window.showsSegments());
    EXPECT_THAT(window.bar().note().toStdString(), HasSubstr("No allocation history was recorded"));
    EXPECT_THAT(window.segments().summary().toStdString(), HasSubstr("4.00 MiB in 1 segment"));
}

TEST_F(SnapshotWindowTest, TheSegmentsCanBeSeenWhenMemoryRanOut) {
    TraceWindow window(file("three.pickle", threeGpus()), {});
    ASSERT_TRUE(open(window));
    window.bar().setPage(SnapshotBar::Segments);
    EXPECT_TRUE(window.showsSegments());
    EXPECT_EQ(window.segments().moment(), 1) << "in the end little is left";
    EXPECT_THAT(window.segments().summary().toStdString(), HasSubstr("20.0 MiB in use"));
    EXPECT_EQ(window.segments().groups().note(), "in use when memory ran out");
    EXPECT_EQ(window.segments().groups().model().index(0, 0).data().toString(), "models/unet.py:57 forward");
    EXPECT_EQ(window.segments().groups().model().index(0, 3).data().toString(), "10");

    window.panel().view().chooseMoment(3);
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_EQ(window.segments().moment(), 1) << "what was chosen stays";
    window.segments().setMoment(3);
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_THAT(window.segments().summary().toStdString(), HasSubstr("6.00 MiB in use"));
    window.segments().setMoment(0);
    EXPECT_THAT(window.segments().summary().toStdString(), HasSubstr("2.00 MiB in use"));
}

TEST_F(SnapshotWindowTest, CompiledCodeIsSaidWithWhatItHolds) {
    capture::History history = threeGpus();
    highwater::test::PickleOf options;
    options.stacks = {{{"/tmp/torchinductor_me/ab/cab.py", "call", 57}, {"train.py", "main", 9}},
                      {{"train.py", "main", 9}}};
    ASSERT_TRUE(
        base::writeFileAtomically(folder / "compiled.pickle", highwater::test::pickled(history, options)));
    TraceWindow window(traceSource(QString::fromStdString((folder / "compiled.pickle").string())), {});
    ASSERT_TRUE(open(window));
    EXPECT_EQ(window.bar().note(),
              "Compiled by torch.compile: its code holds 10.0 MiB of the 20.0 MiB at the peak.");
    TraceWindow eager(file("eager.pickle", history), {});
    ASSERT_TRUE(open(eager));
    EXPECT_EQ(eager.bar().note(), "");
}

TEST_F(SnapshotWindowTest, AListOfSegmentsOpensAsAMap) {
    capture::History history = threeGpus();
    history.devices.resize(1);
    TraceWindow window(file("list.pkl", history, true), {});
    ASSERT_TRUE(open(window));
    EXPECT_EQ(window.problem(), "");
    EXPECT_TRUE(window.showsSegments());
    EXPECT_EQ(window.segments().view().map()->segments.size(), 1U);
    EXPECT_EQ(window.bar().devices().count(), 1);
}

TEST_F(SnapshotWindowTest, TwoSnapshotsAreComparedByTheCode) {
    capture::History other = threeGpus();
    other.devices[1].events[1].size *= 2;
    TraceWindow window(file("one.pickle", threeGpus()), {});
    window.compareWith(file("two.pickle", other));
    ASSERT_TRUE(open(window));
    ASSERT_TRUE(waitUntil([&] { return !window.loading() && window.panel().comparing(); }));
    const widgets::GroupsModel& model = window.panel().groups().model();
    EXPECT_TRUE(model.comparing());
    EXPECT_EQ(model.index(0, 0).data().toString(), "models/unet.py:57 forward");
    EXPECT_EQ(model.index(0, 3).data().toString(), QString::fromUtf8("−2.00 MiB"));

    capture::History silent = threeGpus();
    for (auto& device : silent.devices) {
        device.events.clear();
    }
    window.compareWith(file("silent.pickle", silent));
    ASSERT_TRUE(waitUntil([&] { return !window.loading(); }));
    EXPECT_THAT(notice(window).toStdString(),
                HasSubstr("silent.pickle: the snapshot has no allocation history"));
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
