#include "core/plan/make_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/paths.h"
#include "core/predict/ghost/walk.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"
#include "core/stack/rewrites.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/build.h"

namespace highwater::plan {
namespace {

/// Conv, norm and activation, repeated; `norm` is a layer type.
stack::Experiment units(int count, const std::string& norm,
                        const std::string& step = R"({"batch_size": 4})") {
    std::string layers;
    for (int i = 0; i < count; ++i) {
        layers += R"({"type": "conv", "out_channels": 16, "kernel_size": 3, "padding": 1}, {"type": ")" +
                  norm + R"("}, {"type": "relu"}, )";
    }
    auto made = stack::testing::experimentOf(
        "[1, 64, 64, 64]", layers + R"({"type": "conv", "out_channels": 1, "kernel_size": 1})",
        R"("loss": "mean", "step": )" + step);
    EXPECT_TRUE(made) << made.error().message;
    return *made;
}

predict::Target gpu(const stack::Experiment& experiment, const char* id = "rtx3060") {
    auto target = predict::gpuTarget(id, experiment);
    EXPECT_TRUE(target) << target.error().message;
    return *target;
}

double msOf(const Plan& plan) {
    return plan.fit.stepMs.expected;
}

TEST(MakeFit, TheCurveFallsInTimeAsMemoryRises) {
    const stack::Experiment e = units(8, "instance_norm");
    for (const predict::Target& target : {predict::Target{}, gpu(e)}) {
        const auto curve = planCurve(e, target);
        ASSERT_TRUE(curve) << curve.error().message;
        ASSERT_GT(curve->plans.size(), 4U);
        for (std::size_t i = 1; i < curve->plans.size(); ++i) {
            const Plan &less = curve->plans[i - 1], &more = curve->plans[i];
            EXPECT_LT(counted(less.fit, target), counted(more.fit, target));
            EXPECT_GT(msOf(less), msOf(more));
        }
        EXPECT_LT(counted(curve->plans.front().fit, target), counted(curve->asItIs.fit, target) * 2 / 3);
        EXPECT_LE(msOf(curve->plans.back()), msOf(curve->asItIs));
    }
}

/// A plan's figures are those of a prediction of its experiment, and its task is the same.
TEST(MakeFit, APlanIsAnExperiment) {
    const stack::Experiment e = units(5, "instance_norm");
    const predict::Target target = gpu(e);
    const auto curve = planCurve(e, target);
    ASSERT_TRUE(curve) << curve.error().message;
    for (const Plan& plan : curve->plans) {
        auto other = predict::gpuTarget("rtx3060", plan.experiment);
        ASSERT_TRUE(other);
        const auto again = needOn(plan.experiment, *other);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->peak, plan.fit.peak) << headline(plan);
        EXPECT_EQ(again->stepMs, plan.fit.stepMs);
        EXPECT_EQ(plan.experiment.step.batchSize, 4);
        EXPECT_EQ(plan.experiment.input, e.input);
        EXPECT_EQ(plan.experiment.stack.size(), e.stack.size());
    }
}

TEST(MakeFit, PlansStayUnderTheBudget) {
    const stack::Experiment e = units(6, "batch_norm");
    for (const predict::Target& target : {predict::Target{}, gpu(e)}) {
        const auto curve = planCurve(e, target);
        ASSERT_TRUE(curve) << curve.error().message;
        const base::Bytes least = counted(curve->plans.front().fit, target),
                          most = counted(curve->asItIs.fit, target);
        double before = 1e300;
        for (int i = 0; i <= 6; ++i) {
            const base::Bytes budget = least + (most - least) * i / 6;
            const auto plan = planUnder(e, target, budget);
            ASSERT_TRUE(plan) << plan.error().message;
            ASSERT_TRUE(*plan);
            EXPECT_LE(counted((*plan)->fit, target), budget);
            EXPECT_LE(msOf(**plan), before * 1.02);
            before = msOf(**plan);
        }
        EXPECT_FALSE(*planUnder(e, target, least / 2));
    }
}

