#include "app/desktop/scan/cases/cohort_window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <filesystem>

#include "app/desktop/scan/cases/case_stepper.h"
#include "app/desktop/scan/cases/cohort_reader.h"
#include "app/desktop/scan/cases/cohort_table.h"
#include "app/desktop/scan/cases/proposal_box.h"
#include "app/desktop/scan/scan_bars.h"
#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/scan/scan_page.h"
#include "app/desktop/scan/scan_sources.h"
#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/scan/scan_files.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/scan/panel/scan_panel.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using ::highwater::test::niftiOf;
using ::highwater::test::waitUntil;
using ::highwater::test::write;
using ::highwater::test::writeCohort;
using ::testing::HasSubstr;

class CohortWindowTest : public highwater::test::WindowFixture {
protected:
    std::unique_ptr<MainWindow> window;
    ScanPage* page = nullptr;
    fs::path cohort;

    void SetUp() override {
        WindowFixture::SetUp();
        cohort = folder / "Kohorte \"ä\" 1";
        writeCohort(cohort, 3);
        openSmallPreset();
        auto experiment = *stack::loadExperiment(options.experiment.toStdString());
        experiment.loss = stack::Loss::Mean;  // takes any number of channels
        options.experiment = saved(experiment);
        window = std::make_unique<MainWindow>(options, [] { return devices::GpusHere(); });
        window->open(options);
        page = window->findChild<ScanPage*>();
    }
    void TearDown() override {
        window.reset();  // it writes into the folder
        WindowFixture::TearDown();
    }
    void openCohort() {
        window->opener().open(QString::fromStdString(cohort.string()));
        settle();
        ASSERT_NE(window->cohort(), nullptr) << window->loadProblem().toStdString();
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return !window->loading(); }));
    }
    CohortTable& table() const { return *window->cohort()->findChild<CohortTable*>(); }
    void press(const char* name) const {
        auto* button = window->cohort()->findChild<QPushButton*>(name);
        ASSERT_NE(button, nullptr) << name;
        ASSERT_TRUE(button->isEnabled()) << name;
        button->click();
    }
    double shownValue() const { return page->panel()->volume().at(0, 0, 0); }
    const stack::Experiment& experiment() const { return window->document().experiment(); }
};

TEST_F(CohortWindowTest, ShowsEveryCaseAndTheMedians) {
    write(cohort / "imagesTr" / "case_2_0001.nii", niftiOf({12, 10, 10}, 7).substr(0, 900));
    openCohort();
    const auto& rows = table().rows();
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].name, "case_1");
    EXPECT_TRUE(rows[0].read);
    EXPECT_EQ(rows[0].size, (std::array<qint64, 3>{12, 10, 8}));
    EXPECT_EQ(rows[0].low, 100);
    EXPECT_EQ(rows[0].high, 101);
    EXPECT_EQ(rows[0].channels, 2);
    EXPECT_EQ(rows[0].labels, "case_1.nii");
    EXPECT_THAT(rows[1].problem.toStdString(), HasSubstr("truncated"));
    EXPECT_EQ(rows[2].problem, "");
    EXPECT_EQ(table().note(),
              "Median of 2 cases as stored: 12 × 10 × 10 voxels, 1 × 1 × 2 mm; values 100 to 301. 1 cannot "
              "be used; " +
                  rows[1].problem + '.');
}

TEST_F(CohortWindowTest, ACohortOfWhichNothingCanBeUsedSaysWhyAndIsNotTaken) {
    for (const auto& file : fs::directory_iterator(cohort / "imagesTr")) {
        write(file, niftiOf({12, 10, 10}, 7).substr(0, 900));
    }
    openCohort();
    ASSERT_EQ(table().rows().size(), 3u);
    EXPECT_EQ(table().note(), "3 cannot be used; " + table().rows()[0].problem + '.');
    EXPECT_EQ(table().view().model()->index(0, 0).data(Qt::ToolTipRole).toString(),
              table().rows()[0].problem);
    const auto* use = window->cohort()->findChild<QPushButton*>("Use this cohort");
    EXPECT_FALSE(use->isEnabled());
    EXPECT_EQ(use->toolTip(), "None of its cases can be used");
}

