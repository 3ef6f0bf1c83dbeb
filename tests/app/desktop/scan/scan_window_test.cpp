#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <cmath>
#include <filesystem>

#include "app/desktop/scan/cases/series_list.h"
#include "app/desktop/scan/cases/volume_bar.h"
#include "app/desktop/scan/cases/warning_line.h"
#include "app/desktop/scan/header_window.h"
#include "app/desktop/scan/recent_scans.h"
#include "app/desktop/scan/scan_bars.h"
#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/scan/series_dialog.h"
#include "app/desktop/scan/value_misfit.h"
#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/scan/scan_files.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/scan/panel/scan_panel.h"
#include "widgets/scan/scan_scene.h"
#include "widgets/scan/slice/slice_view.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::highwater::test::niftiOf;
using ::highwater::test::waitUntil;
using ::highwater::test::write;
using ::highwater::test::writeSeries;
using ::testing::HasSubstr;
using ::testing::Not;

QString text(const fs::path& path) {
    return QString::fromStdString(path.string());
}

/// The window on an experiment with a scan, and folders of scans beside it.
class ScanWindowTest : public highwater::test::WindowFixture {
protected:
    std::unique_ptr<MainWindow> window;
    ScanPage* page = nullptr;

    void SetUp() override {
        WindowFixture::SetUp();
        write(folder / "first.nii", niftiOf({9, 8, 7}, 5));
        auto experiment = (*stack::loadPresets()).front().experiment;
        stack::ScanInput input;
        input.scans = {{(folder / "first.nii").string(), {}, 0}};
        input.patch = {4, 4, 4};
        experiment.input = input;
        options.experiment = saved(experiment);
        window = std::make_unique<MainWindow>(options, [] { return devices::GpusHere(); });
        window->open(options);
        page = window->findChild<ScanPage*>();
        ASSERT_NE(page, nullptr);
        settle();
        ASSERT_EQ(window->loadProblem(), "");
    }
    void TearDown() override {
        window.reset();  // it writes into the folder
        WindowFixture::TearDown();
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return !window->loading(); }));
    }
    void drop(const QStringList& paths) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths) {
            urls << QUrl::fromLocalFile(path);
        }
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window.get(), &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent event(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, {});
        QCoreApplication::sendEvent(window.get(), &event);
        EXPECT_TRUE(event.isAccepted());
        settle();
    }
    const stack::ScanInput& input() const {
        return std::get<stack::ScanInput>(window->document().experiment().input);
    }
    SeriesDialog* dialog() const { return window->opener().dialog(); }
    void press(QWidget* in, const char* name) const {
        auto* button = in->findChild<QAbstractButton*>(name);
        ASSERT_NE(button, nullptr) << name;
        ASSERT_TRUE(button->isEnabled()) << name;
        button->click();
    }
    double shownValue() const { return page->panel()->volume().at(0, 0, 0); }
};

TEST_F(ScanWindowTest, ThePhantomNeedsNoFile) {
    window->opener().open("phantom:head");
    settle();
    EXPECT_EQ(window->loadProblem(), "");
    EXPECT_EQ(input().scans, (std::vector<stack::ScanSource>{{"phantom:head", {}, 0}}));
    EXPECT_EQ(page->panel()->volume().geometry().size, (std::array<std::int64_t, 3>{192, 192, 160}));
    EXPECT_FALSE(recentScans().contains("phantom:head"));
    window->openExperiment(text(fs::path(HIGHWATER_SOURCE_DIR) / "resources/samples/sample.json"));
    settle();
    EXPECT_EQ(window->loadProblem(), "");
    EXPECT_EQ(input().scans, (std::vector<stack::ScanSource>{{"phantom:head", {}, 0}}));
    EXPECT_FALSE(fs::exists(options.store / "samples"));
}