/// A budget limits what a plan may need; the free memory of the GPU is another limit.
TEST(MakeFit, APlanFitsTheGpuWhateverItsBudget) {
    const stack::Experiment e = units(6, "batch_norm");
    predict::Target target = gpu(e);
    EXPECT_EQ(budgetOn(target, target.memory), Budget()) << "a GPU of 12 GB leaves less than that";
    EXPECT_EQ(budgetOn(target, target.memory - 1), target.memory - 1);
    EXPECT_EQ(budgetOn({}, target.memory), target.memory);
    const auto curve = planCurve(e, target);
    ASSERT_TRUE(curve) << curve.error().message;
    const base::Bytes least = counted(curve->plans.front().fit, target),
                      most = counted(curve->asItIs.fit, target);
    const base::Bytes left = least + 2 * (most - least) / 3;
    target.others = curve->asItIs.fit.capacity - left;
    for (const base::Bytes budget : {most, target.memory / 2}) {
        const auto plan = planUnder(e, target, budget);
        ASSERT_TRUE(plan) << plan.error().message;
        ASSERT_TRUE(*plan);
        EXPECT_EQ((*plan)->fit.fits, predict::Fits::Yes);
        EXPECT_LE(counted((*plan)->fit, target), left);
    }
}

TEST(MakeFit, NormAndActivationAreComputedAgainBeforeConvolutionsAre) {
    const stack::Experiment e = units(8, "batch_norm");
    const predict::Target target = gpu(e);
    const auto curve = planCurve(e, target);
    ASSERT_TRUE(curve) << curve.error().message;
    const auto info = stack::inferShapes(e);
    bool found = false;
    for (const Plan& plan : curve->plans) {
        const std::vector<int> forwards = forwardsOf(plan.experiment, *info);
        int norms = 0, convs = 0;
        for (std::size_t i = 0; i < forwards.size(); ++i) {
            norms += info->layers[i].type == "batch_norm" && forwards[i] > 1 ? 1 : 0;
            convs += info->layers[i].type == "conv" && forwards[i] > 1 ? 1 : 0;
        }
        found = found || (norms >= 5 && convs <= 1);
    }
    EXPECT_TRUE(found);
}

TEST(MakeFit, ABatchIsDividedOnlyWithoutItsStatistics) {
    for (const char* const norm : {"instance_norm", "batch_norm"}) {
        const stack::Experiment e = units(3, norm);
        const auto curve = planCurve(e, gpu(e));
        ASSERT_TRUE(curve) << curve.error().message;
        const bool divided = std::any_of(curve->plans.begin(), curve->plans.end(), [](const Plan& plan) {
            return plan.experiment.step.microBatches > 1;
        });
        EXPECT_EQ(divided, std::string_view(norm) == "instance_norm");
        PlanChoices whole;
        whole.microBatches = false;
        const auto undivided = planCurve(e, gpu(e), whole);
        ASSERT_TRUE(undivided) << undivided.error().message;
        for (const Plan& plan : undivided->plans) {
            EXPECT_EQ(plan.experiment.step.microBatches, 1);
        }
    }
}

/// LibTorch's instance_norm copies what a convolution gives it in channels_last back to contiguous memory,
/// and the next convolution copies again; its batch_norm does not. Measured on an H200, nnU-Net took 88 to
/// 102 ms so, and 78 to 84 with contiguous tensors.
/// A CPU on which every convolution of the unchanged experiment was measured, without temporaries.
predict::Target measuredCpu(const stack::Experiment& experiment) {
    using predict::ConvKey;
    using predict::OpEvent;
    auto calibration = std::make_shared<predict::Calibration>();
    for (const ConvKey& key : predict::convolutionsOf(experiment, *stack::inferShapes(experiment))) {
        predict::OpRow row;
        row.microseconds = key.multiplyAdds() / 1e4;
        const bool forward = key.pass == ConvKey::Pass::Forward;
        for (const auto& [made, number] :
             {std::pair(forward || key.inputGradient, 0), std::pair(key.weightGradient, 1),
              std::pair(!forward && key.bias, 2)}) {
            if (made) {
                row.events.push_back({OpEvent::Kind::Result, number});
            }
        }
        calibration->add(key, row);
    }
    calibration->prepareGuesses();
    predict::Target target;
    target.calibration = std::move(calibration);
    return target;
}