TEST_F(CohortWindowTest, AChosenRowIsLookedAtWithoutTouchingTheExperiment) {
    openCohort();
    const auto before = experiment();
    table().view().setCurrentIndex(table().view().model()->index(2, 0));
    settle();
    EXPECT_TRUE(page->previews());
    EXPECT_EQ(shownValue(), 300);
    EXPECT_EQ(experiment(), before);
    EXPECT_TRUE(page->volumesForRun().empty()) << "a run still gets what the experiment says";
    auto* channel = page->bars().findChild<QComboBox*>("Channel");
    ASSERT_EQ(channel->count(), 3);
    channel->setCurrentIndex(2);
    EXPECT_EQ(shownValue(), 0) << "its labels";
    window->cohort()->close();
    EXPECT_FALSE(page->previews());
    EXPECT_TRUE(page->panel()->volume().empty());
}

TEST_F(CohortWindowTest, BecomesTheInputAndCanBeUndone) {
    openCohort();
    const auto before = experiment();
    press("Use this cohort");
    settle();
    const auto& input = std::get<stack::ScanInput>(experiment().input);
    EXPECT_EQ(input.cohort, cohort.string());
    EXPECT_EQ(input.channels, 2);
    EXPECT_EQ(input.patch, (stack::Sizes{24, 24, 24})) << "the synthetic input's sizes stay";
    EXPECT_EQ(experiment().target, before.target);
    EXPECT_EQ(shownValue(), 100) << "its first case";
    EXPECT_FALSE(window->cohort()->findChild<QPushButton*>("Use this cohort")->isEnabled());
    page->bars().cases().findChild<QToolButton*>("Next case")->click();
    settle();
    EXPECT_EQ(shownValue(), 200);
    window->document().undoStack().undo();
    settle();
    EXPECT_EQ(experiment(), before);
    EXPECT_TRUE(page->panel()->volume().empty());
}

TEST_F(CohortWindowTest, ARunGetsEveryCaseInOrder) {
    openCohort();
    press("Use this cohort");
    settle();
    EXPECT_FALSE(page->ready()) << "the other cases are not read before they are needed";
    page->prepareRun();
    EXPECT_THAT(page->loadingText().toStdString(), HasSubstr("cohort"));
    settle();
    ASSERT_EQ(page->problem(), "");
    ASSERT_TRUE(page->ready());
    auto volumes = page->volumesForRun();
    ASSERT_EQ(volumes.size(), 6u);
    const std::vector<double> expected{100, 101, 200, 201, 300, 301};
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        EXPECT_EQ(volumes[i].at(0, 0, 0), expected[i]);
    }

    window->document().edit("labels",
                            [](stack::Experiment& e) { e.target.kind = stack::Target::Kind::Labels; });
    settle();
    EXPECT_FALSE(page->ready()) << "now the label maps are needed too";
    page->prepareRun();
    settle();
    volumes = page->volumesForRun();
    ASSERT_EQ(volumes.size(), 9u);
    EXPECT_EQ(volumes[2].at(0, 0, 0), 0);
    EXPECT_EQ(volumes[5].at(0, 0, 0), 1) << "the labels of the second case, behind its channels";
    EXPECT_EQ(volumes[6].at(0, 0, 0), 300);
}

TEST_F(CohortWindowTest, ARunWaitsAndStopDropsTheReading) {
    openCohort();
    press("Use this cohort");
    settle();
    if (const auto& info = window->document().info(); !info) {
        FAIL() << info.error().message;
    }
    EXPECT_EQ(window->startRun(), "");
    EXPECT_TRUE(window->running());
    window->stopRun();
    EXPECT_FALSE(window->running());
    settle();
    EXPECT_FALSE(page->ready());
}

