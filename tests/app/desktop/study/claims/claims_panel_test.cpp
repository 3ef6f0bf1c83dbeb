#include "app/desktop/study/claims/claims_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "app/desktop/study/claims/claim_details.h"
#include "app/desktop/study/claims/claims_list.h"
#include "app/desktop/study/claims/verdict_badge.h"
#include "app/desktop/study/figures_table.h"
#include "app/desktop/study/study_strip.h"
#include "app/desktop/study/study_words.h"
#include "tests/app/desktop/study/samples.h"
#include "tests/widgets/qt_main.h"
#include "widgets/plot/plot_values.h"
#include "widgets/theme/panel.h"

HIGHWATER_QT_MAIN()

namespace highwater::desktop {
namespace {

class ClaimsPanelTest : public ::testing::Test {
protected:
    void SetUp() override {
        panel.resize(1100, 800);
        panel.setRows(samples::claims());
        panel.show();
    }
    QString label(const char* name) {
        const auto* found = panel.findChild<QLabel*>(name);
        return found && !found->isHidden() ? found->text() : QString();
    }
    QString summary() { return panel.findChild<widgets::ElidedLabel*>("Summary")->text(); }
    QPushButton* button(const char* name) { return panel.findChild<QPushButton*>(name); }
    ClaimsPanel panel;
};

TEST_F(ClaimsPanelTest, ListsEveryClaimWithItsVerdictInWords) {
    EXPECT_EQ(panel.list().shownIds(), (QStringList{"S1.naive", "S1.cached", "S2.memory", "S2.gpu"}));
    EXPECT_EQ(summary(), "1 holds, 1 depends, 1 not testable here, 1 not yet run");
    const auto* model = panel.list().view().model();
    ASSERT_EQ(model->rowCount(), 2) << "two groups";
    EXPECT_EQ(model->index(1, 0).data().toString(), "S2  checkpointing");
    EXPECT_FALSE(panel.grab().isNull());
}

TEST_F(ClaimsPanelTest, ShowsAllThatIsKnownOfTheChosenClaim) {
    panel.select("S2.memory");
    EXPECT_EQ(label("Statement"), "Checkpointing needs less memory");
    EXPECT_EQ(label("Boundary"), "up to batch size 4; not from 8");
    EXPECT_EQ(label("Why"), "The activations fall by 40 %.");
    EXPECT_EQ(label("About"), "What it means.");
    EXPECT_TRUE(label("Measured on").contains("2026-11-21"));
    EXPECT_EQ(panel.findChild<QWidget*>("Verdict")->accessibleName(), "depends");
    const auto* table = panel.findChild<FiguresTable*>();
    ASSERT_EQ(table->rowCount(), 4);
    EXPECT_EQ(table->item(0, FiguresTable::Of)->text(), "plain, batch size 4");
    EXPECT_EQ(table->item(0, FiguresTable::Median)->text(), "3.00 MiB");
    EXPECT_EQ(table->item(0, FiguresTable::Spread)->text(), "the same each time");
    EXPECT_EQ(table->item(1, FiguresTable::Quantity)->text(), "") << "said once";
    EXPECT_EQ(table->item(2, FiguresTable::Spread)->text(), "11.5 ms to 12.8 ms");
    EXPECT_EQ(table->item(2, FiguresTable::Repeats)->text(), "5");
    EXPECT_EQ(table->item(3, FiguresTable::Median)->text(), "0.667");
    const auto* chart = panel.findChild<IntervalChart*>();
    ASSERT_EQ(chart->sections().size(), 3u) << "bytes, milliseconds and a ratio have an axis each";
    EXPECT_EQ(chart->sections()[0].bars.size(), 2u);
}

TEST_F(ClaimsPanelTest, AClaimWithoutAFindingSaysSo) {
    panel.select("S1.cached");
    EXPECT_EQ(label("No figures"), "Not measured on this machine yet.");
    EXPECT_EQ(label("Measured on"), "");
    EXPECT_EQ(button("Run claim")->text(), "Run");
    panel.select("S1.naive");
    EXPECT_EQ(button("Run claim")->text(), "Run again");
}

TEST_F(ClaimsPanelTest, FiltersByWordsAndByVerdict) {
    auto* words = panel.findChild<QLineEdit*>();
    auto* verdict = panel.findChild<QComboBox*>();
    words->setText("BATCH gpu");
    EXPECT_EQ(panel.list().shownIds(), QStringList{"S2.gpu"});
    EXPECT_EQ(label("Statement"), "A larger batch on a GPU is faster") << "what is shown is what is listed";
    words->setText("nothing of the kind");
    EXPECT_TRUE(panel.list().shownIds().isEmpty());
    EXPECT_FALSE(button("Run selected")->isEnabled());
    EXPECT_FALSE(panel.grab().isNull());
    words->clear();
    verdict->setCurrentIndex(verdict->findText("holds"));
    EXPECT_EQ(panel.list().shownIds(), QStringList{"S1.naive"});
    verdict->setCurrentIndex(0);
    EXPECT_EQ(panel.list().shownIds().size(), 4);
}

TEST_F(ClaimsPanelTest, AsksForRunsOfWhatIsSelected) {
    QSignalSpy run(&panel, &ClaimsPanel::runRequested);
    panel.select("S2.memory");
    button("Run claim")->click();
    ASSERT_EQ(run.count(), 1);
    EXPECT_EQ(run[0][0].toStringList(), QStringList{"S2.memory"});
    panel.list().view().selectAll();
    EXPECT_EQ(button("Run selected")->text(), "Run 4 selected");
    button("Run selected")->click();
    EXPECT_EQ(run[1][0].toStringList().size(), 4);
    panel.select("S1.cached");
    button("Run all")->click();
    EXPECT_EQ(run[2][0].toStringList().size(), 4);
    panel.list().view().setFocus();
    QTest::keyClick(&panel.list().view(), Qt::Key_Down);
    EXPECT_EQ(panel.selectedIds(), QStringList{"S2.memory"}) << "the keyboard steps over a group's heading";
    QTest::keyClick(&panel.list().view(), Qt::Key_Return);
    ASSERT_EQ(run.count(), 4);
    EXPECT_EQ(run[3][0].toStringList(), QStringList{"S2.memory"});
}

TEST_F(ClaimsPanelTest, WhileItRunsItSaysWhatAndCanBeCancelled) {
    QSignalSpy run(&panel, &ClaimsPanel::runRequested);
    QSignalSpy cancel(&panel, &ClaimsPanel::cancelRequested);
    auto* strip = panel.findChild<StudyStrip*>();
    EXPECT_TRUE(strip->isHidden());
    panel.setState({true, false, "S2.memory: plain, repeat 2", 0.25, {}});
    EXPECT_FALSE(strip->isHidden());
    EXPECT_EQ(strip->text(), "Now: S2.memory: plain, repeat 2");
    auto* left = strip->findChild<QLabel*>("Time left");
    QTest::qWait(1100);
    panel.setState({true, false, "S2.memory: plain, repeat 2", 0.25, {}});
    const QString said = left->text();
    EXPECT_TRUE(said.startsWith("about ") && said.endsWith(" s left")) << said.toStdString();
    EXPECT_GE(said.section(' ', 1, 1).toInt(), 3) << "three times what it took so far";
    for (const char* name : {"Run all", "Run selected", "Run claim"}) {
        EXPECT_FALSE(button(name)->isEnabled()) << name;
    }
    panel.list().view().setFocus();
    QTest::keyClick(&panel.list().view(), Qt::Key_Return);
    EXPECT_EQ(run.count(), 0);
    button("Cancel study")->click();
    EXPECT_EQ(cancel.count(), 1);
    panel.setState({true, true, {}, 0.25, {}});
    EXPECT_EQ(left->text(), "");
    EXPECT_FALSE(button("Cancel study")->isEnabled()) << "once is enough";
    panel.setState({});
    EXPECT_TRUE(strip->isHidden());
    EXPECT_TRUE(button("Run all")->isEnabled());
}

TEST_F(ClaimsPanelTest, SaysWhyNothingCanBeRunNow) {
    panel.setState({false, false, {}, 0, "A run is in progress. Stop it first."});
    EXPECT_FALSE(button("Run all")->isEnabled());
    EXPECT_EQ(button("Run all")->toolTip(), "A run is in progress. Stop it first.");
    EXPECT_EQ(button("Run claim")->toolTip(), "A run is in progress. Stop it first.");
}

TEST_F(ClaimsPanelTest, UpdatesKeepTheChosenClaimAndShowItsChange) {
    panel.select("S2.memory");
    auto rows = samples::claims();
    rows[2].activity = ClaimActivity::Running;
    panel.setRows(rows);
    EXPECT_EQ(panel.list().current(), "S2.memory");
    EXPECT_EQ(badgeOf(rows[2].verdict, rows[2].activity).text, "running…");
    rows[2].activity = ClaimActivity::None;
    rows[2].verdict = ClaimVerdict::DoesNotHold;
    rows[2].problem = "the engine died: signal 9";
    panel.setRows(rows);
    EXPECT_EQ(panel.selectedIds(), QStringList{"S2.memory"});
    EXPECT_EQ(label("Problem"), "the engine died: signal 9");
    EXPECT_EQ(summary(), "1 holds, 1 does not, 1 not testable here, 1 not yet run");
}

TEST_F(ClaimsPanelTest, WithoutClaimsItSaysWhy) {
    panel.setRows({});
    panel.setProblem("resources/claims: no such folder");
    EXPECT_EQ(summary(), "resources/claims: no such folder");
    EXPECT_FALSE(button("Run all")->isEnabled());
    EXPECT_TRUE(panel.findChild<ClaimDetails*>()->widget()->isHidden());
    EXPECT_FALSE(panel.grab().isNull());
}

TEST(StudyWords, VerdictsDifferInWordsAndMostInColor) {
    using V = ClaimVerdict;
    QStringList words;
    for (const V verdict : {V::NotRun, V::Holds, V::DoesNotHold, V::Depends, V::NotTestable}) {
        words << verdictText(verdict);
    }
    words.removeDuplicates();
    EXPECT_EQ(words.size(), 5);
    EXPECT_NE(verdictColor(V::Holds), verdictColor(V::DoesNotHold));
    EXPECT_NE(verdictColor(V::Depends), verdictColor(V::DoesNotHold));
}

TEST(StudyWords, ChangesHaveASignAndNothingHasNone) {
    EXPECT_EQ(changeText(0.818), "-18.2 %");
    EXPECT_EQ(changeText(1.004), "+0.4 %");
    EXPECT_EQ(changeText(0.9999), "0.0 %");
    EXPECT_EQ(changeText(5), "+400 %");
    EXPECT_EQ(changeSpread({0.8, 0.79, 0.81, 3}), "-21.0 to -19.0 %");
    EXPECT_EQ(changeSpread({0.8, 0.8, 0.8, 3}), "");
    EXPECT_EQ(widgets::durationText(20'000), "less than a minute");
    EXPECT_EQ(widgets::durationText(200'000), "about 3 min");
    EXPECT_EQ(widgets::durationText(9'000'000), "about 2.5 h");
}

}  // namespace
}  // namespace highwater::desktop
