#include "app/desktop/scan/patches/patch_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "app/desktop/experiment/stack/error_words.h"
#include "app/desktop/scan/patches/patch_bar.h"
#include "tests/app/desktop/scan/patches/patch_fakes.h"
#include "tests/widgets/wait_until.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::highwater::test::waitUntil;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using volume::test::volumeOf;

stack::Experiment scanExperiment() {
    stack::Experiment e;
    stack::ScanInput input;
    input.scans = {{"/a scan.nii", {}, 0}};
    input.patch = {8, 8, 8};
    e.input = input;
    stack::Conv conv;
    conv.padding.sizes = {1};
    e.stack = {{"", conv}};
    e.step.batchSize = 2;
    return e;
}

class PatchPageTest : public ::testing::Test {
protected:
    fs::path folder =
        fs::path(::testing::TempDir()) /
        (std::string("hw patches ") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    highwater::desktop::test::FakePatches engine;
    highwater::desktop::test::FakeCoverage sampler;
    ExperimentDocument document;
    widgets::ScanPanel panel;
    std::vector<volume::Volume> volumes;
    std::unique_ptr<PatchPage> page;
    PatchBar* bar = nullptr;
    widgets::ScanScene* scene = nullptr;

    void SetUp() override {
        fs::remove_all(folder);
        fs::create_directories(folder);
        qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((folder / "config").string()));
        volumes = {volumeOf({24, 24, 24}, [](auto i, auto j, auto k) { return i + j + k; })};
        document.reset(scanExperiment());
        panel.resize(420, 620);
        panel.setVolume(volumes.front());
        make();
        panel.show();
    }
    void TearDown() override {
        engine.hold = sampler.hold = false;
        page.reset();
        EXPECT_TRUE(patchFolders().empty()) << "nothing is left behind";
        fs::remove_all(folder);
    }
    PatchPage::Parts parts(const fs::path& temporary) {
        PatchPage::Parts made;
        made.make = engine.make();
        made.count = sampler.count();
        made.volumes = [this] { return volumes; };
        made.temporary = temporary;
        return made;
    }
    void make() {
        page = std::make_unique<PatchPage>(document, panel, parts(folder));
        bar = panel.findChild<PatchBar*>();
        scene = panel.findChild<widgets::ScanScene*>();
    }
    std::vector<fs::path> patchFolders() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path().filename().string().starts_with("highwater-patches-")) {
                found.push_back(entry.path());
            }
        }
        return found;
    }
    QToolButton* button(const char* name) const { return bar->findChild<QToolButton*>(name); }
    std::string text(const char* name) const {
        if (const auto* label = bar->findChild<QLabel*>(name)) {
            return label->text().toStdString();
        }
        return bar->findChild<widgets::ElidedLabel*>(name)->text().toStdString();
    }
    bool seen(const char* name) const { return bar->findChild<QWidget*>(name)->isVisibleTo(bar); }
    float onShow() const { return static_cast<float>(scene->volume().at(0, 0, 0)); }
    bool shows(std::int64_t sample, int channel = 0) const {
        return panel.showsInstead() &&
               onShow() == highwater::desktop::test::FakePatches::valueOf(sample, channel);
    }
    void patches() {
        page->setMode(PatchMode::Patches);
        ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    }
    void edit(const std::function<void(stack::Experiment&)>& change) { document.edit("an edit", change); }
    void augment() {
        edit([](stack::Experiment& e) {
            e.data.augment.push_back({stack::Augmentation::Kind::Flip, 0.5, 0});
        });
    }
};

TEST_F(PatchPageTest, DoesNothingUntilItIsAsked) {
    augment();
    QTest::qWait(800);  // longer than the pause that follows edits
    EXPECT_EQ(engine.asked, 0);
    EXPECT_EQ(sampler.counted, 0);
    EXPECT_FALSE(page->busy());
    EXPECT_TRUE(patchFolders().empty());
}