TEST_F(ScanWindowTest, AFolderWithOneSeriesOpensAtOnce) {
    const fs::path series = folder / "Ünïcode \"sériés\" 头";
    writeSeries(series, "1.2.3", 3, "T1 sag", 42);
    drop({text(series)});
    EXPECT_EQ(dialog(), nullptr);
    ASSERT_EQ(window->loadProblem(), "");
    EXPECT_EQ(input().scans, (std::vector<stack::ScanSource>{{series.string(), {}, 0}}));
    EXPECT_EQ(page->panel()->volume().geometry().size, (std::array<std::int64_t, 3>{8, 6, 6}));
    EXPECT_EQ(shownValue(), 42);
    EXPECT_EQ(recentScans().value(0), text(series));
    window->document().undoStack().undo();
    settle();
    EXPECT_EQ(shownValue(), 5);
}

TEST_F(ScanWindowTest, TwoSeriesInOneFolderAreAChoice) {
    const fs::path mixed = folder / "mixed";
    writeSeries(mixed, "1.2.3", 3, "T1 sag", 42);
    writeSeries(mixed, "1.2.4", 4, "T2 ax", 77, 9);
    write(mixed / "broken.dcm", std::string(128, '\0') + "DICM and then nothing that makes sense");
    write(mixed / "notes.txt", "no scan");
    drop({text(mixed)});
    ASSERT_NE(dialog(), nullptr);
    EXPECT_EQ(shownValue(), 5) << "nothing is opened yet";
    const auto& rows = dialog()->list().rows();
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].description, "T1 sag");
    EXPECT_EQ(rows[1].description, "T2 ax");
    EXPECT_EQ(rows[1].size, (std::array<qint64, 3>{8, 6, 9}));
    EXPECT_EQ(rows[1].files, 9);
    EXPECT_EQ(rows[2].description, "broken.dcm");
    EXPECT_NE(rows[2].problem, "");
    EXPECT_THAT(dialog()->findChild<QLabel*>("Note")->text().toStdString(), HasSubstr("1 other file"));

    ASSERT_TRUE(waitUntil([&] { return !dialog()->list().rows()[1].picture.isNull(); })) << "pictures follow";
    const QString second = rows[1].id;
    dialog()->list().select({second});
    QTest::keyClick(&dialog()->list().view(), Qt::Key_Return);
    settle();
    ASSERT_EQ(window->loadProblem(), "");
    EXPECT_EQ(input().scans, (std::vector<stack::ScanSource>{{mixed.string(), second.toStdString(), 0}}));
    EXPECT_EQ(shownValue(), 77);
}

TEST_F(ScanWindowTest, AGapIsOnScreen) {
    const fs::path gap = folder / "gap";
    writeSeries(gap, "1.2.3", 3, "CT", 42, 8, 4);
    drop({text(gap)});
    ASSERT_EQ(window->loadProblem(), "");
    const auto& line = page->bars().warnings();
    ASSERT_FALSE(line.isHidden());
    const std::string all = line.warnings().join('\n').toStdString();
    EXPECT_THAT(all, HasSubstr("s3_004.dcm"));
    EXPECT_THAT(all, HasSubstr("s3_006.dcm"));
    drop({text(folder / "first.nii")});
    EXPECT_TRUE(line.isHidden()) << "the next scan has no gap";
}

TEST_F(ScanWindowTest, AVolumeOfA4dFileIsChosenAndUndone) {
    write(folder / "bold.nii", niftiOf({6, 5, 4}, 10, 5));
    drop({text(folder / "bold.nii")});
    auto& bar = page->bars().volumes();
    ASSERT_FALSE(bar.isHidden());
    EXPECT_EQ(bar.count(), 5);
    EXPECT_EQ(shownValue(), 10);
    bar.findChild<QSpinBox*>()->setValue(4);
    settle();
    EXPECT_EQ(input().scans.front().volume, 3);
    EXPECT_EQ(shownValue(), 13);
    window->document().undoStack().undo();
    settle();
    EXPECT_EQ(input().scans.front().volume, 0);
    EXPECT_EQ(shownValue(), 10);
    EXPECT_EQ(bar.current(), 0);
}

