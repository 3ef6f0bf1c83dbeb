#include <gmock/gmock.h>

#include <QApplication>
#include <QClipboard>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include "app/desktop/prediction/fit_dialog.h"
#include "app/desktop/prediction/plan/plan_curve_plot.h"
#include "app/desktop/prediction/plan/plan_dialog.h"
#include "app/desktop/prediction/plan/plan_view.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/compare_dialog.h"
#include "app/desktop/run/modules_panel.h"
#include "app/desktop/scan/cases/cohort_table.h"
#include "app/desktop/scan/cases/series_list.h"
#include "app/desktop/scan/header_window.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/flat_table.h"
#include "widgets/controls/table_actions.h"
#include "widgets/plot/plot_panel.h"
#include "widgets/scan/slice/slice_view.h"
#include "widgets/scan/volume3d/volume_view.h"
#include "widgets/timeline/flame_view.h"
#include "widgets/timeline/segment_map_view.h"
#include "widgets/timeline/segments_panel.h"
#include "widgets/timeline/timeline_panel.h"
#include "widgets/timeline/timeline_view.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Exports : public test::WindowFixture {
protected:
    void openAll(MainWindow& window) {
        window.open(options);
        window.show();
        window.predictions().showDifferences(&window);
        window.predictions().showFit(&window);
        window.predictions().showPlans(&window);
        window.predictions().showGrowth(&window);
        window.studies().openClaims();
        window.studies().openFactorial();
        window.studies().openSweep();
    }
};

QStringList textsOf(const QList<QAction*>& actions) {
    QStringList texts;
    for (const QAction* action : actions) {
        texts << action->text();
    }
    return texts;
}

QAction* actionOf(const QWidget& view, const QString& text) {
    for (QAction* action : view.actions()) {
        if (action->text() == text) {
            return action;
        }
    }
    return nullptr;
}

QString nameOf(const QWidget& widget) {
    return QString("%1 \"%2\"").arg(widget.metaObject()->className(), widget.accessibleName());
}

runs::RunRecord record(int number) {
    runs::RunRecord run;
    run.summary.number = number;
    run.summary.name = "run";
    return run;
}

TEST_F(Exports, EveryTableCopiesAndSaves) {
    openSmallPreset();
    MainWindow window(options);
    openAll(window);
    const CompareDialog compare({record(1), record(2)});
    const ModulesPanel modules;
    const CohortTable cohort;
    const SeriesList series;
    const HeaderWindow* const header = new HeaderWindow([] { return base::Error{"no scan"}; }, &window);
    const widgets::TimelinePanel timeline;
    const widgets::SegmentsPanel segments;
    EXPECT_NE(header, nullptr);
    QStringList tables;
    for (QWidget* widget : QApplication::allWidgets()) {
        if (!qobject_cast<QTableView*>(widget) && !qobject_cast<QTreeView*>(widget)) {
            continue;
        }
        tables << nameOf(*widget);
        const QStringList texts = textsOf(widget->actions());
        for (const char* action : {"Copy", "Copy as Markdown", "Save as CSV…"}) {
            EXPECT_TRUE(texts.contains(action)) << tables.back().toStdString() << ": " << action;
        }
        EXPECT_NE(widget->contextMenuPolicy(), Qt::DefaultContextMenu) << tables.back().toStdString();
        EXPECT_NE(widget->focusPolicy(), Qt::NoFocus) << tables.back().toStdString();
    }
    const std::string all = tables.join('\n').toStdString();
    for (const char* table :
         {"Layers of the stack", "RunsView", "\"Devices\"", "\"Changes\"", "Layers of the plan",
          "Predicted and measured", "\"Claims\"", "Figures of the claim", "Combinations",
          "Cells of the sweep", "Modules of the model", "\"Cases\"", "Scans that can be opened",
          "Elements of the header", "Largest allocations", "\"Layers\"", "In use, by code", "Call stack"}) {
        EXPECT_THAT(all, HasSubstr(table));
    }
}

