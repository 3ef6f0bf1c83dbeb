#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QPointer>
#include <algorithm>
#include <cstdio>
#include <set>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/pytorch_export.h"
#include "app/desktop/scan/patches/patch_folder.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/study/sweep/sweep_panel.h"
#include "app/desktop/study/sweep/sweep_window.h"
#include "app/desktop/trace/trace_window.h"
#include "core/base/file.h"
#include "tests/app/desktop/full_disk/full_disk.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/picture.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using highwater::test::FullDisk;
using ::testing::HasSubstr;

constexpr const char* kNoRoom = "No space left on device";

bool metInTime(const std::function<bool()>& met) {
    constexpr int kPatienceMs = 120000;
    return highwater::test::waitUntil(met, kPatienceMs);
}

/// Each write of the window fails once as on a full disk: the window says so and continues, and existing
/// files stay intact.
class FullDiskWindow : public highwater::test::WindowFixture {
protected:
    const fs::path disk = FullDisk::folder();
    FullDisk full;

    void SetUp() override {
        WindowFixture::SetUp();
        emptyDisk();
        openSmallPreset(12);  // dozens of runs
    }
    void TearDown() override {
        window.reset();
        emptyDisk();
        WindowFixture::TearDown();
    }
    void emptyDisk() const {
        fs::remove_all(disk);
        fs::create_directories(disk);
    }
    void open() {
        window = std::make_unique<MainWindow>(options);
        window->show();
        window->open(options);
        ASSERT_TRUE(metInTime([&] { return window->store().listed() && !window->loading(); }));
    }
    void run(int steps) {
        auto& controls = *window->findChild<ControlBar*>();
        RunOptions chosen = controls.runOptions();
        chosen.steps = steps;
        chosen.warmup = 1;
        controls.setRunOptions(chosen);
        ASSERT_EQ(window->startRun().toStdString(), "");
        ASSERT_TRUE(metInTime([&] { return !window->running(); }));
    }
    void doneRun() {
        open();
        run(2);
        ASSERT_TRUE(window->lastRun());
        ASSERT_EQ(window->lastRun()->status, wire::RunStatus::Done) << notice();
        ASSERT_TRUE(metInTime([&] { return window->store().rows().size() == 1; }));
    }
    std::string notice() { return window->notices().text().toStdString(); }
    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(disk)) {
            found.insert(entry.path().lexically_relative(disk).string());
        }
        return found;
    }
    /// `write` writes disk/name completely or says why it did not.
    void expectWhole(const std::string& name, const std::function<QString(const QString&)>& write) {
        const fs::path file = disk / name;
        const std::string old = "what was there before\n";
        emptyDisk();
        ASSERT_TRUE(base::writeFileAtomically(file, old));
        const auto before = names();
        for (int at = 1;; ++at) {
            SCOPED_TRACE(name + ", write " + std::to_string(at));
            ASSERT_LT(at, 200);
            ASSERT_TRUE(base::writeFileAtomically(file, old));
            full.failAt(at);
            const std::string problem = write(QString::fromStdString(file.string())).toStdString();
            if (full.room().empty()) {
                EXPECT_EQ(problem, "");
                EXPECT_NE(*base::readFile(file), old);
                EXPECT_GE(at, 3) << "open, write and rename";
                break;
            }
            ++count;
            EXPECT_THAT(problem, HasSubstr(kNoRoom));
            EXPECT_THAT(problem, HasSubstr(name));
            EXPECT_EQ(std::count(problem.begin(), problem.end(), '\n'), 0) << problem;
            EXPECT_EQ(*base::readFile(file), old);
            EXPECT_EQ(names(), before);
        }
    }
    std::unique_ptr<MainWindow> window;
    int count = 0;
};

QString problemOf(const base::Status& status) {
    return status ? QString() : QString::fromStdString(status.error().message);
}