TEST_F(ScanWindowTest, AllVolumesOfA4dFileAreChannels) {
    write(folder / "bold.nii", niftiOf({6, 5, 4}, 10, 3));
    drop({text(folder / "bold.nii")});
    press(&page->bars(), "Volumes as channels");
    settle();
    ASSERT_EQ(input().scans.size(), 3u);
    EXPECT_EQ(page->volumesForRun().size(), 3u);
    EXPECT_EQ(page->volumesForRun()[2].at(1, 1, 1), 12);
    auto* channel = page->bars().findChild<QComboBox*>("Channel");
    ASSERT_EQ(channel->count(), 3);
    channel->setCurrentIndex(2);
    EXPECT_EQ(shownValue(), 12);
    press(&page->bars(), "Volumes as channels");
    settle();
    EXPECT_EQ(input().scans, (std::vector<stack::ScanSource>{{(folder / "bold.nii").string(), {}, 2}}));
    EXPECT_EQ(shownValue(), 12);
}

TEST_F(ScanWindowTest, FilesThatAreDroppedTogetherCanBeChannels) {
    write(folder / "t1 ü.nii", niftiOf({6, 5, 4}, 1));
    write(folder / "t2.nii", niftiOf({6, 5, 4}, 2));
    drop({text(folder / "t2.nii"), text(folder / "t1 ü.nii")});
    ASSERT_NE(dialog(), nullptr);
    auto* channels = dialog()->findChild<QPushButton*>("As channels");
    ASSERT_TRUE(waitUntil([&] { return channels->isEnabled(); })) << "once their sizes are known";
    channels->click();
    settle();
    EXPECT_EQ(input().scans, (std::vector<stack::ScanSource>{{(folder / "t1 ü.nii").string(), {}, 0},
                                                             {(folder / "t2.nii").string(), {}, 0}}));
    auto* channel = page->bars().findChild<QComboBox*>("Channel");
    ASSERT_EQ(channel->count(), 2);
    EXPECT_EQ(channel->itemText(0), "1: t1 ü.nii");
    EXPECT_EQ(shownValue(), 1);
    channel->setCurrentIndex(1);
    EXPECT_EQ(shownValue(), 2);
    EXPECT_EQ(page->volumesForRun().size(), 2u) << "a run gets both, whichever is on show";
}

TEST_F(ScanWindowTest, FilesOnDifferentGridsAreNoChannels) {
    write(folder / "a.nii", niftiOf({6, 5, 4}, 1));
    write(folder / "b.nii", niftiOf({6, 5, 9}, 2));
    drop({text(folder / "a.nii"), text(folder / "b.nii")});
    ASSERT_NE(dialog(), nullptr);
    auto* channels = dialog()->findChild<QPushButton*>("As channels");
    ASSERT_TRUE(waitUntil(
        [&] { return channels->toolTip().contains("one grid") && channels->toolTip().contains("9"); }));
    EXPECT_FALSE(channels->isEnabled());
    dialog()->list().select({text(folder / "b.nii")});
    press(dialog(), "Open");
    settle();
    EXPECT_EQ(shownValue(), 2);
}

TEST_F(ScanWindowTest, AFolderWithoutScansIsALineAndTheScanBeforeStays) {
    fs::create_directories(folder / "empty");
    write(folder / "empty" / "notes.txt", "no scan");
    const auto before = input();
    drop({text(folder / "empty")});
    EXPECT_NE(window->loadProblem(), "");
    EXPECT_EQ(input(), before);
    EXPECT_FALSE(window->document().undoStack().canUndo());
    EXPECT_TRUE(page->ready()) << "a run still has its scan";
    for (auto* button : page->panel()->findChildren<QPushButton*>()) {
        if (button->text() == "Back to the scan") {
            button->click();
        }
    }
    EXPECT_EQ(window->loadProblem(), "");
    EXPECT_EQ(shownValue(), 5);
}

TEST_F(ScanWindowTest, FoldersAndFilesTogetherAreRefused) {
    fs::create_directories(folder / "some");
    drop({text(folder / "some"), text(folder / "first.nii")});
    EXPECT_THAT(window->loadProblem().toStdString(), HasSubstr("drop one folder"));
}