TEST_F(PatchPageTest, StepsThroughThePatchesOfTheExperiment) {
    engine.augmentations = {"flipped along i", "gamma 0.83"};
    augment();
    patches();
    EXPECT_EQ(engine.asked, 1);
    EXPECT_NE(engine.thread.load(), std::this_thread::get_id()) << "in the background";
    EXPECT_TRUE(shows(0));
    EXPECT_EQ(text("patchNumber"), "1 of 16");
    EXPECT_THAT(text("patchOrigin"), HasSubstr("Current experiment"));
    EXPECT_THAT(text("patchDone"), HasSubstr("flipped along i, gamma 0.83"));
    EXPECT_THAT(text("patchPlace"), HasSubstr("i 0–7, j 2–9, k 3–10 · letters refer to the scan"));
    button("patchNext")->click();
    button("patchNext")->click();
    EXPECT_TRUE(shows(2));
    EXPECT_THAT(text("patchOrigin"), HasSubstr("sample 3 of a run, in step 2")) << "two samples a step";
    QTest::keyClick(bar, Qt::Key_Comma);
    EXPECT_TRUE(shows(1));
    EXPECT_EQ(engine.asked, 1);
}

TEST_F(PatchPageTest, SixteenMoreGoOnWhereTheOthersEnd) {
    patches();
    button("patchMore")->click();
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_THAT(engine.firsts(), ElementsAre(0, 16));
    EXPECT_EQ(text("patchNumber"), "17 of 32");
    EXPECT_TRUE(shows(16));
    QTest::keyClick(bar, Qt::Key_Left);
    EXPECT_TRUE(shows(15)) << "those before are still there";
}

TEST_F(PatchPageTest, GoesToAPatchByItsNumber) {
    page->showPatch(40);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_TRUE(shows(39));
    EXPECT_THAT(engine.firsts(), ElementsAre(0, 16, 32));
}

TEST_F(PatchPageTest, EndsAtTheMost) {
    page->showPatch(PatchSet::kMost);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_TRUE(shows(PatchSet::kMost - 1));
    EXPECT_FALSE(button("patchMore")->isEnabled());
}

TEST_F(PatchPageTest, ChannelsAndTheTargetAreChosen) {
    engine.channels = 2;
    engine.target = true;
    edit([](stack::Experiment& e) { e.target = {stack::Target::Kind::Threshold, 5, {}, 2}; });
    patches();
    auto* channel = bar->findChild<QComboBox*>("patchChannel");
    ASSERT_EQ(channel->count(), 2);
    EXPECT_TRUE(shows(0, 0));
    EXPECT_EQ(button("patchTarget")->text(), "Labels");
    EXPECT_TRUE(scene->overlay().empty()) << "the values alone, until it is asked for";
    button("patchTarget")->click();
    ASSERT_FALSE(scene->overlay().empty());
    EXPECT_EQ(scene->overlay().at(0, 0, 0), 0);
    EXPECT_EQ(scene->overlay().at(7, 0, 0), 1) << "the largest label is the hottest";
    emit channel->activated(1);
    EXPECT_TRUE(shows(0, 1));
    button("patchNext")->click();
    EXPECT_TRUE(shows(1, 1)) << "the channel stays";
    button("patchTarget")->click();
    EXPECT_TRUE(scene->overlay().empty());
    EXPECT_TRUE(shows(1, 1));
    page->setMode(PatchMode::Scan);
    EXPECT_TRUE(scene->overlay().empty());
    EXPECT_FALSE(panel.showsInstead());
}

TEST_F(PatchPageTest, AsksAnewWhenWhatDecidesPatchesChangesAndOnlyThen) {
    patches();
    const fs::path before = engine.lastFolder();
    button("patchNext")->click();
    edit([](stack::Experiment& e) { e.optimizer.lr = 0.5; });
    edit([](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).bias = false; });
    EXPECT_FALSE(page->busy()) << "layers and learning rate change no patch";
    augment();
    edit([](stack::Experiment& e) { e.step.seed = 7; });
    EXPECT_TRUE(page->busy());
    EXPECT_THAT(text("patchOrigin"), HasSubstr("before the last edit"));
    EXPECT_FALSE(seen("patchInScan")) << "what is on show is no longer right";
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_EQ(engine.asked, 2) << "two edits in a row are one question";
    EXPECT_TRUE(shows(1)) << "the same number";
    EXPECT_FALSE(fs::exists(before)) << "the earlier set is gone";
    EXPECT_EQ(patchFolders().size(), 1U);
}