TEST_F(Exports, EveryChartIsCopiedAndSaved) {
    openSmallPreset();
    MainWindow window(options);
    openAll(window);
    const widgets::TimelinePanel timeline;
    const widgets::SegmentsPanel segments;
    QStringList drawn, panels;
    for (QWidget* widget : QApplication::allWidgets()) {
        if (auto* const panel = qobject_cast<widgets::PlotPanel*>(widget); panel && panel->parentWidget()) {
            panels << panel->title();
            const QStringList texts = textsOf(panel->contextMenu()->actions());
            EXPECT_TRUE(texts.contains("Copy picture")) << panel->title().toStdString();
            EXPECT_TRUE(texts.contains("Save picture…")) << panel->title().toStdString();
        }
        if (qobject_cast<widgets::SliceView*>(widget) || qobject_cast<widgets::VolumeView*>(widget) ||
            qobject_cast<widgets::TimelineView*>(widget) || qobject_cast<widgets::FlameView*>(widget) ||
            qobject_cast<widgets::SegmentMapView*>(widget)) {
            drawn << widget->metaObject()->className();
            const QStringList texts = textsOf(widget->actions());
            EXPECT_TRUE(texts.contains("Copy picture")) << drawn.back().toStdString();
            EXPECT_TRUE(texts.contains("Save picture…")) << drawn.back().toStdString();
        }
    }
    EXPECT_EQ(drawn.size(), 3 + 1 + 2 + 1 + 1) << drawn.join(' ').toStdString();
    EXPECT_GE(panels.size(), 4) << panels.join(' ').toStdString();
}

TEST_F(Exports, CtrlCCopiesASlice) {
    MainWindow window(options);
    window.open(options);
    window.show();
    auto* const slice = window.findChild<widgets::SliceView*>();
    ASSERT_NE(slice, nullptr);
    ASSERT_TRUE(waitUntil([&] { return !window.loading() && slice->isVisible(); }));
    QApplication::clipboard()->clear();
    actionOf(*slice, "Copy picture")->trigger();
    EXPECT_EQ(QApplication::clipboard()->image().size(), slice->size() * 2);
}

TEST_F(Exports, TheTextIsWhatTheTableShows) {
    const std::unique_ptr<QTableWidget> table(widgets::makeFlatTable({"device", "needs", "verdict"}, {0, 2}));
    widgets::setFlatRows(*table, {{"RTX 3060", "9.31 GiB", "fits"},
                                  {"=1+1", "-", "a|b"},
                                  {"hidden", "1", "2"},
                                  {"a, \"b\"\nc", "+12 %", "@me"}});
    table->setRowHidden(2, true);
    EXPECT_EQ(widgets::tabbed(widgets::tableRows(*table)),
              "device\tneeds\tverdict\nRTX 3060\t9.31 GiB\tfits\n=1+1\t-\ta|b\na, \"b\" c\t+12 %\t@me\n");
    EXPECT_EQ(widgets::markdownTable(widgets::tableRows(*table)),
              "| device | needs | verdict |\n| --- | --- | --- |\n| RTX 3060 | 9.31 GiB | fits |\n"
              "| =1+1 | - | a\\|b |\n| a, \"b\" c | +12 % | @me |\n");
    const std::filesystem::path file = folder / "table.csv";
    ASSERT_TRUE(widgets::saveTable(widgets::tableRows(*table), QString::fromStdString(file.string())));
    EXPECT_EQ(*base::readFile(file),
              "device,needs,verdict\r\nRTX 3060,9.31 GiB,fits\r\n'=1+1,-,a|b\r\n\"a, \"\"b\"\"\nc\",'+12 "
              "%,'@me\r\n");
    table->setColumnHidden(1, true);
    table->sortItems(0, Qt::DescendingOrder);
    EXPECT_EQ(widgets::tabbed(widgets::tableRows(*table)).section('\n', 0, 1),
              "device\tverdict\na, \"b\" c\t@me");
}