TEST_F(ScanWindowTest, ADicomSliceOffersItsFolder) {
    const fs::path series = folder / "series";
    writeSeries(series, "1.2.3", 3, "T1", 42);
    drop({text(series / "s3_002.dcm")});
    ASSERT_EQ(window->loadProblem(), "");
    EXPECT_EQ(page->panel()->volume().geometry().size[2], 1);
    EXPECT_THAT(window->notices().text().toStdString(), HasSubstr("one slice"));
    for (auto* button : window->notices().findChildren<QPushButton*>()) {
        button->click();
    }
    settle();
    EXPECT_EQ(page->panel()->volume().geometry().size[2], 6);
}

TEST_F(ScanWindowTest, AScanBeyondTheExperimentsWindowIsSaidAndMended) {
    window->document().edit("window", [](stack::Experiment& e) {
        auto& input = std::get<stack::ScanInput>(e.input);
        input.normalize = {stack::Normalize::Kind::Window, -1000, 1500};
    });
    writeSeries(folder / "bright", "1.2.3", 3, "T1", 9000);
    drop({text(folder / "bright")});
    ASSERT_EQ(window->loadProblem(), "");
    const auto warnings = [this] { return page->bars().warnings().warnings().join('|').toStdString(); };
    EXPECT_THAT(window->notices().text().toStdString(), HasSubstr("maps values of −1000 to 1500 to 0 to 1"));
    EXPECT_THAT(window->notices().text().toStdString(), HasSubstr("clamped to 1"));
    EXPECT_THAT(warnings(), HasSubstr("clamped to 1"));
    for (auto* button : window->notices().findChildren<QPushButton*>()) {
        if (button->text() == "Use z-score") {
            button->click();
        }
    }
    settle();
    EXPECT_EQ(input().normalize.kind, stack::Normalize::Kind::Zscore);
    EXPECT_THAT(warnings(), Not(HasSubstr("clamped")));
    window->document().undoStack().undo();
    EXPECT_THAT(warnings(), HasSubstr("clamped to 1"));
}

TEST(ValueMisfit, IsWhatIsClampedOrAllTheSame) {
    volume::Header scan;
    const stack::Normalize ct{stack::Normalize::Kind::Window, -1000, 1500};
    scan.min = -1024, scan.max = 3071, scan.mean = -300;
    EXPECT_EQ(valueMisfit(scan, ct), "");
    scan.min = scan.mean = -2000, scan.max = 500;
    EXPECT_THAT(valueMisfit(scan, ct).toStdString(),
                HasSubstr("mean value is −2000: most of what the network gets is clamped to 0"));
    scan.min = 0, scan.max = 1, scan.mean = 0.3;
    EXPECT_THAT(valueMisfit(scan, ct).toStdString(),
                HasSubstr("values are 0 to 1: the network gets nearly the same value everywhere"));
    scan.min = 0, scan.max = 1018, scan.mean = 60;
    EXPECT_THAT(
        valueMisfit(scan, ct).toStdString(),
        HasSubstr("as for a CT, but the scan's values are 0 to 1018: the network gets only 0.4 to 0.81"))
        << "an MRI opened over a CT";
    EXPECT_EQ(valueMisfit(scan, {stack::Normalize::Kind::Window, 0, 500}), "");
    EXPECT_EQ(valueMisfit(scan, {}), "") << "z-score";
    scan.min = scan.max = scan.mean = std::nan("");
    EXPECT_EQ(valueMisfit(scan, ct), "");
}

TEST_F(ScanWindowTest, AScriptOpensAFolderWithoutBeingAsked) {
    writeSeries(folder / "one", "1.2.3", 3, "T1", 42);
    writeSeries(folder / "two", "1.2.3", 3, "T1", 42);
    writeSeries(folder / "two", "1.2.4", 4, "T2", 42);
    Options driven = options;
    driven.quit = true;
    driven.scan = text(folder / "one");
    MainWindow first(driven, [] { return devices::GpusHere(); });
    first.open(driven);
    ASSERT_TRUE(waitUntil([&] { return !first.loading(); }));
    EXPECT_EQ(first.loadProblem(), "");
    driven.scan = text(folder / "two");
    MainWindow second(driven, [] { return devices::GpusHere(); });
    second.open(driven);
    ASSERT_TRUE(waitUntil([&] { return !second.loading(); }));
    EXPECT_EQ(second.opener().dialog(), nullptr) << "nobody is there to answer";
    EXPECT_THAT(second.loadProblem().toStdString(), HasSubstr("T2")) << "the error lists what there is";
}