/// Micro-batches are not compared with measurements, but they are not hidden either.
TEST(MakeFit, WhatIsOnlyGuessedToNeedLessIsSaid) {
    const stack::Experiment e = units(3, "instance_norm");
    const predict::Target target = measuredCpu(e);
    const auto curve = planCurve(e, target);
    ASSERT_TRUE(curve) << curve.error().message;
    EXPECT_TRUE(std::ranges::all_of(curve->plans,
                                    [](const Plan& plan) { return plan.experiment.step.microBatches == 1; }));
    ASSERT_TRUE(curve->guessed);
    EXPECT_GT(curve->guessed->experiment.step.microBatches, 1);
    EXPECT_LT(curve->guessed->fit.peak.expected, curve->plans.front().fit.peak.expected);
    EXPECT_FALSE(curve->guessed->changes.empty());
    PlanChoices whole;
    whole.microBatches = false;
    EXPECT_FALSE(planCurve(e, target, whole)->guessed);
    EXPECT_FALSE(planCurve(e, predict::Target{})->guessed) << "where all is a guess, all are compared";
}

TEST(MakeFit, ChannelsLastIsNotTakenWhereNormsCopyBack) {
    const stack::Experiment e = units(8, "instance_norm", R"({"batch_size": 4, "precision": "fp16"})");
    const predict::Target target = gpu(e, "h200");
    const auto curve = planCurve(e, target);
    ASSERT_TRUE(curve) << curve.error().message;
    const auto whole = counted(curve->asItIs.fit, target);
    for (const int percent : {55, 70, 85}) {
        const Plan* fastest = nullptr;
        for (const Plan& plan : curve->plans) {
            if (counted(plan.fit, target) <= whole * percent / 100 &&
                (fastest == nullptr || msOf(plan) < msOf(*fastest))) {
                fastest = &plan;
            }
        }
        ASSERT_NE(fastest, nullptr) << percent;
        EXPECT_FALSE(fastest->experiment.step.channelsLast) << percent;
    }
}

TEST(MakeFit, SettingsOfTheWholeStepArePartOfPlansOnAGpu) {
    stack::Experiment e = units(4, "instance_norm");
    for (std::size_t i = 0; i + 1 < e.stack.size(); i += 3) {
        std::get<stack::Conv>(e.stack[i].op).outChannels =
            12;  // in no table, so that all forms are guessed in the same way
    }
    const predict::Target target = gpu(e);
    const auto plansWith = [&](const PlanChoices& choices, const auto& wanted) {
        const auto curve = planCurve(e, target, choices);
        EXPECT_TRUE(curve) << curve.error().message;
        return curve ? std::count_if(curve->plans.begin(), curve->plans.end(),
                                     [&](const Plan& plan) { return wanted(plan.experiment.step); })
                     : -1;
    };
    const auto autocast = [](const stack::Step& step) { return step.precision == stack::Precision::Bf16; };
    const auto channelsLast = [](const stack::Step& step) { return step.channelsLast; };
    PlanChoices choices;
    EXPECT_EQ(plansWith(choices, autocast), 0) << "it rounds differently: only where it is asked for";
    choices.channelsLast = false;
    EXPECT_EQ(plansWith(choices, channelsLast), 0);
    choices.autocast = true;
    EXPECT_GT(plansWith(choices, autocast), 0);
    choices.channelsLast = true;
    EXPECT_GT(
        plansWith(choices, [&](const stack::Step& step) { return autocast(step) && channelsLast(step); }), 0)
        << "tensor cores are faster with it";

    const auto curve = planCurve(e, target, choices);
    ASSERT_TRUE(curve) << curve.error().message;
    const auto named = std::find_if(curve->plans.begin(), curve->plans.end(),
                                    [&](const Plan& plan) { return autocast(plan.experiment.step); });
    ASSERT_NE(named, curve->plans.end());
    EXPECT_EQ(headline(*named).substr(0, 4), "bf16");
    EXPECT_LT(counted(curve->plans.front().fit, target), counted(curve->asItIs.fit, target) / 2);

    const auto old = predict::gpuTarget("rtx2080ti", e);
    ASSERT_TRUE(old) << old.error().message;
    const auto before = planCurve(e, *old, choices);
    ASSERT_TRUE(before) << before.error().message;
    for (const Plan& plan : before->plans) {
        EXPECT_FALSE(autocast(plan.experiment.step)) << "before Ampere it is fp16";
    }
    EXPECT_EQ(planCurve(e, {}, choices)->plans.size(), planCurve(e, {})->plans.size())
        << "the CPU has neither";
}

