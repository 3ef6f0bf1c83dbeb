#include "app/desktop/prediction/plan/plan_dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>

#include "app/desktop/prediction/fit_dialog.h"
#include "app/desktop/prediction/plan/plan_layer_values.h"
#include "app/desktop/prediction/plan/plan_side.h"
#include "app/desktop/prediction/plan/plan_slider.h"
#include "app/desktop/prediction/plan/plan_step_plot.h"
#include "app/desktop/prediction/plan/plan_view.h"
#include "app/desktop/prediction/prediction_page.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/study/study_windows.h"
#include "core/stack/rewrites.h"
#include "tests/app/desktop/window_fixture.h"
#include "tests/widgets/wait_until.h"
#include "widgets/controls/checked_edit.h"

namespace highwater::desktop {
namespace {

using ::highwater::test::waitUntil;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PlanDialogTest : public highwater::test::WindowFixture {
protected:
    void SetUp() override {
        WindowFixture::SetUp();
        openSmallPreset();
        window = std::make_unique<MainWindow>(options);
        window->open(options);
        window->show();
    }
    void TearDown() override {
        window.reset();
        WindowFixture::TearDown();
    }

    PlanDialog& opened() {
        window->predictions().showPlans(window.get());
        PlanDialog& dialog = *window->predictions().plans();
        EXPECT_TRUE(settled(dialog));
        return dialog;
    }
    static bool settled(PlanDialog& dialog) {
        return waitUntil([&] { return !dialog.busy(); }, 60000);
    }
    std::string headline(PlanDialog& dialog) const { return dialog.view().headline().toStdString(); }
    ExperimentDocument& document() { return window->document(); }

    std::unique_ptr<MainWindow> window;
};

TEST_F(PlanDialogTest, APlanIsChosenAppliedAndTakenBack) {
    PlanDialog& dialog = opened();
    PlanView& view = dialog.view();
    EXPECT_THAT(headline(dialog), StartsWith("Fits on this CPU: "));
    const auto& points = view.curve().points;
    ASSERT_GE(points.size(), 2u);
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_LT(points[i - 1].peak, points[i].peak);
        EXPECT_GE(points[i - 1].slower, points[i].slower);
    }
    EXPECT_FALSE(view.steps().steps().asItIs.empty());
    EXPECT_FALSE(view.steps().steps().plan.empty());

    QTest::keyClick(&view.slider(), Qt::Key_Home);
    EXPECT_EQ(view.chosen(), 0);
    ASSERT_TRUE(settled(dialog));
    EXPECT_THAT(headline(dialog), HasSubstr("recompute "));
    const auto& plan = view.steps().steps().plan;
    EXPECT_TRUE(std::ranges::any_of(plan, [](const auto& point) { return point.again > 0; }));