TEST_F(ScanWindowTest, TheDicomHeaderIsThatOfTheSliceAtTheCrosshair) {
    page->showHeader(window.get());
    auto* const header = window->findChild<HeaderWindow*>();
    ASSERT_NE(header, nullptr);
    EXPECT_EQ(header->message().toStdString(),
              "The open scan is NIfTI-1; only DICOM files have such a header.");
    writeSeries(folder / "dicom", "1.2.3", 3, "T1 sag", 42);
    window->opener().open(text(folder / "dicom"));
    settle();
    const auto read = [&](std::int64_t slice) {
        auto* const scene = page->panel()->findChild<widgets::ScanScene*>();
        scene->setCursor({2, 2, slice});
        header->read();
        ASSERT_TRUE(waitUntil([&] { return !header->busy(); }));
    };
    read(4);
    EXPECT_EQ(header->message(), "s3_005.dcm");
    ASSERT_GT(header->table().model()->rowCount(), 20);
    header->filter().setText("series desc");
    ASSERT_EQ(header->table().model()->rowCount(), 1);
    EXPECT_EQ(header->table().model()->index(0, 0).data().toString(), "(0008,103E)");
    EXPECT_EQ(header->table().model()->index(0, 3).data().toString(), "T1 sag");
    EXPECT_TRUE(header->message().startsWith("s3_005.dcm · 1 of ")) << header->message().toStdString();
    header->table().selectAll();
    for (QAction* action : header->table().actions()) {
        if (action->shortcut() == QKeySequence::Copy) {
            action->trigger();
        }
    }
    EXPECT_EQ(QGuiApplication::clipboard()->text().section('\n', 1),
              "(0008,103E)\tSeries Description\tLO\tT1 sag\n")
        << "below the headings";
    read(0);
    EXPECT_TRUE(header->message().startsWith("s3_001.dcm")) << header->message().toStdString();
}

TEST_F(ScanWindowTest, AScanSmallerThanThePatchSaysSo) {
    const auto warnings = [this] { return page->bars().warnings().warnings().join('|').toStdString(); };
    const auto notes = [this] {
        return window->findChild<widgets::SliceView*>("axialView")->notes().join('|').toStdString();
    };
    EXPECT_THAT(warnings(), Not(HasSubstr("larger")));
    EXPECT_THAT(notes(), Not(HasSubstr("patch")));
    window->document().edit("patch", [](stack::Experiment& e) {
        std::get<stack::ScanInput>(e.input).patch = {4, 8, 12};  // D, H, W over 9 × 8 × 7 voxels
    });
    EXPECT_THAT(warnings(), HasSubstr("The patch of 12 × 8 × 4 is larger than the scan of 9 × 8 × 7 voxels"));
    EXPECT_THAT(notes(), HasSubstr("patch"));
    window->document().undoStack().undo();
    EXPECT_THAT(warnings(), Not(HasSubstr("larger")));
}

TEST_F(ScanWindowTest, RecentScansAreKeptWithoutThoseThatAreGone) {
    write(folder / "a.nii", niftiOf({6, 5, 4}, 1));
    write(folder / "b.nii", niftiOf({6, 5, 4}, 2));
    drop({text(folder / "a.nii")});
    drop({text(folder / "b.nii")});
    drop({text(folder / "a.nii")});
    EXPECT_EQ(recentScans().mid(0, 2), (QStringList{text(folder / "a.nii"), text(folder / "b.nii")}));
    fs::remove(folder / "b.nii");
    EXPECT_FALSE(recentScans().contains(text(folder / "b.nii")));
}

}  // namespace
}  // namespace highwater::desktop