TEST_F(FullDiskWindow, WhatIsExportedIsWholeOrStaysAsItWas) {
    doneRun();
    for (const char* name : {"r.html", "r.pdf", "r.csv", "r.json"}) {
        expectWhole(name, [&](const QString& file) {
            std::optional<QString> problem;
            window->saveReport({window->lastRun()->id}, file, [&](const QString& said) { problem = said; });
            EXPECT_TRUE(metInTime([&] { return problem.has_value(); }));
            return problem.value_or("it was not written in time");
        });
    }
    expectWhole("model.py", [&](const QString& file) {
        return problemOf(exportPytorchTo(window->document().experiment(), file));
    });
    for (const char* name : {"p.png", "p.svg", "p.pdf"}) {
        expectWhole(name, [&](const QString& file) {
            return problemOf(widgets::savePicture(*window->findChild<widgets::LivePlots*>(), file));
        });
    }
    TraceWindow trace({TraceSource::Kind::Run, options.store / "runs" / window->lastRun()->id, "run 1"}, {});
    trace.setAttribute(Qt::WA_DeleteOnClose, false);
    trace.show();
    ASSERT_TRUE(metInTime([&] { return !trace.loading(); }));
    for (const char* name : {"c.pickle", "c.json", "c.csv"}) {
        expectWhole(name, [&](const QString& file) {
            trace.saveTo(file);
            EXPECT_TRUE(metInTime([&] { return !trace.loading(); }));
            const QString said = trace.findChild<widgets::NoticeBar*>()->text();
            return said.startsWith("Saved: ") ? QString() : said;
        });
    }
    SweepWindow& sweep = window->studies().openSweep();
    SweepChoice choice = sweep.panel().setup().choice();
    choice.axes = {{"batch_size", {"/step/batch_size"}, "1, 2", {}}};
    sweep.panel().setup().setChoice(choice);
    ASSERT_TRUE(
        metInTime([&] { return sweep.panel().views().link().rows().cells.size() == 2 && !sweep.loading(); }));
    for (const char* name : {"s.csv", "s.json", "s.png"}) {
        expectWhole(name, [&](const QString& file) { return sweep.saveTo(file); });
    }
    expectWhole("sweep.json", [&](const QString& file) { return sweep.saveSweep(file); });
    sweep.closeUnasked();
    std::printf("%d writes failed\n", count);
}

TEST_F(FullDiskWindow, AnExperimentThatIsNotSavedStaysUnsaved) {
    const fs::path file = disk / "experiment.json";
    fs::copy_file(options.experiment.toStdString(), file);
    options.experiment = QString::fromStdString(file.string());
    open();
    QAction* save = nullptr;
    for (QAction* const action : window->findChildren<QAction*>()) {
        save = action->text() == "Save" ? action : save;
    }
    ASSERT_NE(save, nullptr);
    window->document().edit("Change batch", [](stack::Experiment& e) { e.step.batchSize = 3; });
    const std::string old = *base::readFile(file);
    for (int at = 1;; ++at) {
        ASSERT_LT(at, 20);
        full.failAt(at);
        save->trigger();
        if (full.room().empty()) {
            break;
        }
        EXPECT_THAT(notice(), HasSubstr(kNoRoom));
        EXPECT_EQ(*base::readFile(file), old);
        EXPECT_TRUE(window->isWindowModified());
        EXPECT_EQ(window->document().experiment().step.batchSize, 3);
    }
    EXPECT_FALSE(window->isWindowModified());
    EXPECT_EQ(stack::loadExperiment(file)->step.batchSize, 3);
    EXPECT_EQ(notice(), "") << "what was said of the file has gone";
}

TEST_F(FullDiskWindow, ASessionThatIsNotKeptIsSaidAndKeptWithTheNextEdit) {
    options.store = disk;
    options.quit = false;
    open();
    const auto edit = [&](int batch) {
        window->document().edit("Change batch", [batch](stack::Experiment& e) { e.step.batchSize = batch; });
        window->session().flush();
    };
    for (int at = 1;; ++at) {
        ASSERT_LT(at, 20);
        full.failAt(at);
        edit(100 + at);
        const std::string failed = full.room();
        SCOPED_TRACE(failed);
        if (failed.empty()) {
            EXPECT_GE(at, 4) << "open, write, sync and rename";
            break;
        }
        const auto unkept = [&] { return notice().find("not kept for the next start") != std::string::npos; };
        ASSERT_TRUE(metInTime(unkept)) << notice();
        EXPECT_THAT(notice(), HasSubstr(kNoRoom));
        edit(200 + at);
        ASSERT_TRUE(metInTime([&] { return !unkept(); })) << notice();
        EXPECT_THAT(*base::readFile(disk / "desktop" / "session.json"), HasSubstr(std::to_string(200 + at)));
    }
    full.failAt(1);  // only the mark of a normal exit is not written
    window->close();
    EXPECT_NE(full.room(), "");
    EXPECT_FALSE(window->isVisible());
}