    const stack::Experiment before = document().experiment();
    QTest::mouseClick(&view.applyButton(), Qt::LeftButton);
    EXPECT_NE(document().experiment(), before);
    EXPECT_EQ(document().experiment().step.checkpoint.kind, stack::Checkpointing::Kind::Plan);
    EXPECT_EQ(view.applyButton().text(), "Applied");
    EXPECT_EQ(view.curve().points.size(), points.size()) << "the plans hold as before";
    document().undoStack().undo();
    EXPECT_EQ(document().experiment(), before);
    EXPECT_EQ(view.applyButton().text(), "Apply");
    EXPECT_EQ(view.chosen(), 0);
}

TEST_F(PlanDialogTest, WhatALayerKeepsAndWhatIsComputedAgainAddUp) {
    PlanDialog& dialog = opened();
    const auto total = [](const PlanPoint& point) {
        base::Bytes all = 0;
        for (const PlanLayer& layer : point.layers) {
            all += layer.depth == 0 ? layer.kept + layer.freed : 0;
        }
        return all;
    };
    const auto& points = dialog.view().curve().points;
    const PlanPoint &least = points.front(), &fastest = points.back();
    EXPECT_GT(total(least), 0);
    EXPECT_TRUE(std::ranges::any_of(least.layers, &PlanLayer::again));
    EXPECT_TRUE(std::ranges::any_of(least.layers, [](const auto& layer) { return layer.freed > 0; }));
    EXPECT_EQ(least.layers.size(), fastest.layers.size());
}

TEST_F(PlanDialogTest, WhatPlansMayUseIsChosen) {
    PlanDialog& dialog = opened();
    auto* button = dialog.findChild<QPushButton*>("planChoices");
    ASSERT_NE(button, nullptr);
    EXPECT_EQ(button->text(), "recomputation + 2 more");
    const auto inplaceAbns = [&] {
        return std::ranges::any_of(dialog.view().curve().points, [](const PlanPoint& point) {
            return point.changes.join('\n').contains("inplace_abn");
        });
    };
    document().edit("leaky", [](stack::Experiment& e) {
        stack::eachLayer<stack::Activation>(e, [](stack::Layer&, stack::Activation& op) {
            op = {};
            op.kind = stack::Activation::Kind::LeakyRelu;
        });
    });
    ASSERT_TRUE(settled(dialog));
    EXPECT_FALSE(inplaceAbns()) << "it rounds differently: only where it is asked for";
    for (QAction* action : button->menu()->actions()) {
        if (action->text() == "InPlace-ABN") {
            action->trigger();
        }
    }
    EXPECT_EQ(button->text(), "recomputation + 3 more");
    ASSERT_TRUE(settled(dialog));
    EXPECT_TRUE(inplaceAbns());
}

TEST_F(PlanDialogTest, FollowsTheExperiment) {
    PlanDialog& dialog = opened();
    const base::Bytes before = dialog.view().curve().asItIs.peak;
    document().edit("batch", [](stack::Experiment& e) { e.step.batchSize *= 2; });
    EXPECT_THAT(headline(dialog), HasSubstr("has changed"));
    EXPECT_EQ(dialog.view().chosen(), -1) << "what was found does not hold";
    ASSERT_TRUE(settled(dialog));
    EXPECT_NE(dialog.view().curve().asItIs.peak, before);
    document().edit("no training", [](stack::Experiment& e) { e.step.train = false; });
    ASSERT_TRUE(settled(dialog));
    EXPECT_THAT(headline(dialog), HasSubstr("without training"));
    document().edit("bad", [](stack::Experiment& e) { e.stack.clear(); });
    ASSERT_TRUE(settled(dialog));
    EXPECT_THAT(headline(dialog), StartsWith("No plans: "));
    EXPECT_FALSE(dialog.view().applyButton().isEnabled());
}

TEST_F(PlanDialogTest, ABudgetDecidesAndWhereNothingFitsTheLeastIsSaid) {
    PlanDialog& dialog = opened();
    const auto type = [&](const QString& budget) {
        dialog.budgetField().setFocus();
        dialog.budgetField().clear();
        QTest::keyClicks(&dialog.budgetField(), budget);
        ASSERT_TRUE(settled(dialog));
    };
    const base::Bytes least = dialog.view().curve().points.front().peak;
    const base::Bytes most = dialog.view().curve().points.back().peak;
    const base::Bytes between = least + (most - least) / 2;
    type(QString::number(between) + " B");
    ASSERT_GE(dialog.view().chosen(), 0);
    EXPECT_LE(dialog.view().curve().points[static_cast<std::size_t>(dialog.view().chosen())].peak, between);
    EXPECT_THAT(headline(dialog), StartsWith("Fits within "));
    type("1 MiB");
    EXPECT_EQ(dialog.view().chosen(), 0);
    EXPECT_THAT(headline(dialog),
                StartsWith("Nothing fits within 1.00 MiB on this CPU: the least possible is"));
    QTest::mouseClick(&dialog.view().taskChanges().ask(), Qt::LeftButton);
    type("lots");
    EXPECT_THAT(headline(dialog), StartsWith("Budget: "));
}

TEST_F(PlanDialogTest, ATypedBudgetStaysInItsField) {
    PlanDialog& dialog = opened();
    widgets::CheckedEdit& field = dialog.budgetField();
    field.setFocus();
    QTest::keyClicks(&field, "120MiB");
    ASSERT_TRUE(settled(dialog));
    EXPECT_EQ(field.text(), "120MiB") << "while it is being typed";
    EXPECT_THAT(headline(dialog), HasSubstr("within 120 MiB"));
    dialog.view().slider().setFocus();
    EXPECT_EQ(field.text(), "120 MiB");
    field.setFocus();
    QTest::keyClicks(&field, " or so");
    ASSERT_TRUE(settled(dialog));
    EXPECT_THAT(headline(dialog), StartsWith("Budget: "))
        << "nothing is planned for a budget that is not one";
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_EQ(field.text(), "120 MiB");
    ASSERT_TRUE(settled(dialog));
    EXPECT_THAT(headline(dialog), HasSubstr("within 120 MiB"));
}

/// If nothing is recomputed, no text says that something is.
TEST_F(PlanDialogTest, APlanThatComputesNothingAgainHasNoParts) {
    document().edit("checkpointed", [](stack::Experiment& e) {
        e.step.checkpoint.kind = stack::Checkpointing::Kind::Segments;
        e.step.checkpoint.segments = 2;
    });
    PlanDialog& dialog = opened();
    dialog.view().choose(static_cast<int>(dialog.view().curve().points.size()) - 1);
    ASSERT_TRUE(settled(dialog));
    const PlanPoint& fastest = dialog.view().curve().points.back();
    ASSERT_TRUE(std::ranges::none_of(fastest.layers, &PlanLayer::again));
    QTest::mouseClick(&dialog.view().applyButton(), Qt::LeftButton);
    EXPECT_EQ(document().experiment().step.checkpoint.kind, stack::Checkpointing::Kind::None);
    for (const auto& point : dialog.view().steps().steps().plan) {
        EXPECT_THAT(point.where.toStdString(), ::testing::Not(HasSubstr("recompute")));
    }
}

TEST_F(PlanDialogTest, ConfirmRunsBothInTurnsAndComparesThem) {
    std::vector<std::string> order;
    window->studies().worker().setRunners(
        [&](const study::LocalRun&, const std::atomic<bool>&) -> base::Result<study::Runner> {
            return study::Runner([&](const study::Subject& subject, int) -> base::Result<study::RunOutcome> {
                order.push_back(subject.name);
                const bool plan = subject.name == "the plan";
                study::RunOutcome outcome;
                outcome.stepMs = std::vector<double>(12, plan ? 120 : 100);
                outcome.result.stepMs = {outcome.stepMs[0], outcome.stepMs[0], outcome.stepMs[0], 12};
                outcome.result.peakAllocated = 7;
                outcome.result.losses = {0.5, 0.25, 0.125};
                return outcome;
            });
        });
    PlanDialog& dialog = opened();
    dialog.view().choose(0);
    ASSERT_TRUE(settled(dialog));
    ASSERT_TRUE(dialog.view().confirmButton().isEnabled())
        << dialog.view().confirmButton().toolTip().toStdString();
    QTest::mouseClick(&dialog.view().confirmButton(), Qt::LeftButton);
    ASSERT_TRUE(settled(dialog));
    ASSERT_GE(order.size(), 6u);
    EXPECT_NE(order[0], order[1]) << "in turns";
    const QTableWidget& table = dialog.view().confirmed().table();
    ASSERT_EQ(table.rowCount(), 4) << dialog.view().confirmed().hint().toStdString();
    EXPECT_EQ(table.item(0, 2)->text(), "7 B");
    EXPECT_THAT(table.item(2, 2)->text().toStdString(), StartsWith("+20.0 %"));
    EXPECT_EQ(table.item(3, 2)->text(), "the losses of 3 steps are equal to the bit");
}

TEST_F(PlanDialogTest, WhatFailsToBeConfirmedIsSaid) {
    window->studies().worker().setRunners(
        [](const study::LocalRun&, const std::atomic<bool>&) -> base::Result<study::Runner> {
            return base::Error{"there is no engine"};
        });
    PlanDialog& dialog = opened();
    dialog.view().choose(0);
    EXPECT_EQ(dialog.run(), "");
    ASSERT_TRUE(settled(dialog));
    EXPECT_THAT(dialog.view().confirmed().hint().toStdString(), HasSubstr("there is no engine"));
}

TEST_F(PlanDialogTest, OpensFromTheMenuAndFromWhereItFits) {
    const QAction* action = nullptr;
    for (const QAction* each : window->findChildren<QAction*>()) {
        action = each->shortcut() == QKeySequence("Shift+F4") ? each : action;
    }
    ASSERT_NE(action, nullptr);
    EXPECT_TRUE(action->text().startsWith("Make it fit"));
    window->predictions().showFit(window.get());
    auto* fit = window->findChild<FitDialog*>();
    for (auto* button : fit->findChildren<QPushButton*>()) {
        if (button->text().startsWith("Make it fit")) {
            button->click();
        }
    }
    ASSERT_NE(window->predictions().plans(), nullptr);
    EXPECT_TRUE(settled(*window->predictions().plans()));
}

TEST_F(PlanDialogTest, PlansForAGpuThatIsNotHereCannotBeRun) {
    auto* device = window->findChild<QComboBox*>("Predict for");
    device->setCurrentIndex(device->findData("rtx3060"));
    PlanDialog& dialog = opened();
    EXPECT_THAT(headline(dialog), StartsWith("Fits on an RTX 3060 12 GB"));
    dialog.view().choose(0);
    EXPECT_FALSE(dialog.view().confirmButton().isEnabled());
    EXPECT_THAT(dialog.view().confirmButton().toolTip().toStdString(), HasSubstr("this machine has no"));
}

TEST(PlanValues, DevicesAreNamedWithTheirArticle) {
    EXPECT_EQ(onDevice("RTX 3060 12 GB"), "an RTX 3060 12 GB");
    EXPECT_EQ(onDevice("H100 80 GB"), "an H100 80 GB");
    EXPECT_EQ(onDevice("T4 16 GB"), "a T4 16 GB");
    EXPECT_EQ(onDevice("Quadro"), "a Quadro");
    EXPECT_EQ(onDevice("this CPU"), "this CPU");
}

TEST(PlanValues, WhatComesBackIsWhatLiesAboveTheLeastSinceRecomputationBegan) {
    widgets::Forecast forecast;
    const auto add = [&](double ms, base::Bytes activations, int phase) {
        widgets::ForecastPoint point;
        point.ms = ms;
        point.ledger[memory::Category::Activations] = activations;
        point.ledger[memory::Category::Parameters] = 5;
        point.phase = phase;
        forecast.points.push_back(point);
    };
    add(0, 10, 1);
    add(1, 40, 1);
    add(2, 60, 2);
    add(3, 50, 3);
    add(4, 30, 3);
    add(5, 35, 2);
    add(6, 90, 1);
    const auto step = toStep(forecast);
    ASSERT_EQ(step.size(), 7u);
    std::vector<base::Bytes> again;
    std::ranges::transform(step, std::back_inserter(again), &PlanStepPoint::again);
    EXPECT_EQ(again, (std::vector<base::Bytes>{0, 0, 20, 10, 0, 5, 0})) << "a forward pass is none";
    EXPECT_EQ(step[2].total, 65);
}

TEST(PlanValues, APlanTakesItsPlaceOnTheCurve) {
    predict::Target cpu;
    const auto plan = [](base::Bytes peak, double ms) {
        plan::Plan made;
        made.fit.peak = {peak, peak, peak};
        made.fit.stepMs = {ms, ms, ms};
        return made;
    };
    plan::PlanCurve curve;
    curve.plans = {plan(10, 30), plan(20, 20), plan(30, 10)};
    EXPECT_EQ(plan::insertPlan(curve, plan(15, 25), cpu), 1U);
    EXPECT_EQ(curve.plans.size(), 4u);
    EXPECT_EQ(plan::insertPlan(curve, plan(20, 22), cpu), 2U) << "the one that is there is faster";
    EXPECT_EQ(curve.plans.size(), 4u);
    EXPECT_EQ(plan::insertPlan(curve, plan(12, 15), cpu), 1U);
    EXPECT_EQ(curve.plans.size(), 3u) << "it beats two of them";
}

}  // namespace
}  // namespace highwater::desktop
