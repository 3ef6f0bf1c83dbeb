#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QSettings>
#include <QSignalSpy>
#include <QSplitter>
#include <QTableWidget>
#include <QTest>
#include <QTimer>
#include <fstream>

#include "app/desktop/run/compare_dialog.h"
#include "app/desktop/run/live_page.h"
#include "app/desktop/run/runs_model.h"
#include "app/desktop/run/runs_page.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "app/desktop/shell/main_window.h"
#include "tests/app/desktop/run/fake_runs.h"
#include "tests/app/desktop/run/stored_runs.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/plot/live_plots.h"
#include "widgets/plot/loss_plot.h"
#include "widgets/plot/plot_panel.h"

namespace highwater::desktop {
namespace {

using highwater::test::waitUntil;
using test::StoredRun;
using ::testing::ElementsAre;

/// The window with runs that were recorded earlier.
class RunsPageTest : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
        store_.emplace(std::move(*runs::RunStore::open(options.store)));
    }
    void TearDown() override {
        window_.reset();
        WindowFixture::TearDown();
    }
    std::string add(const std::string& name, StoredRun run = {}) {
        run.experiment = test::smallExperiment();
        run.experiment.name = name;
        return test::record(*store_, run);
    }
    void open() {
        window_ = std::make_unique<MainWindow>(options);
        window_->show();
        window_->open(options);
        ASSERT_TRUE(waitUntil([&] { return !window_->loading() && table().visibleRuns() > 0; }));
    }
    RunsTable& table() { return *window_->findChild<RunsTable*>(); }
    widgets::LivePlots& plots() { return *window_->findChild<widgets::LivePlots*>(); }
    QString cell(const std::string& id, RunColumn column) {
        const auto* model = table().findChild<RunsModel*>();
        const QModelIndex index = model->indexOf(QString::fromStdString(id));
        return index.siblingAtColumn(static_cast<int>(column)).data().toString();
    }
    static QString q(const std::string& text) { return QString::fromStdString(text); }
    std::optional<runs::RunStore> store_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(RunsPageTest, ARunOfAnotherProgramAppears) {
    add("one");
    open();
    ASSERT_EQ(table().visibleRuns(), 1);
    const std::string two = add("two");
    ASSERT_TRUE(waitUntil([&] { return table().visibleRuns() == 2; }));
    ASSERT_TRUE(waitUntil([&] { return cell(two, RunColumn::Status) == "done"; }));
}

TEST_F(RunsPageTest, WhatIsWrittenIsOnDiskAndThenOnShow) {
    const std::string one = add("one"), two = add("two");
    open();
    emit table().edited(q(one), RunColumn::Name, "the first");
    emit table().edited(q(one), RunColumn::Note, "for the paper");
    emit table().edited(q(one), RunColumn::Tags, "paper, baseline");
    ASSERT_TRUE(waitUntil([&] { return cell(one, RunColumn::Tags) == "paper baseline"; }));
    EXPECT_EQ(cell(one, RunColumn::Name), "the first");
    EXPECT_EQ(cell(one, RunColumn::Note), "for the paper");
    const auto kept = runs::readLabels(options.store / "runs" / one);
    EXPECT_EQ(kept->name, "the first");
    EXPECT_THAT(kept->tags, ElementsAre("paper", "baseline"));
    emit table().tagWanted({q(one), q(two)}, "x", true);
    ASSERT_TRUE(waitUntil([&] { return cell(two, RunColumn::Tags) == "x"; }));
    emit table().tagWanted({q(one)}, "paper", false);
    ASSERT_TRUE(waitUntil([&] { return cell(one, RunColumn::Tags) == "baseline x"; }));

    emit table().edited(q(one), RunColumn::Tags, "a=b");
    EXPECT_TRUE(window_->notices().isVisible());
    EXPECT_EQ(cell(one, RunColumn::Tags), "baseline x");
}

TEST_F(RunsPageTest, EnterDeletesNothing) {
    const std::string one = add("one");
    open();
    const QSignalSpy deleted(window_->findChild<RunsPage*>(), &RunsPage::deleted);
    const auto answer = [&](const std::function<void(QMessageBox&)>& act) {
        QTimer::singleShot(0, window_.get(), [act] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            ASSERT_TRUE(box) << "nothing was asked";
            act(*box);
        });
        emit table().deleteRequested({q(one)});
    };
    answer([](QMessageBox& box) { QTest::keyClick(&box, Qt::Key_Return); });
    EXPECT_EQ(deleted.count(), 0) << "Delete and Enter in one go";
    answer([](QMessageBox& box) {
        for (QAbstractButton* button : box.buttons()) {
            if (button->text().remove('&') == "Delete") {
                return button->click();
            }
        }
        ADD_FAILURE() << "no such button";
        box.reject();
    });
    EXPECT_TRUE(waitUntil([&] { return table().visibleRuns() == 0; }));
}

