// Names of files, layers, runs and hosts come from other people: no widget renders them as HTML.
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QTableWidget>
#include <QToolTip>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/desktop/experiment/bar/control_bar.h"
#include "app/desktop/experiment/pytorch_dialog.h"
#include "app/desktop/experiment/stack/stack_editor.h"
#include "app/desktop/prediction/device_page.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/run/compare_dialog.h"
#include "app/desktop/run/hosts_dialog.h"
#include "app/desktop/run/runs_table.h"
#include "app/desktop/run/runs_view.h"
#include "app/desktop/scan/cases/cohort_table.h"
#include "app/desktop/scan/cases/series_list.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/claims/claims_window.h"
#include "app/desktop/study/study_windows.h"
#include "app/desktop/study/sweep/sweep_window.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/flat_table.h"
#include "widgets/scan/panel/label_list.h"
#include "widgets/scan/panel/scan_message.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {
namespace {

const QString kHostile = QStringLiteral("<img src=\"/etc/passwd\"><b>name</b> & more");

QLabel* shownTip() {
    for (QWidget* const widget : QApplication::topLevelWidgets()) {
        if (widget->inherits("QTipLabel") && widget->isVisible()) {
            return qobject_cast<QLabel*>(widget);
        }
    }
    return nullptr;
}

/// Shows the tooltip of a widget, or of a position in it, as the mouse does.
void showTip(QWidget& widget, const QPoint& at) {
    QToolTip::hideText();
    QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
    QCoreApplication::sendEvent(&widget, &help);
    if (const QLabel* const tip = shownTip()) {
        EXPECT_EQ(tip->textFormat(), Qt::PlainText) << tip->text().toStdString();
    }
}

/// Every label below shows plain text, or markup without the name; every tooltip is plain text. Returns how
/// many of them contained the name.
int expectNoMarkup(QWidget& top) {
    int hostile = 0;
    for (QLabel* const label : top.findChildren<QLabel*>()) {
        label->ensurePolished();
        EXPECT_NE(label->textFormat(), Qt::AutoText) << label->text().toStdString();
        if (label->textFormat() == Qt::RichText) {
            EXPECT_FALSE(label->text().contains("<img")) << label->text().toStdString();
        }
        hostile += label->text().contains("<img") ? 1 : 0;
    }
    for (QWidget* const widget : top.findChildren<QWidget*>()) {
        if (widget->toolTip().contains("<img")) {
            ++hostile;
            showTip(*widget, widget->rect().center());
        }
    }
    for (QAbstractItemView* const view : top.findChildren<QAbstractItemView*>()) {
        const QAbstractItemModel& model = *view->model();
        for (int row = 0; row < model.rowCount(); ++row) {
            for (int column = 0; column < model.columnCount(); ++column) {
                const QModelIndex index = model.index(row, column);
                const QString tip = index.data(Qt::ToolTipRole).toString();
                hostile += tip.contains("<img") || index.data().toString().contains("<img") ? 1 : 0;
                if (tip.contains("<img")) {
                    view->scrollTo(index);
                    showTip(*view->viewport(), view->visualRect(index).center());
                }
            }
        }
    }
    QToolTip::hideText();
    return hostile;
}

struct MarkupCase {
    const char* name;
    std::function<std::unique_ptr<QWidget>()> make;
};

RunRow hostileRun() {
    RunRow row;
    row.number = 1;
    row.id = "1";
    row.name = row.device = row.message = row.note = row.study = kHostile;
    row.tags = {kHostile};
    row.state = wire::RunStatus::Failed;
    return row;
}

std::unique_ptr<QWidget> runsTable() {
    auto table = std::make_unique<RunsTable>();
    table->setRows({hostileRun()});
    return table;
}

std::unique_ptr<QWidget> stackEditor() {
    static ExperimentDocument document;
    auto experiment = (*stack::loadPresets()).front().experiment;
    stack::Block block;
    block.name = kHostile.toStdString();
    block.layers = experiment.stack;
    experiment.stack = {stack::Layer{kHostile.toStdString(), block}};
    document.reset(experiment);
    return std::make_unique<StackEditor>(document);
}

std::unique_ptr<QWidget> narrowLabel() {
    auto top = std::make_unique<QWidget>();
    auto* const label = new widgets::ElidedLabel(top.get());
    label->setText(kHostile);
    label->resize(20, 20);
    return top;
}

std::unique_ptr<QWidget> flatTable() {
    std::unique_ptr<QTableWidget> table(widgets::makeFlatTable({"name", "value"}));
    widgets::addFlatRow(*table, widgets::RowKind::Plain, {"x", "y"});
    widgets::setFlatRow(*table, 0, widgets::RowKind::Plain, {kHostile, kHostile});
    widgets::addFlatRow(*table, widgets::RowKind::Part, {kHostile, kHostile});
    auto top = std::make_unique<QWidget>();
    table.release()->setParent(top.get());
    return top;
}

std::unique_ptr<QWidget> question() {
    auto box = std::make_unique<QMessageBox>(QMessageBox::Question, kHostile, kHostile, QMessageBox::Ok);
    box->setInformativeText(kHostile);
    return box;
}

std::unique_ptr<QWidget> notices() {
    auto bar = std::make_unique<widgets::NoticeBar>();
    bar->show(widgets::NoticeBar::Kind::Error, kHostile, kHostile);
    return bar;
}

std::unique_ptr<QWidget> comparison() {
    std::vector<runs::RunRecord> records(2);
    for (auto& record : records) {
        record.summary.name = record.summary.device = record.summary.message = kHostile.toStdString();
        record.experiment.name = kHostile.toStdString();
    }
    records[1].summary.number = 2;
    return std::make_unique<CompareDialog>(records);
}

class MarkupTest : public ::testing::TestWithParam<MarkupCase> {};

TEST_P(MarkupTest, StaysText) {
    const auto widget = GetParam().make();
    auto* const top = new QWidget;  // the search starts below it
    widget->setParent(top, widget->windowFlags());
    top->resize(900, 600);
    widget->resize(800, 500);
    top->show();
    widget->show();
    EXPECT_GT(expectNoMarkup(*top), 0) << "the name is shown somewhere";
    widget->setParent(nullptr);
    delete top;
}

INSTANTIATE_TEST_SUITE_P(
    Panels, MarkupTest,
    ::testing::Values(MarkupCase{"RunsTable", runsTable}, MarkupCase{"StackEditor", stackEditor},
                      MarkupCase{"NarrowLabel", narrowLabel}, MarkupCase{"FlatTable", flatTable},
                      MarkupCase{"Question", question}, MarkupCase{"Notices", notices},
                      MarkupCase{"Comparison", comparison}),
    [](const ::testing::TestParamInfo<MarkupCase>& info) { return std::string(info.param.name); });

class MarkupWindow : public highwater::test::WindowFixture {};

/// Every label of the window and of what its menus open.
TEST_F(MarkupWindow, NoLabelGuesses) {
    openSmallPreset();
    auto experiment = *stack::loadExperiment(options.experiment.toStdString());
    experiment.name = kHostile.toStdString();
    options.experiment = saved(experiment, "<b>a & b.json");
    MainWindow window(options);
    window.show();
    window.open(options);
    ASSERT_TRUE(highwater::test::waitUntil([&] { return window.store().listed() && window.settled(); }));
    window.predictions().showFit(&window);
    window.predictions().showGrowth(&window);
    window.predictions().showDifferences(&window);
    window.studies().openClaims();
    window.studies().openFactorial();
    window.studies().openSweep();
    const HostsDialog hosts(&window);
    const PytorchDialog pytorch(&window);
    for (QWidget* const top : QApplication::topLevelWidgets()) {
        expectNoMarkup(*top);
    }
    window.studies().closeAll();
}

TEST_F(MarkupWindow, AnAmpersandInAFilesNameIsShown) {
    openSmallPreset();
    options.experiment = saved(*stack::loadExperiment(options.experiment.toStdString()), "a&b.json");
    MainWindow window(options);
    window.open(options);
    QStringList recent;
    for (QMenu* const menu : window.findChildren<QMenu*>()) {
        if (menu->title() == "&File") {
            emit menu->aboutToShow();
        }
    }
    for (QMenu* const menu : window.findChildren<QMenu*>()) {
        if (menu->title() == "Open recent") {
            for (const QAction* action : menu->actions()) {
                recent << action->text();
            }
        }
    }
    EXPECT_TRUE(recent.join('\n').contains("a&&b.json")) << recent.join('\n').toStdString();
}

}  // namespace
}  // namespace highwater::desktop
