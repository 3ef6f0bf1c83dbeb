#include "app/desktop/scan/scan_labels.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "app/desktop/scan/scan_page.h"
#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/scan/scan_files.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/scan_scene.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::highwater::test::niftiOf;
using ::highwater::test::waitUntil;
using ::highwater::test::write;

QString path(const fs::path& file) {
    return QString::fromStdString(file.string());
}

/// The window on a scan of 9 × 8 × 7 voxels, with label maps beside it: 3 everywhere, one of its size and one
/// of another.
class ScanLabelsTest : public highwater::test::WindowFixture {
protected:
    std::unique_ptr<MainWindow> window;
    ScanPage* page = nullptr;
    widgets::ScanScene* scene = nullptr;

    void SetUp() override {
        WindowFixture::SetUp();
        write(folder / "scan.nii", niftiOf({9, 8, 7}, 50));
        write(folder / "seg.nii", niftiOf({9, 8, 7}, 3));
        write(folder / "small.nii", niftiOf({4, 4, 4}, 2));
        write(folder / "dataset.json", R"({"labels": {"background": 0, "Liver": 3}})");
    }
    void TearDown() override {
        window.reset();
        WindowFixture::TearDown();
    }
    void start(bool target) {
        auto experiment = (*stack::loadPresets()).front().experiment;
        stack::ScanInput input;
        input.scans = {{(folder / "scan.nii").string(), {}, 0}};
        input.patch = {4, 4, 4};
        experiment.input = input;
        if (target) {
            experiment.target.kind = stack::Target::Kind::Labels;
            experiment.target.labels = (folder / "seg.nii").string();
        }
        options.experiment = saved(experiment);
        window = std::make_unique<MainWindow>(options, [] { return devices::GpusHere(); });
        window->open(options);
        page = window->findChild<ScanPage*>();
        scene = page->panel()->findChild<widgets::ScanScene*>();
        settle();
        ASSERT_EQ(window->loadProblem(), "");
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return !window->loading(); }));
    }
};

TEST_F(ScanLabelsTest, TheExperimentsLabelMapLiesOverItsScanWithItsNames) {
    start(true);
    ASSERT_EQ(scene->labels().labels.size(), 1U);
    const widgets::LabelStyle& liver = scene->labels().labels.front();
    EXPECT_EQ(liver.name, "Liver");
    EXPECT_EQ(liver.voxels, 9 * 8 * 7);
    EXPECT_EQ(scene->labels().source, "seg.nii · names of dataset.json");
    EXPECT_EQ(scene->labels().warning, "");
    EXPECT_TRUE(scene->channels().empty()) << "it is not a channel";

    write(folder / "lut.txt", "3 Left-Lobe 1 2 3 0\n");
    page->labels().takeNames(path(folder / "lut.txt"));
    settle();
    EXPECT_EQ(scene->labels().labels.front().name, "Left-Lobe");
    EXPECT_EQ(scene->labels().labels.front().color, QColor(1, 2, 3));
    write(folder / "bad.txt", "nonsense\n");
    page->labels().takeNames(path(folder / "bad.txt"));
    settle();
    EXPECT_EQ(scene->labels().labels.front().name, "Left-Lobe") << "the names before stay";
}

TEST_F(ScanLabelsTest, ATargetThatIsNoLabelMapIsSaidAndEndsNothing) {
    highwater::test::Nifti n;
    n.dim = {3, 9, 8, 7, 1, 1, 1, 1};
    n.slope = 0.5F;
    std::vector<std::int16_t> values(9 * 8 * 7, 2);
    values[100] = 3;
    write(folder / "seg.nii", niftiFile(n, values));
    start(true);  // window->loadProblem() is empty
    EXPECT_FALSE(scene->hasLabels());
}

TEST_F(ScanLabelsTest, AMapIsOpenedToLookAtAndTakenAway) {
    start(false);
    EXPECT_FALSE(scene->hasLabels());
    const stack::Experiment before = window->document().experiment();
    page->labels().open(path(folder / "small.nii"));
    settle();
    EXPECT_EQ(window->loadProblem(), "");
    ASSERT_TRUE(scene->showsLabels());
    EXPECT_EQ(scene->labels().labels.front().name, "label 2") << "dataset.json does not name it";
    EXPECT_TRUE(scene->labels().warning.contains("a different grid"))
        << scene->labels().warning.toStdString();
    EXPECT_EQ(window->document().experiment(), before);
    page->labels().remove();
    EXPECT_FALSE(scene->hasLabels());

    page->labels().open(path(folder / "seg.nii"));
    settle();
    EXPECT_TRUE(scene->hasLabels());
    write(folder / "other.nii", niftiOf({5, 5, 5}, 9));
    page->openScans({{(folder / "other.nii").string(), {}, 0}});
    settle();
    EXPECT_FALSE(scene->hasLabels()) << "it was opened over another scan";
}

TEST_F(ScanLabelsTest, WhatIsNoLabelMapIsRefusedInOneLine) {
    start(false);
    std::vector<std::int16_t> values;
    for (int n = 0; n < 1500; ++n) {
        values.push_back(static_cast<std::int16_t>(n));
    }
    highwater::test::Nifti n;
    n.dim = {3, 15, 10, 10, 1, 1, 1, 1};
    write(folder / "gray.nii", niftiFile(n, values));
    page->labels().open(path(folder / "gray.nii"));
    settle();
    EXPECT_THAT(window->loadProblem().toStdString(),
                ::testing::StartsWith("gray.nii is not a label map: it has more"));
    EXPECT_FALSE(scene->hasLabels());
    page->labels().open(path(folder / "none.nii"));
    settle();
    EXPECT_THAT(window->loadProblem().toStdString(), ::testing::HasSubstr("none.nii"));
}

}  // namespace
}  // namespace highwater::desktop