TEST_F(RunsPageTest, TheFilterIsTheCommandLines) {
    const std::string one = add("unet"), two = add("unet wide", {.peak = 3 * base::kGiB});
    ASSERT_TRUE(store_->label(one, {{}, {}, {}, {"paper"}}));
    open();
    table().setFilter("unet peak<1GiB tag=paper device=cpu");
    EXPECT_EQ(table().visibleRuns(), 1);
    table().setFilter("unet peak > 1 GiB");
    table().select({q(one), q(two)});
    EXPECT_EQ(table().selectedIds(), QStringList{q(two)});
    table().setFilter("tag=paper");
    EXPECT_EQ(table().visibleRuns(), 1);
    emit table().edited(q(two), RunColumn::Tags, "paper");
    EXPECT_TRUE(waitUntil([&] { return table().visibleRuns() == 2; })) << "what came to fit is shown";
    table().setFilter("peek<1GiB");
    const auto labels = table().findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().contains("did you mean");
    }));
}

TEST_F(RunsPageTest, TheFirstSelectedIsTheBaselineEverywhere) {
    const std::string one = add("one"), two = add("two", {.peak = 50 * base::kMiB}), three = add("three");
    open();
    table().select({q(two), q(three), q(one)});
    const int against = static_cast<int>(RunColumn::Against);
    EXPECT_EQ(table().view().model()->headerData(against, Qt::Horizontal).toString(), "against #2");
    EXPECT_EQ(cell(two, RunColumn::Against), "—");
    EXPECT_TRUE(cell(one, RunColumn::Against).startsWith("+100.0 % memory"));
    emit table().compareRequested(table().selectedIds());
    CompareDialog* dialog = nullptr;
    ASSERT_TRUE(waitUntil([&] { return (dialog = window_->findChild<CompareDialog*>()) != nullptr; }));
    const auto* compared = dialog->findChild<QTableWidget*>();
    EXPECT_EQ(compared->horizontalHeaderItem(1)->text(), "#2 two");
    EXPECT_EQ(compared->item(compared->rowCount() - 1, 0)->text(), "against #2");
    ASSERT_TRUE(waitUntil([&] { return plots().loss().curves().size() == 3; }));
    EXPECT_EQ(plots().loss().curves()[0].name, "#2 two");
    delete dialog;
}

TEST_F(RunsPageTest, AClickOnTheSelectedRunShowsItAgain) {
    const std::string one = add("one", {.steps = 4}), two = add("two", {.steps = 9});
    open();
    const auto shows = [&](const std::string& id) {
        const auto& shown = window_->findChild<LivePage*>()->shown();
        return shown && shown->id == id;
    };
    table().select({q(one)});
    ASSERT_TRUE(waitUntil([&] { return shows(one); }));
    std::vector<runs::RunRecord> records = {*store_->load(two)};
    window_->findChild<LivePage*>()->show(records.front());
    const auto* rows = table().view().model();
    const auto marked = [&](int row) { return rows->index(row, 0).data(Qt::ForegroundRole).isValid(); };
    EXPECT_TRUE(marked(0) && !marked(1)) << "the newest, #2, is in the plots";
    emit table().view().clicked(rows -> index(1, 0));
    EXPECT_TRUE(waitUntil([&] { return shows(one); }));
    EXPECT_TRUE(marked(1) && !marked(0));
}

TEST_F(RunsPageTest, LossesOfSelectedRunsLieOverEachOther) {
    const std::string one = add("one"), two = add("two", {.steps = 40, .warmup = 0, .falling = 0.1});
    open();
    table().select({q(one)});
    ASSERT_TRUE(waitUntil([&] { return plots().stepCount() == 22; })) << "a selection is a preview";
    plots().showLoss(true);
    plots().flush();
    ASSERT_EQ(plots().loss().curves().size(), 1U);
    EXPECT_EQ(plots().loss().curves()[0].losses.size(), 22U);
    table().select({q(one), q(two)});
    ASSERT_TRUE(waitUntil([&] { return plots().loss().curves().size() == 2; }));
    EXPECT_EQ(plots().loss().curves()[1].name, "#2 two");
    EXPECT_EQ(plots().loss().curves()[1].losses.size(), 40U);
    EXPECT_EQ(plots().loss().curves()[0].warmup, 2);
    plots().flush();
    EXPECT_EQ(plots().loss().panel().chart().scene().outlines.size(), 2U);
    EXPECT_EQ(plots().loss().panel().legend()->entries().size(), 2U);
    table().select({q(two)});
    ASSERT_TRUE(waitUntil([&] { return plots().stepCount() == 40; }));
    ASSERT_TRUE(waitUntil([&] { return plots().loss().curves().size() == 1; }));
}