TEST_F(PatchPageTest, LeavesTheExperimentAndUndoAlone) {
    augment();
    const stack::Experiment before = document.experiment();
    const int undo = document.undoStack().count();
    patches();
    button("patchInScan")->click();
    page->setMode(PatchMode::Coverage);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_EQ(document.experiment(), before);
    EXPECT_EQ(document.undoStack().count(), undo);
}

TEST_F(PatchPageTest, ShowsWhereInTheScanAPatchWasTaken) {
    patches();
    QTest::keyClick(bar, Qt::Key_Right);
    ASSERT_TRUE(seen("patchInScan"));
    button("patchInScan")->click();
    EXPECT_EQ(page->mode(), PatchMode::Scan);
    EXPECT_FALSE(panel.showsInstead());
    ASSERT_TRUE(panel.patch());
    EXPECT_EQ(*panel.patch(), (widgets::PatchBox{{1, 2, 3}, {8, 8, 8}}));
    EXPECT_EQ(scene->cursor(), (widgets::Index3{5, 6, 7})) << "every view cuts the box";
    page->setMode(PatchMode::Patches);
    EXPECT_TRUE(shows(1));
    EXPECT_EQ(engine.asked, 1) << "what was made is still right";
}

TEST_F(PatchPageTest, CanBeCancelledAndTriedAgain) {
    engine.hold = true;
    page->setMode(PatchMode::Patches);
    ASSERT_TRUE(waitUntil([&] { return engine.asked == 1; }));
    EXPECT_TRUE(seen("patchWork"));
    button("patchCancel")->click();
    EXPECT_FALSE(page->busy());
    EXPECT_TRUE(waitUntil([&] { return engine.cancelled == 1; }));
    EXPECT_EQ(text("patchTrouble"), "Cancelled.");
    EXPECT_FALSE(panel.showsInstead());
    QTest::qWait(700);
    EXPECT_EQ(engine.asked, 1) << "it stays cancelled";
    engine.hold = false;
    button("patchRetry")->click();
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_TRUE(shows(0));
}

TEST_F(PatchPageTest, AnErrorIsALineAndTheScanIsBack) {
    patches();
    engine.refuses = "input.patch: larger than the GPU";
    augment();
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_EQ(text("patchTrouble"), engine.refuses);
    EXPECT_EQ(page->problem().toStdString(), engine.refuses);
    EXPECT_FALSE(panel.showsInstead()) << "what was edited before is not what the network gets";
    engine.refuses.clear();
    button("patchRetry")->click();
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_TRUE(shows(0));
    EXPECT_EQ(page->problem(), "");
}

TEST_F(PatchPageTest, AStackThatIsInvalidIsNotSentToTheEngine) {
    edit([](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {99}; });
    ASSERT_FALSE(document.info());
    page->setMode(PatchMode::Patches);
    EXPECT_FALSE(page->busy());
    EXPECT_EQ(text("patchTrouble"), plainError(document.info().error()).toStdString());
    edit([](stack::Experiment& e) { std::get<stack::Conv>(e.stack[0].op).kernelSize = {3}; });
    ASSERT_TRUE(waitUntil([&] { return engine.asked == 1 && !page->busy(); }));
    EXPECT_TRUE(shows(0));
}

TEST_F(PatchPageTest, LeavingEndsTheWork) {
    engine.hold = true;
    page->setMode(PatchMode::Patches);
    ASSERT_TRUE(waitUntil([&] { return engine.asked == 1; }));
    page->setMode(PatchMode::Scan);
    EXPECT_FALSE(page->busy());
    EXPECT_TRUE(waitUntil([&] { return engine.cancelled == 1; }));
    engine.hold = false;
    patches();
    EXPECT_TRUE(shows(0));
}