TEST_F(CohortWindowTest, ACaseWithoutLabelsStopsARunWithItsName) {
    fs::remove(cohort / "labelsTr" / "case_2.nii");
    openCohort();
    press("Use this cohort");
    window->document().edit("labels",
                            [](stack::Experiment& e) { e.target.kind = stack::Target::Kind::Labels; });
    settle();
    page->prepareRun();
    settle();
    EXPECT_FALSE(page->ready());
    EXPECT_THAT(page->problem().toStdString(), HasSubstr("case_2 has no label map"));
    EXPECT_EQ(shownValue(), 100) << "the case on show stays";
}

TEST_F(CohortWindowTest, ProposesPatchAndBatchAndAppliesThemInOneStep) {
    openCohort();
    const auto before = experiment();
    auto* box = window->cohort()->findChild<ProposalBox*>();
    press("Propose");
    settle();
    EXPECT_THAT(box->text().toStdString(), HasSubstr("predicted peak"));
    press("Apply proposal");
    settle();
    const auto& input = std::get<stack::ScanInput>(experiment().input);
    EXPECT_EQ(input.cohort, cohort.string());
    ASSERT_EQ(input.patch.size(), 3u);
    for (const std::int64_t side : input.patch) {
        EXPECT_GT(side, 0);
    }
    EXPECT_GE(experiment().step.batchSize, 1);
    window->document().undoStack().undo();
    EXPECT_EQ(experiment(), before);
}

TEST_F(CohortWindowTest, CancelKeepsWhatWasReadAndSaysSo) {
    writeCohort(cohort, 40);
    window->opener().open(QString::fromStdString(cohort.string()));
    ASSERT_TRUE(waitUntil([&] { return window->cohort() && table().rows().size() == 40; }));
    window->cohort()->findChild<QPushButton*>("Cancel survey")->click();
    EXPECT_FALSE(window->cohort()->loading());
    ASSERT_EQ(table().rows().size(), 40u);
    EXPECT_FALSE(table().rows()[39].read);
}

TEST_F(CohortWindowTest, AFolderThatIsGoneIsALine) {
    openCohort();
    fs::remove_all(cohort);
    press("Read again");
    settle();
    EXPECT_NE(window->cohort()->problem(), "");
    EXPECT_TRUE(table().rows().empty());
}

TEST_F(CohortWindowTest, TooLittleRoomIsSaidBeforeAnythingIsRead) {
    CohortReading reading;
    stack::Experiment e;
    stack::ScanInput input;
    input.cohort = cohort.string();
    input.channels = 2;
    e.input = input;
    reading.sources = *sourcesForRun(e);
    ASSERT_EQ(reading.sources.size(), 6u);
    reading.perCase = 2;
    std::vector<std::string> said;
    reading.progress = [&](const std::string& what, double) { said.push_back(what); };
    reading.room = 1000;
    const auto refused = readCohort(reading);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("which has 1000 B free"));
    EXPECT_THAT(said.back(), HasSubstr("looking at case 3 of 3"));
    reading.room = base::kGiB;
    EXPECT_EQ(readCohort(reading)->size(), 6u);
    EXPECT_THAT(said.back(), HasSubstr("reading case 3 of 3"));
}

TEST_F(CohortWindowTest, ChannelsOfOneCaseLieOnOneGrid) {
    write(cohort / "imagesTr" / "case_3_0001.nii", niftiOf({12, 10, 11}, 7));
    CohortReading reading;
    reading.perCase = 2;
    for (const char* file : {"case_1_0000.nii", "case_1_0001.nii", "case_3_0000.nii", "case_3_0001.nii"}) {
        reading.sources.push_back({(cohort / "imagesTr" / file).string(), {}, 0});
    }
    const auto read = readCohort(reading);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("case_3_0001.nii"));
    EXPECT_THAT(read.error().message, HasSubstr("12 × 10 × 11"));
}

}  // namespace
}  // namespace highwater::desktop