TEST(MakeFit, WhatIsKeptMayWaitInTheHostsMemoryWhereThatIsFaster) {
    stack::Experiment e = units(6, "instance_norm");
    for (std::size_t i = 0; i + 1 < e.stack.size(); i += 3) {  // expensive to recompute
        std::get<stack::Conv>(e.stack[i].op).outChannels = 96;
    }
    const predict::Target target = gpu(e);
    const auto plain = planCurve(e, target);
    ASSERT_TRUE(plain) << plain.error().message;
    const base::Bytes budget = counted(plain->asItIs.fit, target) * 2 / 3;
    PlanChoices choices;
    const auto without = planUnder(e, target, budget, choices);
    choices.offload = true;
    const auto with = planUnder(e, target, budget, choices);
    ASSERT_TRUE(without && *without && with && *with);
    EXPECT_LE(msOf(**with), msOf(**without));
    EXPECT_LE(counted((*with)->fit, target), budget);
    const auto planOf = [](const Plan& plan) { return plan.experiment.step.checkpoint.plan; };
    EXPECT_FALSE(stack::offloads(planOf(**without))) << "only where it is asked for";
    EXPECT_EQ((*without)->fit.onHost, 0);

    const auto curve = planCurve(e, target, choices);
    ASSERT_TRUE(curve) << curve.error().message;
    const auto away = std::find_if(curve->plans.begin(), curve->plans.end(),
                                   [&](const Plan& plan) { return stack::offloads(planOf(plan)); });
    ASSERT_NE(away, curve->plans.end());
    EXPECT_GT(away->fit.onHost, 0);
    EXPECT_NE(headline(*away).find("offload "), std::string::npos) << headline(*away);
    const auto info = stack::inferShapes(away->experiment);
    const std::vector<bool> offloaded = offloadedOf(away->experiment, *info);
    EXPECT_GT(std::count(offloaded.begin(), offloaded.end(), true), 0);
    stack::Experiment alone = e;
    alone.step.checkpoint = away->experiment.step.checkpoint;
    EXPECT_FALSE(roundsDifferently(e, alone)) << "what comes back is what was sent";

    const auto onCpu = planCurve(e, {}, choices);
    ASSERT_TRUE(onCpu) << onCpu.error().message;
    for (const Plan& plan : onCpu->plans) {
        EXPECT_FALSE(stack::offloads(planOf(plan))) << "a CPU has no other memory";
    }
}

TEST(MakeFit, WhatRoundsDifferentlyIsKnown) {
    const stack::Experiment e = units(2, "batch_norm");
    stack::Experiment same = e;
    same.step.checkpoint = {stack::Checkpointing::Kind::Plan, same.step.checkpoint.segments, {{0, 2, {}}}};
    same = *stack::withInplaceActivations(same);
    EXPECT_FALSE(roundsDifferently(e, same));
    using Change = void (*)(stack::Experiment&);
    for (const Change change :
         {Change([](stack::Experiment& x) { x.step.microBatches = 2; }),
          Change([](stack::Experiment& x) { x.step.channelsLast = true; }),
          Change([](stack::Experiment& x) { x.step.precision = stack::Precision::Bf16; }),
          Change([](stack::Experiment& x) { x.stack[1].op = stack::InplaceAbn{}; })}) {
        stack::Experiment other = same;
        change(other);
        EXPECT_TRUE(roundsDifferently(e, other));
    }
}

TEST(MakeFit, WhatCostsNoTimeIsInEveryPlan) {
    const stack::Experiment e = units(4, "batch_norm");
    const auto curve = planCurve(e, {});
    ASSERT_TRUE(curve) << curve.error().message;
    for (const Plan& plan : curve->plans) {
        EXPECT_EQ(std::get<stack::Activation>(plan.experiment.stack[2].op).inplace, !plan.changes.empty());
    }
    EXPECT_EQ(curve->plans.front().changes.back(), "4 activations more in place");
    EXPECT_EQ(headline(curve->asItIs), "unchanged");
}