TEST_F(Exports, CtrlCCopiesTheSelectedRowsOrAll) {
    const std::unique_ptr<QTableWidget> table(widgets::makeFlatTable({"device", "needs"}));
    widgets::setFlatRows(*table, {{"T4", "1"}, {"H100", "2"}});
    table->show();
    QApplication::setActiveWindow(table.get());
    ASSERT_TRUE(QTest::qWaitForWindowActive(table.get()));
    table->setFocus();
    QTest::keyClick(table.get(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), "device\tneeds\nT4\t1\nH100\t2\n");
    table->setCurrentCell(1, 0);
    QTest::keyClick(table.get(), Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), "device\tneeds\nH100\t2\n");
    actionOf(*table, "Copy as Markdown")->trigger();
    EXPECT_EQ(QApplication::clipboard()->text(),
              "| device | needs |\n| --- | --- |\n| T4 | 1 |\n| H100 | 2 |\n");
}

TEST_F(Exports, ARowOfATreeBeginsWithItsParents) {
    ModulesPanel panel;
    panel.setRun("a", "run #1", {{"encoder.conv", "Conv3d", {2, 32}, 864, base::kMiB, 1.5, 3}});
    const QString text = widgets::tabbed(widgets::tableRows(*panel.findChild<QTreeWidget*>()));
    EXPECT_EQ(text.section('\n', 0, 0), "module\tactivations\tforward\tbackward\tparameters\toutput");
    EXPECT_THAT(text.section('\n', 2, 2).toStdString(),
                ::testing::StartsWith("encoder / conv  Conv3d\t1.00 MiB"));
}

TEST_F(Exports, ThePredictionIsReportedWhileItIsShown) {
    openSmallPreset();
    MainWindow window(options);
    window.open(options);
    PredictionPage& page = window.predictions();
    ASSERT_TRUE(
        test::waitUntil([&] { return page.settled() && page.current() && page.current()->prediction; }));
    QSignalSpy said(&page, &PredictionPage::notice);
    const std::filesystem::path file = folder / "prediction.html";
    page.saveReport(QString::fromStdString(file.string()));
    ASSERT_TRUE(test::waitUntil([&] { return said.size() == 2; }));
    EXPECT_THAT(said[1][1].toString().toStdString(), HasSubstr("Report saved"));
    const std::string html = *base::readFile(file);
    EXPECT_THAT(html, HasSubstr("a prediction"));
    EXPECT_THAT(html, HasSubstr(base::formatBytes(page.current()->prediction->peakAllocated.expected)));
    EXPECT_THAT(html, Not(HasSubstr(folder.string())));
}

TEST_F(Exports, TheDialogsReportWhatTheyShow) {
    openSmallPreset();
    MainWindow window(options);
    window.open(options);
    window.predictions().predictFor({"rtx3060", {}, {}, 0});
    window.predictions().showFit(&window);
    window.predictions().showPlans(&window);
    auto* const fit = window.findChild<FitDialog*>();
    PlanDialog* const plans = window.predictions().plans();
    ASSERT_TRUE(fit && plans);
    ASSERT_TRUE(test::waitUntil([&] { return !fit->busy() && !plans->busy(); }));
    const std::filesystem::path devices = folder / "devices.csv", plan = folder / "plan.html";
    fit->saveReport(QString::fromStdString(devices.string()));
    plans->saveReport(QString::fromStdString(plan.string()));
    ASSERT_TRUE(test::waitUntil([&] { return exists(devices) && exists(plan); }));
    const std::string table = *base::readFile(devices);
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), fit->devices().rowCount() + 1);
    EXPECT_THAT(table, HasSubstr("rtx3060,"));
    const std::string html = *base::readFile(plan);
    EXPECT_THAT(html, HasSubstr("The unchanged step"));
    EXPECT_TRUE(plans->view().reportButton().isEnabled());
}

}  // namespace
}  // namespace highwater::desktop