TEST_F(RunsPageTest, ADoubleClickOpensTheRunInTheEditor) {
    const std::string one = add("one");
    open();
    const stack::Experiment before = window_->document().experiment();
    emit table().activated(q(one));
    ASSERT_TRUE(waitUntil([&] { return window_->document().experiment().name == "one"; }));
    EXPECT_TRUE(waitUntil([&] { return plots().stepCount() == 22; }));
    window_->document().undoStack().undo();
    EXPECT_EQ(window_->document().experiment(), before);
}

TEST_F(RunsPageTest, StudiesFoldAndARunSaysItsTimeLeft) {
    const runs::Study study = runs::newStudy("widths");
    add("width 8", {.study = study});
    add("width 16", {.study = study});
    const std::string alone = add("alone", {.stepMs = 60000, .steps = 100, .warmup = 0, .ends = false});
    open();
    ASSERT_TRUE(waitUntil([&] { return table().visibleRuns() == 3; }));
    EXPECT_EQ(table().view().model()->rowCount(), 2);
    EXPECT_TRUE(cell(alone, RunColumn::Status).startsWith("running, "))
        << cell(alone, RunColumn::Status).toStdString();
    EXPECT_TRUE(cell(alone, RunColumn::Status).endsWith(" left"))
        << cell(alone, RunColumn::Status).toStdString();
}

TEST_F(RunsPageTest, TheTableIsAsHighAsOneWantsAndStaysSo) {
    add("one");
    // As if started by hand, so that stored state is used.
    options.quit = false;
    QSettings().setValue("predict/calibrationOffered", true);  // a notice above would reduce the height
    open();
    window_->resize(1200, 800);
    QCoreApplication::processEvents();
    RunsTable& runs = table();
    for (int i = 0; i < 20; ++i) {
        QTest::keyClick(window_.get(), Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
    }
    QCoreApplication::processEvents();
    EXPECT_LT(runs.height(), 160);
    for (int i = 0; i < 20; ++i) {
        QTest::keyClick(window_.get(), Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
    }
    QCoreApplication::processEvents();
    const int high = runs.height();
    EXPECT_GT(high, 500) << "most of the window";
    runs.view().setColumnHidden(static_cast<int>(RunColumn::Peak), true);
    plots().showLoss(true);
    window_->close();
    window_.reset();
    open();
    QCoreApplication::processEvents();
    EXPECT_NEAR(table().height(), high, 2);
    EXPECT_TRUE(table().view().isColumnHidden(static_cast<int>(RunColumn::Peak)));
    EXPECT_TRUE(plots().lossOnShow());
}

TEST_F(RunsPageTest, FiveThousandRunsAreListedFilteredAndCompared) {
    const std::string one = add("one");
    const auto from = options.store / "runs" / one;
    std::string state = *base::readFile(from / "state.json");
    const auto number = state.find("\"number\": 1,");
    ASSERT_NE(number, std::string::npos);
    for (int i = 2; i <= 5000; ++i) {
        const auto to = options.store / "runs" / ("r" + std::to_string(i));
        std::filesystem::create_directory(to);
        for (const char* file : {"experiment.json", "result.json"}) {
            std::filesystem::create_hard_link(from / file, to / file);
        }
        std::ofstream(to / "state.json")
            << std::string(state).replace(number, 12, "\"number\": " + std::to_string(i) + ",");
    }
    open();
    ASSERT_TRUE(waitUntil([&] { return table().visibleRuns() == 5000; }));
    table().setFilter("#77");
    EXPECT_EQ(table().visibleRuns(), 1);
    table().setFilter("run<=100 peak<1GiB");
    EXPECT_EQ(table().visibleRuns(), 100);
    table().setFilter("");
    table().select({"r4999", q(one)});
    EXPECT_EQ(cell(one, RunColumn::Against), "±0 % memory, time within the noise");
    emit table().edited("r4321", RunColumn::Note, "one of many");
    EXPECT_TRUE(waitUntil([&] { return cell("r4321", RunColumn::Note) == "one of many"; }));
    EXPECT_EQ(table().selectedIds(), (QStringList{"r4999", q(one)}));
}

}  // namespace
}  // namespace highwater::desktop
