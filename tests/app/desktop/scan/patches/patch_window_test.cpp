#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/scan/patches/patch_bar.h"
#include "app/desktop/scan/patches/patch_page.h"
#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// The window with the real engine and the head phantom.
class PatchWindowTest : public ::highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        auto e = (*stack::loadPresets()).front().experiment;
        stack::ScanInput input;
        input.scans = {{"phantom:head", {}, 0}};
        input.patch = {32, 24, 16};
        e.input = input;
        e.step.batchSize = 1;
        e.data.augment = {{stack::Augmentation::Kind::Flip, 1, 0}, {stack::Augmentation::Kind::Gamma, 1, 0}};
        options.experiment = saved(e);
        options.quit = true;
        window = std::make_unique<MainWindow>(options);
        window->show();
        window->open(options);
        panel = window->findChild<widgets::ScanPanel*>();
        scene = panel->findChild<widgets::ScanScene*>();
        bar = panel->findChild<PatchBar*>();
    }
    void TearDown() override {
        window.reset();
        WindowFixture::TearDown();
    }
    bool loaded(int ms = 120000) const {
        return highwater::test::waitUntil([&] { return !window->loading(); }, ms);
    }
    std::vector<float> onShow() const {
        const volume::Volume& v = scene->volume();
        std::vector<float> values(static_cast<std::size_t>(v.geometry().voxels()));
        volume::extractPatch(v, {0, 0, 0}, v.geometry().size, 0, values.data());
        return values;
    }
    std::string text(const char* name) const {
        if (const auto* label = bar->findChild<QLabel*>(name)) {
            return label->text().toStdString();
        }
        return bar->findChild<widgets::ElidedLabel*>(name)->text().toStdString();
    }

    std::unique_ptr<MainWindow> window;
    widgets::ScanPanel* panel = nullptr;
    widgets::ScanScene* scene = nullptr;
    PatchBar* bar = nullptr;
};

TEST_F(PatchWindowTest, WhatIsShownIsWhatTheRunGets) {
    window->patches().showPatch(1);
    ASSERT_TRUE(loaded());
    ASSERT_EQ(window->loadProblem(), "");
    ASSERT_TRUE(panel->showsInstead());
    EXPECT_EQ(scene->geometry().size, (volume::Index3{16, 24, 32})) << "i, j, k of D, H, W";
    EXPECT_THAT(text("patchDone"), HasSubstr("flipped along"));
    EXPECT_THAT(text("patchDone"), HasSubstr("gamma"));
    const std::vector<float> foretold = onShow();
    const std::string place = text("patchPlace");

    auto* controls = window->findChild<ControlBar*>();
    RunOptions run = controls->runOptions();
    run.steps = 1;
    run.warmup = 0;
    controls->setRunOptions(run);
    ASSERT_EQ(window->startRun(), "");
    bar->findChild<QToolButton*>("patchLive")->click();
    ASSERT_TRUE(highwater::test::waitUntil([&] { return !window->running(); }, 120000));
    ASSERT_EQ(window->lastRun()->status, wire::RunStatus::Done) << window->lastRun()->message;
    ASSERT_TRUE(highwater::test::waitUntil(
        [&] { return text("patchOrigin").find("sample 1") != std::string::npos; }));
    EXPECT_THAT(text("patchOrigin"), HasSubstr("the run has ended"));
    EXPECT_EQ(text("patchPlace"), place);
    EXPECT_EQ(onShow(), foretold) << "bit for bit";
}

TEST_F(PatchWindowTest, CoverageHoldsWhereThePatchesLie) {
    window->patches().setMode(PatchMode::Coverage);
    ASSERT_TRUE(loaded());
    ASSERT_EQ(window->loadProblem(), "");
    ASSERT_FALSE(scene->overlay().empty());
    EXPECT_THAT(text("coverageText"), HasSubstr("never seen"));
    const volume::Volume heat = scene->overlay();
    window->patches().showPatch(3);
    ASSERT_TRUE(loaded());
    bar->findChild<QToolButton*>("patchInScan")->click();
    ASSERT_TRUE(panel->patch());
    std::array<double, 3> center{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        center[axis] = static_cast<double>(panel->patch()->start[axis]) +
                       static_cast<double>(panel->patch()->extent[axis] - 1) / 2;
    }
    const auto at = heat.geometry().toIndex(panel->volume().geometry().toMillimeters(center));
    EXPECT_GT(heat.at(std::llround(at[0]), std::llround(at[1]), std::llround(at[2])), 0);
    const auto& input = std::get<stack::ScanInput>(window->document().experiment().input);
    EXPECT_EQ(input.patch, (stack::Sizes{32, 24, 16})) << "the experiment is as it was";
}

}  // namespace
}  // namespace highwater::desktop