TEST_F(PatchPageTest, WorksOnlyWhereItIsSeen) {
    panel.hide();
    page->setMode(PatchMode::Patches);
    QTest::qWait(100);
    EXPECT_EQ(engine.asked, 0);
    panel.show();
    ASSERT_TRUE(waitUntil([&] { return engine.asked == 1 && !page->busy(); }));
    EXPECT_TRUE(shows(0));
    panel.hide();
    augment();
    QTest::qWait(800);
    EXPECT_EQ(engine.asked, 1);
    panel.show();
    ASSERT_TRUE(waitUntil([&] { return engine.asked == 2; }));
}

TEST_F(PatchPageTest, AnotherScanIsAnotherSet) {
    patches();
    volumes = {volumeOf({16, 16, 16}, [](auto i, auto, auto) { return i; })};
    panel.setVolume(volumes.front());
    edit([](stack::Experiment& e) { std::get<stack::ScanInput>(e.input).scans[0].path = "/another.nii"; });
    page->follow();
    ASSERT_TRUE(waitUntil([&] { return engine.asked == 2 && !page->busy(); }));
    EXPECT_TRUE(shows(0));
    volumes.clear();  // it is being read
    edit([](stack::Experiment& e) { std::get<stack::ScanInput>(e.input).scans[0].path = "/a third.nii"; });
    EXPECT_FALSE(page->busy());
    EXPECT_FALSE(panel.showsInstead());
}

/// A cohort: the volumes of a run must be read first, once, and the patches are from all cases.
TEST_F(PatchPageTest, WaitsForTheCasesOfACohort) {
    int prepared = 0, cancelled = 0;
    bool reading = false;
    QString trouble;
    page.reset();
    delete bar;
    auto with = parts(folder);
    const auto all = std::exchange(volumes, {});
    with.shown = [&] { return ShownCase{all, 1, 2}; };
    with.prepare = [&] { ++prepared, reading = true; };
    with.cancelPreparing = [&] { ++cancelled, reading = false; };
    with.reading = [&] { return reading ? QString("reading case 2 of 2") : QString(); };
    with.trouble = [&] { return trouble; };
    page = std::make_unique<PatchPage>(document, panel, std::move(with));
    bar = panel.findChild<PatchBar*>();
    page->setMode(PatchMode::Coverage);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_EQ(prepared, 0) << "the case on show is enough";
    EXPECT_EQ(sampler.sampler.cases, 2);
    EXPECT_EQ(sampler.sampler.theCase, 1);
    page->setMode(PatchMode::Patches);
    EXPECT_EQ(prepared, 1);
    EXPECT_TRUE(page->busy());
    EXPECT_EQ(text("patchWork"), "reading case 2 of 2");
    button("patchCancel")->click();
    EXPECT_EQ(cancelled, 1);
    page->follow();
    EXPECT_EQ(prepared, 1) << "it stays cancelled";
    button("patchRetry")->click();
    EXPECT_EQ(prepared, 2);
    reading = false;
    trouble = "case 2: truncated";
    page->follow();
    EXPECT_EQ(prepared, 2) << "what cannot be read is not tried for ever";
    EXPECT_EQ(text("patchTrouble"), "case 2: truncated");
    trouble.clear();
    volumes = all;
    page->follow();
    ASSERT_TRUE(waitUntil([&] { return engine.asked == 1 && !page->busy(); }));
    EXPECT_TRUE(shows(0));
    EXPECT_THAT(text("patchPlace"), HasSubstr("case 1"));
    EXPECT_FALSE(seen("patchInScan")) << "another case is on show";
}

TEST_F(PatchPageTest, SyntheticInputSaysWhyThereIsNothing) {
    QSignalSpy said(page.get(), &PatchPage::notice), mode(page.get(), &PatchPage::modeChanged);
    edit([](stack::Experiment& e) { e.input = stack::SyntheticInput{{1, 16, 16, 16}}; });
    page->setMode(PatchMode::Patches);
    EXPECT_EQ(page->mode(), PatchMode::Scan);
    ASSERT_EQ(said.count(), 1);
    EXPECT_THAT(said[0][1].toString().toStdString(), HasSubstr("synthetic noise"));
    EXPECT_EQ(mode.count(), 1) << "the menu shows what is so";
    EXPECT_EQ(engine.asked, 0);
    document.undoStack().undo();
    patches();
    document.undoStack().redo();
    EXPECT_EQ(page->mode(), PatchMode::Scan);
    EXPECT_FALSE(panel.showsInstead());
}