TEST(MakeFit, AnExperimentThatFitsIsLeftAsItIs) {
    const stack::Experiment e = units(4, "batch_norm");
    const auto plan = planUnder(e, gpu(e), {});
    ASSERT_TRUE(plan && *plan);
    EXPECT_LE((*plan)->slower, 0);
}

TEST(MakeFit, OtherTasksAreNamedWhereNothingFits) {
    const stack::Experiment e = units(6, "batch_norm");
    const predict::Target target = gpu(e);
    const auto curve = planCurve(e, target);
    ASSERT_TRUE(curve) << curve.error().message;
    const base::Bytes budget = counted(curve->plans.front().fit, target) * 2 / 3;
    ASSERT_FALSE(*planUnder(e, target, budget));
    const auto others = planTaskChanges(e, target, budget);
    ASSERT_TRUE(others) << others.error().message;
    ASSERT_EQ(others->size(), 2U);
    EXPECT_LT((*others)[0].experiment.step.batchSize, 4);
    EXPECT_NE(stack::patchOf((*others)[1].experiment), stack::patchOf(e));
    for (const Plan& other : *others) {
        EXPECT_LE(counted(other.fit, target), budget);
    }

    stack::Experiment small = e;
    small.step.batchSize = 1;
    const auto more = planTaskChanges(e, target, budget, {}, {}, {{"A batch of one", small}, {"Nothing", e}});
    ASSERT_TRUE(more) << more.error().message;
    ASSERT_EQ(more->size(), 3U) << "what is not within the budget either is left out";
    EXPECT_EQ(more->back().changes.front(), "A batch of one");
    EXPECT_EQ(more->back().experiment.step.batchSize, 1);
}

TEST(MakeFit, WhatCannotBePlannedIsSaid) {
    const auto message = [](const stack::Experiment& e) {
        const auto curve = planCurve(e, {});
        return curve ? std::string("a plan") : curve.error().message;
    };
    EXPECT_EQ(message(units(2, "batch_norm", R"({"train": false})")),
              "without training, nothing is kept for a backward pass, so there is nothing to plan");
    stack::Experiment wrong = units(1, "batch_norm");
    std::get<stack::Conv>(wrong.stack[0].op).groups = 5;
    EXPECT_NE(message(wrong).find("groups"), std::string::npos);
    std::atomic<bool> cancel = true;
    const auto cancelled = planCurve(units(2, "batch_norm"), {}, {}, {&cancel, {}});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().message, "cancelled");
}

TEST(MakeFit, EveryPresetHasPlans) {
    const auto presets = stack::loadPresets();
    ASSERT_TRUE(presets) << presets.error().message;
    for (const stack::Preset& preset : *presets) {
        const auto curve = planCurve(preset.experiment, {});
        ASSERT_TRUE(curve) << preset.id << ": " << curve.error().message;
        EXPECT_GT(curve->plans.size(), 1U) << preset.id;
    }
}

/// A part of one convolution runs nothing again, whose input is kept anyway.
TEST(MakeFit, APlanThatComputesNothingAgainIsNoCheckpointing) {
    const auto sample = stack::loadExperiment(base::resourcesFolder() / "samples" / "sample.json");
    ASSERT_TRUE(sample) << sample.error().message;
    PlanChoices choices;
    choices.microBatches = false;
    const auto curve = planCurve(*sample, {}, choices);
    ASSERT_TRUE(curve) << curve.error().message;
    int without = 0;
    for (const Plan& plan : curve->plans) {
        const auto info = stack::inferShapes(plan.experiment);
        const std::vector<int> forwards = forwardsOf(plan.experiment, *info);
        if (std::ranges::any_of(forwards, [](int times) { return times > 1; })) {
            continue;
        }
        EXPECT_EQ(plan.experiment.step.checkpoint.kind, stack::Checkpointing::Kind::None);
        EXPECT_TRUE(plan.experiment.step.checkpoint.plan.empty());
        EXPECT_EQ(headline(plan).find("no recomputation"), 0U) << headline(plan);
        ++without;
    }
    EXPECT_GE(without, 1);
}

}  // namespace
}  // namespace highwater::plan
