#include "app/desktop/study/factorial/factorial_panel.h"

#include <gtest/gtest.h>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "app/desktop/study/factorial/combinations_model.h"
#include "app/desktop/study/factorial/factorial_results.h"
#include "app/desktop/study/factorial/toggle_list.h"
#include "app/desktop/study/interval_chart.h"
#include "app/desktop/study/sweep/pareto_plot.h"
#include "tests/app/desktop/study/samples.h"

namespace highwater::desktop {
namespace {

class FactorialPanelTest : public ::testing::Test {
protected:
    void SetUp() override {
        panel.resize(1200, 800);
        panel.setup().setToggles(toggles);
        panel.show();
    }
    std::vector<ToggleRow> toggles = {
        {"checkpoint_blocks", "Checkpoint every block", "Blocks compute again.", "S2", "", false},
        {"inplace", "In-place activations", "ReLUs overwrite.", "S10", "", false},
        {"pool", "Pool first", "Half the size.", "S5", "", true},
        {"tf32", "TF32", "Fewer bits.", "S3", "needs a GPU", false}};
    QString label(const char* name) { return panel.findChild<QLabel*>(name)->text(); }
    QPushButton* run() { return panel.findChild<QPushButton*>("Run factorial"); }
    QString cell(int row, int column) {
        return panel.results().table().model()->index(row, column).data().toString();
    }
    FactorialPanel panel;
};

TEST_F(FactorialPanelTest, OffersWhatAppliesAndSaysWhyTheRestDoesNot) {
    ToggleList& list = panel.setup().toggles();
    EXPECT_TRUE(list.box("inplace")->isEnabled());
    EXPECT_FALSE(list.box("tf32")->isEnabled());
    EXPECT_TRUE(list.box("tf32")->toolTip().contains("needs a GPU"));
    EXPECT_TRUE(list.box("pool")->toolTip().contains("computes something different"));
    int marked = 0;
    for (const QLabel* mark : list.findChildren<QLabel*>()) {
        marked += mark->text() == "changes the task";
    }
    EXPECT_EQ(marked, 1);
    list.setChosen({"tf32", "inplace"});
    EXPECT_EQ(list.chosen(), QStringList{"inplace"}) << "what cannot be chosen is not";
}

TEST_F(FactorialPanelTest, CountsCombinationsAndRuns) {
    EXPECT_FALSE(run()->isEnabled());
    EXPECT_EQ(label("Count"), "Choose at least one lever, or add a field.");
    panel.setup().toggles().box("inplace")->setChecked(true);
    panel.setup().toggles().box("pool")->setChecked(true);
    EXPECT_EQ(label("Count"), "4 combinations, 12 to 20 runs");
    panel.findChild<QSpinBox*>("Repeats")->setValue(6);
    EXPECT_EQ(panel.findChild<QSpinBox*>("Most repeats")->value(), 6) << "never fewer than the least";
    EXPECT_EQ(label("Count"), "4 combinations, 24 runs");
    QSignalSpy asked(&panel.setup(), &FactorialSetup::runRequested);
    run()->click();
    ASSERT_EQ(asked.count(), 1);
    const auto choice = asked[0][0].value<FactorialChoice>();
    EXPECT_EQ(choice.toggles, (QStringList{"inplace", "pool"}));
    EXPECT_EQ(choice.repeats, 6);
    panel.findChild<QSpinBox*>("Most repeats")->setValue(4);
    EXPECT_EQ(label("Count"), "Max. repeats (4) is less than min. repeats (6).") << "said while it is typed";
    EXPECT_FALSE(run()->isEnabled());
}

TEST_F(FactorialPanelTest, FieldsWithSeveralValuesMultiplyTheCombinations) {
    panel.setup().toggles().box("inplace")->setChecked(true);
    QSignalSpy changed(&panel.setup(), &FactorialSetup::choiceChanged);
    panel.setup().fields().axes().add({"kernel_size of layer 1", {"/stack/0/kernel_size"}, "3, 5, 7", {}});
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(label("Count"), "6 combinations, 18 to 30 runs");
    EXPECT_TRUE(run()->isEnabled());
    panel.setup().setAxesProblem("the value 3 is given twice", 0);
    EXPECT_EQ(label("Count"), "the value 3 is given twice");
    EXPECT_TRUE(panel.setup().fields().axes().valuesOf(0)->property("invalid").toBool());
    EXPECT_FALSE(run()->isEnabled());
    panel.setup().setAxesProblem({}, -1);
    QStringList many;
    for (int i = 0; i < 200; ++i) {
        many << QString::number(i);
    }
    panel.setup().fields().axes().add({"seed", {"/step/seed"}, many.join(", "), {}});
    EXPECT_EQ(label("Count"), "1200 combinations are too many; at most 256 are possible.");
    EXPECT_FALSE(run()->isEnabled());
}

TEST_F(FactorialPanelTest, TooManyLeversAreRefusedInWords) {
    std::vector<ToggleRow> many;
    QStringList ids;
    for (int i = 0; i <= kMostToggles; ++i) {
        many.push_back({QString("t%1").arg(i), QString("Lever %1").arg(i), "", "S1", "", false});
        ids << many.back().id;
    }
    panel.setup().setToggles(many);
    panel.setup().toggles().setChosen(ids);
    EXPECT_FALSE(run()->isEnabled());
    EXPECT_TRUE(label("Count").contains("at most 8 levers"));
}

TEST_F(FactorialPanelTest, AnotherExperimentKeepsWhatStillApplies) {
    panel.setup().toggles().setChosen({"checkpoint_blocks", "inplace"});
    QSignalSpy changed(&panel.setup(), &FactorialSetup::choiceChanged);
    toggles[0].whyNot = "there is no block";
    panel.setup().setToggles(toggles);
    EXPECT_EQ(panel.setup().choice().toggles, QStringList{"inplace"});
    EXPECT_EQ(changed.count(), 1);
}

TEST_F(FactorialPanelTest, WhileItRunsNothingCanBeChanged) {
    panel.setup().toggles().setChosen({"inplace"});
    panel.setState({true, false, "In-place activations, repeat 1", 0.5, {}});
    EXPECT_FALSE(run()->isEnabled());
    EXPECT_FALSE(panel.setup().toggles().box("inplace")->isEnabled());
    QSignalSpy cancel(&panel, &FactorialPanel::cancelRequested);
    panel.findChild<QPushButton*>("Cancel study")->click();
    EXPECT_EQ(cancel.count(), 1);
    panel.setState({false, false, {}, 0, "A run is in progress. Stop it first."});
    EXPECT_FALSE(run()->isEnabled());
    EXPECT_EQ(run()->toolTip(), "A run is in progress. Stop it first.");
    panel.setState({});
    EXPECT_TRUE(run()->isEnabled());
}

TEST_F(FactorialPanelTest, DoesNotInviteToRunWhatRuns) {
    EXPECT_TRUE(panel.message().startsWith("Choose levers"));
    panel.setMessage("the engine is not installed", true);
    panel.setState({.running = true, .what = "plain, repeat 1"});
    EXPECT_TRUE(panel.message().startsWith("Measuring.")) << panel.message().toStdString();
    panel.setState({});
    EXPECT_TRUE(panel.message().startsWith("Choose levers")) << "it was cancelled";
    panel.setState({.running = true});
    panel.setMessage("it failed", true);
    panel.setState({});
    EXPECT_EQ(panel.message(), "it failed");
    panel.setState({.running = true});
    panel.setResult(samples::factorial());  // while its study is ending
    panel.setState({});
    EXPECT_EQ(panel.message(), "");
}

TEST_F(FactorialPanelTest, ShowsTheCombinationsTheFrontAndTheEffects) {
    EXPECT_FALSE(panel.message().isEmpty()) << "an invitation while there is nothing";
    panel.setResult(samples::factorial());
    EXPECT_EQ(panel.message(), "");
    EXPECT_EQ(cell(0, CombinationsModel::Name), "In-place activations") << "least memory first";
    EXPECT_EQ(cell(0, CombinationsModel::MemoryChange), "-20.0 %");
    EXPECT_EQ(cell(0, CombinationsModel::Front), "●");
    EXPECT_EQ(cell(2, CombinationsModel::Name), "unchanged");
    EXPECT_EQ(cell(2, CombinationsModel::MemoryChange), "—");
    EXPECT_EQ(cell(3, CombinationsModel::Status), "out of memory: asked for 14.8 of 11.6 GiB");
    EXPECT_EQ(cell(3, CombinationsModel::Time), "—");
    EXPECT_EQ(panel.results().effects().sections().size(), 4u);
    EXPECT_FALSE(panel.grab().isNull());
}

TEST_F(FactorialPanelTest, SortsByValueAndTheUnknownIsLast) {
    panel.setResult(samples::factorial());
    QTableView& table = panel.results().table();
    table.sortByColumn(CombinationsModel::Time, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, CombinationsModel::Name), "In-place activations");
    EXPECT_EQ(cell(1, CombinationsModel::Name), "unchanged");
    EXPECT_EQ(cell(3, CombinationsModel::Status).left(13), "out of memory");
    table.sortByColumn(CombinationsModel::Front, Qt::AscendingOrder);
    EXPECT_EQ(cell(0, CombinationsModel::Front), "●");
}

TEST_F(FactorialPanelTest, TableAndPlotChooseTheSameCombination) {
    panel.setResult(samples::factorial());
    FactorialResults& results = panel.results();
    auto* use = panel.findChild<QToolButton*>("use this combination");
    EXPECT_FALSE(use->isEnabled());
    QTest::mouseClick(&results.plot(), Qt::LeftButton, {}, results.plot().pointOf(2)->toPoint());
    EXPECT_EQ(results.current(), 2);
    QSignalSpy used(&results, &FactorialResults::useRequested);
    use->click();
    ASSERT_EQ(used.count(), 1);
    EXPECT_EQ(used[0][0].toInt(), 2);
    results.table().setFocus();
    QTest::keyClick(&results.table(), Qt::Key_Up);
    QTest::keyClick(&results.table(), Qt::Key_Return);
    ASSERT_EQ(used.count(), 2);
    EXPECT_EQ(used[1][0].toInt(), 1) << "by the keyboard alone, in the table's order";
}

TEST_F(FactorialPanelTest, AMessageTakesTheResultsPlace) {
    panel.setResult(samples::factorial());
    panel.setMessage("the engine is not installed", true);
    EXPECT_EQ(panel.message(), "the engine is not installed");
}

/// Names of combinations may differ only at their ends.
TEST_F(FactorialPanelTest, LongNamesOfCombinationsAreSeenWhole) {
    FactorialRows rows = samples::factorial();
    rows.combinations.front().name =
        "Checkpoint every block, In-place activations, Micro-batches, 16 bits (autocast), Channels last";
    panel.results().setRows(rows);
    QTableView& table = panel.results().table();
    const auto heightOf = [&](const QString& name) {
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            if (cell(row, CombinationsModel::Name) == name) {
                return table.rowHeight(row);
            }
        }
        return 0;
    };
    const QRect room(0, 0, table.columnWidth(CombinationsModel::Name) - 16, 10000);
    const int lines =
        table.fontMetrics().boundingRect(room, Qt::TextWordWrap, rows.combinations.front().name).height();
    EXPECT_GT(lines, table.fontMetrics().height());
    EXPECT_GE(heightOf(rows.combinations.front().name), lines);
    table.sortByColumn(CombinationsModel::Time, Qt::DescendingOrder);
    EXPECT_GE(heightOf(rows.combinations.front().name), lines) << "in another order, too";
    EXPECT_LT(heightOf(rows.combinations.back().name), lines);
}

}  // namespace
}  // namespace highwater::desktop