TEST_F(PatchPageTest, FollowsARun) {
    const auto send = [&](int step) {
        const fs::path file = folder / "patch.hwvol";
        ASSERT_TRUE(volume::writeVolumeFile(
            file, volumeOf({8, 8, 8}, [&](auto, auto, auto) { return 5000 + step; })));
        page->runSent(file, {"previews/patch.hwvol", {4, 5, 6}, step, 2 * step, 0}, document.experiment());
    };
    patches();
    EXPECT_FALSE(seen("patchLive"));
    page->setRunning(true);
    ASSERT_TRUE(seen("patchLive"));
    send(3);
    QTest::qWait(50);
    EXPECT_TRUE(shows(0)) << "nobody follows";
    button("patchLive")->click();
    ASSERT_TRUE(waitUntil([&] { return onShow() == 5003; }));
    EXPECT_THAT(text("patchOrigin"), HasSubstr("The run · sample 7, in step 4 · live"));
    EXPECT_THAT(text("patchPlace"), HasSubstr("i 4–11, j 5–12, k 6–13"));
    EXPECT_FALSE(seen("patchNumber"));
    QElapsedTimer clock;
    clock.start();
    int changes = 0;
    float last = onShow();
    for (int step = 4; clock.elapsed() < 1200; ++step) {
        send(step);
        QTest::qWait(20);
        changes += std::exchange(last, onShow()) != onShow() ? 1 : 0;
    }
    EXPECT_GE(changes, 1);
    EXPECT_LE(changes, 3) << "at most twice a second";
    button("patchFreeze")->click();
    QTest::qWait(600);
    const float frozen = onShow();
    EXPECT_THAT(text("patchOrigin"), HasSubstr("frozen"));
    send(9999 - 5000);
    QTest::qWait(700);
    EXPECT_EQ(onShow(), frozen);
    button("patchFreeze")->click();
    ASSERT_TRUE(waitUntil([&] { return onShow() == 9999; })) << "then the newest";
    page->setRunning(false);
    EXPECT_THAT(text("patchOrigin"), HasSubstr("the run has ended"));
    button("patchInScan")->click();
    EXPECT_EQ(*panel.patch(), (widgets::PatchBox{{4, 5, 6}, {8, 8, 8}}));
    page->setMode(PatchMode::Patches);
    button("patchLive")->click();
    EXPECT_TRUE(shows(0)) << "back to those of the experiment, which are still right";
    page->setRunning(true);
    EXPECT_TRUE(seen("patchLive"));
    button("patchLive")->click();
    EXPECT_THAT(text("patchOrigin"), HasSubstr("no patch received yet")) << "the run before is gone";
}

TEST_F(PatchPageTest, ARunsPatchOfAnotherScanHasNoPlaceHere) {
    stack::Experiment ran = document.experiment();
    std::get<stack::ScanInput>(ran.input).scans[0].path = "/elsewhere.nii";
    const fs::path file = folder / "patch.hwvol";
    ASSERT_TRUE(volume::writeVolumeFile(file, volumeOf({8, 8, 8}, [](auto, auto, auto) { return 1; })));
    page->setRunning(true);
    page->runSent(file, {"previews/patch.hwvol", {4, 5, 6}, 0, 0, 0}, ran);
    page->setMode(PatchMode::Patches);
    button("patchLive")->click();
    ASSERT_TRUE(waitUntil([&] { return panel.showsInstead() && onShow() == 1; }));
    EXPECT_FALSE(seen("patchInScan"));
}

TEST_F(PatchPageTest, AFileThatIsNoPatchIsALine) {
    page->setRunning(true);
    page->runSent(folder / "none.hwvol", {"none.hwvol", {}, 0, 0, 0}, document.experiment());
    page->setMode(PatchMode::Patches);
    button("patchLive")->click();
    ASSERT_TRUE(waitUntil([&] { return seen("patchTrouble"); }));
    EXPECT_THAT(text("patchTrouble"), HasSubstr("none.hwvol"));
    EXPECT_FALSE(panel.showsInstead());
}