/// HIGHWATER_TEST_FULL_DISK: the step from one failing write to the next (default: 17; 1: each write of a
/// run), including the engine's writes.
TEST_F(FullDiskWindow, ARunThatIsNotRecordedIsSaidAndTheNextOneIs) {
    const int named = qEnvironmentVariableIntValue("HIGHWATER_TEST_FULL_DISK");
    const int stride = named > 0 ? named : 17;
    options.store = disk;
    open();
    for (int at = 1;; at += stride) {
        ASSERT_LT(at, 2000);
        window->notices().dismiss();
        const std::string before = window->lastRun() ? window->lastRun()->id : "";
        full.failAt(at);
        run(2);
        const std::string failed = full.room();
        SCOPED_TRACE("write " + std::to_string(at) + ": " + failed + ": " + notice());
        if (failed.empty()) {
            EXPECT_EQ(window->lastRun()->status, wire::RunStatus::Done);
            EXPECT_EQ(notice(), "");
            break;
        }
        ++count;
        const bool recorded = window->lastRun() && window->lastRun()->id != before;
        if (!recorded || window->lastRun()->status != wire::RunStatus::Done) {
            EXPECT_THAT(notice(), HasSubstr(kNoRoom));
        }
        // A session is written again at the next edit, and the index is rebuilt from the folders.
        const std::string name = fs::path(failed).filename().string();
        if (name.find("index.db") == std::string::npos && name.find("session") == std::string::npos &&
            name != "lock") {
            EXPECT_NE(notice(), "");
        }
    }
    const auto isOver = [](const runs::RunSummary& row) {
        return row.status == wire::RunStatus::Done || row.status == wire::RunStatus::Failed;
    };
    EXPECT_TRUE(metInTime([&] { return std::ranges::all_of(window->store().rows(), isOver); }))
        << "the table follows in its own time";
    std::printf("%d writes failed, of each %d one\n", count, stride);
}

TEST_F(FullDiskWindow, ALabelThatIsNotKeptIsSaid) {
    options.store = disk;
    doneRun();
    const std::string id = window->lastRun()->id;
    const auto note = [&](const char* text) {
        std::optional<std::string> problem;
        window->store().label({id}, {.note = text}, [&](const std::string& said) { problem = said; });
        EXPECT_TRUE(metInTime([&] { return problem.has_value(); }));
        return problem.value_or("");
    };
    ASSERT_EQ(note("before"), "");
    for (int at = 1;; ++at) {
        ASSERT_LT(at, 50);
        full.failAt(at);
        const std::string problem = note("after");
        const std::string failed = full.room();
        if (failed.empty()) {
            EXPECT_EQ(problem, "");
            EXPECT_EQ(window->store().rows().at(0).note, "after");
            break;
        }
        SCOPED_TRACE(failed);
        if (problem.empty()) {  // only the index, which is rebuilt from the folders
            EXPECT_THAT(failed, HasSubstr("index.db"));
            ASSERT_EQ(note("before"), "");
            continue;
        }
        EXPECT_THAT(problem, HasSubstr(kNoRoom));
        EXPECT_EQ(window->store().rows().at(0).note, "before");
    }
}

TEST_F(FullDiskWindow, AFolderForPatchesThatIsNotMadeIsSaid) {
    for (int at = 1;; ++at) {
        ASSERT_LT(at, 20);
        PatchFolder patches(disk);
        full.failAt(at);
        const auto part = patches.part();
        const std::string failed = full.room();
        if (failed.empty() || fs::path(failed).filename() == "lock") {  // the store works without it
            EXPECT_TRUE(part);
            if (failed.empty()) {
                break;
            }
            continue;
        }
        ASSERT_FALSE(part);
        EXPECT_THAT(part.error().message, HasSubstr(kNoRoom));
        EXPECT_TRUE(patches.part()) << "once there is room";
    }
}

}  // namespace
}  // namespace highwater::desktop