TEST_F(PatchPageTest, CoverageIsCountedOnceForEachSetting) {
    edit([](stack::Experiment& e) { e.step.seed = 5; });
    page->setMode(PatchMode::Coverage);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_EQ(sampler.counted, 1);
    EXPECT_EQ(sampler.sampler.extent, (volume::Index3{8, 8, 8}));
    EXPECT_EQ(sampler.sampler.seed, 5U);
    EXPECT_FALSE(sampler.sampler.foreground);
    EXPECT_FALSE(panel.showsInstead());
    ASSERT_FALSE(scene->overlay().empty());
    EXPECT_EQ(scene->overlay().at(1, 1, 1), 1) << "the most is 1";
    EXPECT_THAT(text("coverageText"), HasSubstr("mean 2.00 k samples per voxel, at least 0"));
    EXPECT_THAT(text("coverageSamples"), HasSubstr("2,000 samples"));
    auto* steps = bar->findChild<QComboBox*>("coverageSteps");
    emit steps->activated(0);
    ASSERT_TRUE(waitUntil([&] { return sampler.counted == 2 && !page->busy(); }));
    EXPECT_THAT(text("coverageText"), HasSubstr("mean 200 samples"));
    emit steps->activated(1);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_THAT(text("coverageText"), HasSubstr("2.00 k"));
    EXPECT_EQ(sampler.counted, 2) << "it is remembered";
    edit([](stack::Experiment& e) { e.optimizer.lr = 0.25; });
    EXPECT_FALSE(page->busy());
    edit([](stack::Experiment& e) { std::get<stack::ScanInput>(e.input).patch = {4, 6, 8}; });
    ASSERT_TRUE(waitUntil([&] { return sampler.counted == 3 && !page->busy(); }));
    EXPECT_EQ(sampler.sampler.extent, (volume::Index3{8, 6, 4})) << "i, j, k of D, H, W";
    page->setMode(PatchMode::Scan);
    EXPECT_TRUE(scene->overlay().empty());
    EXPECT_EQ(engine.asked, 0);
}

TEST_F(PatchPageTest, ForegroundIsFoundAsTheEngineFindsIt) {
    edit([](stack::Experiment& e) {
        std::get<stack::ScanInput>(e.input).sampling = stack::ScanInput::Sampling::Foreground;
    });
    auto request = coverageRequest(document.experiment(), {volumes}, 100);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->samples, 200);
    EXPECT_TRUE(request->sampler.foreground);
    EXPECT_FALSE(request->guideIsLabels);
    page->setMode(PatchMode::Coverage);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_GT(sampler.sampler.threshold, 10) << "Otsu's of 0 to 69";
    EXPECT_LT(sampler.sampler.threshold, 60);

    volumes.push_back(volumeOf({24, 24, 24}, [](auto i, auto, auto) { return i > 20 ? 1 : 0; }));
    edit([](stack::Experiment& e) {
        e.target = {stack::Target::Kind::Labels, 0, "/labels.nii", 2};
        e.loss = stack::Loss::Dice;
    });
    request = coverageRequest(document.experiment(), {volumes}, 100);
    ASSERT_TRUE(request);
    EXPECT_TRUE(request->guideIsLabels);
    EXPECT_EQ(request->guide.data(), volumes.back().data());
    ASSERT_TRUE(waitUntil([&] { return sampler.counted == 2 && !page->busy(); }));
    EXPECT_EQ(sampler.sampler.threshold, 0.5);
    const auto of = coverageRequest(document.experiment(), {volumes, 3, 12}, 100);
    EXPECT_EQ(of->sampler.cases, 12);
    EXPECT_EQ(of->sampler.theCase, 3);
}

TEST_F(PatchPageTest, CoverageCanBeCancelledAndFailsWithALine) {
    sampler.hold = true;
    page->setMode(PatchMode::Coverage);
    QTest::qWait(30);
    ASSERT_TRUE(page->busy());
    for (auto* cancel : bar->findChildren<QToolButton*>("patchCancel")) {
        if (cancel->isVisible()) {
            cancel->click();
        }
    }
    EXPECT_FALSE(page->busy());
    EXPECT_EQ(page->problem(), "Cancelled.");
    EXPECT_TRUE(waitUntil([&] { return sampler.cancelled == 1; }));
    sampler.hold = false;
    sampler.refuses = "no memory is left";
    for (auto* retry : bar->findChildren<QToolButton*>("patchRetry")) {
        if (retry->isVisible()) {
            retry->click();
        }
    }
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_EQ(page->problem(), "no memory is left");
    EXPECT_TRUE(scene->overlay().empty());
}

TEST_F(PatchPageTest, AnotherVolumeInTheViewsKeepsTheCoverage) {
    page->setMode(PatchMode::Coverage);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    panel.setVolume(volumeOf({24, 24, 24}, [](auto i, auto, auto) { return -i; }));  // another channel
    EXPECT_TRUE(waitUntil([&] { return !scene->overlay().empty(); }));
    EXPECT_EQ(sampler.counted, 1);
}

/// A map and its request keep the voxels that it was computed on in memory: perhaps a gigabyte.
TEST_F(PatchPageTest, AScanThatIsNoLongerOnShowIsNotKeptForItsCoverage) {
    auto scan = std::make_shared<const volume::Volume>(volumes.front());
    const std::weak_ptr<const volume::Volume> there = scan;
    volumes = {volume::Volume(scan->header(), {scan, scan->data()})};
    scan.reset();
    panel.setVolume(volumes.front());
    page->setMode(PatchMode::Coverage);
    ASSERT_TRUE(waitUntil([&] { return sampler.counted == 1 && !page->busy(); }));
    panel.hide();  // nothing is computed for the next one yet
    volumes = {volumeOf({16, 16, 16}, [](auto i, auto, auto) { return i; })};
    EXPECT_FALSE(there.expired());
    panel.setVolume(volumes.front());
    EXPECT_TRUE(waitUntil([&] { return there.expired(); }));
    panel.show();
    EXPECT_TRUE(waitUntil([&] { return sampler.counted == 2 && !page->busy(); }));
}

TEST_F(PatchPageTest, KeepsNumbersButNotTheMode) {
    auto* steps = bar->findChild<QComboBox*>("coverageSteps");
    emit steps->activated(2);
    page->setMode(PatchMode::Coverage);
    page->keepState();
    page.reset();
    delete bar;
    make();
    page->restoreState();
    EXPECT_EQ(page->mode(), PatchMode::Scan);
    EXPECT_EQ(bar->findChild<QComboBox*>("coverageSteps")->currentData().toInt(), 10000);
    QSettings().setValue("patches/steps", 77);
    page->restoreState();
    EXPECT_EQ(bar->findChild<QComboBox*>("coverageSteps")->currentData().toInt(), 10000)
        << "77 is not a choice";
}

TEST_F(PatchPageTest, WhatACrashLeftIsRemoved) {
    const fs::path dead = folder / "highwater-patches-dead", other = folder / "somebody-elses";
    for (const fs::path& each : {dead, other}) {
        fs::create_directories(each / "0");
        ASSERT_TRUE(volume::writeVolumeFile(each / "0" / "a", volumes.front()));
    }
    std::ofstream(dead / "lock").put('x');
    PatchFolder living(folder);
    const auto mine = living.part();
    ASSERT_TRUE(mine);
    EXPECT_FALSE(fs::exists(dead));
    EXPECT_TRUE(fs::exists(other / "0" / "a"));
    removeAbandonedPatches(folder);
    EXPECT_TRUE(fs::exists(*mine)) << "the living keep theirs";
    fs::remove_all(other);
}

TEST_F(PatchPageTest, AFolderThatCannotBeMadeIsALine) {
    page = nullptr;
    delete bar;
    page = std::make_unique<PatchPage>(document, panel, parts(folder / "no" / "where"));
    page->setMode(PatchMode::Patches);
    ASSERT_TRUE(waitUntil([&] { return !page->busy(); }));
    EXPECT_THAT(page->problem().toStdString(), HasSubstr("no folder for patches"));
    EXPECT_EQ(engine.asked, 0);
}

}  // namespace
}  // namespace highwater::desktop
