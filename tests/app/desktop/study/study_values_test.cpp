#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/desktop/study/claims/claim_values.h"
#include "app/desktop/study/factorial/factorial_estimate.h"
#include "app/desktop/study/factorial/factorial_values.h"
#include "core/report/sweep_csv.h"
#include "tests/app/desktop/run/fake_runs.h"
#include "tests/core/study/applicable.h"

namespace highwater::desktop {
namespace {

using ::testing::HasSubstr;

study::Finding finding() {
    study::Finding f;
    f.id = "S2.memory";
    f.verdict = study::Verdict::Depends;
    f.boundary = "up to batch size 4; not from 8";
    f.why = "Because.";
    f.figures = {{"plain", "peak_allocated_bytes", "B", {100, 100, 100, 3}, "4"},
                 {"plain", "no_such_quantity", "", {1, 1, 1, 1}, ""}};
    f.device = "cpu";
    f.deviceName = "A processor";
    f.libtorch = "1.13.1";
    f.isa = "avx2";
    f.threads = 2;
    f.created = "2026-11-21T17:05:00Z";
    return f;
}

TEST(ClaimValues, AClaimWithItsFinding) {
    study::Claim claim;
    claim.id = "S2.memory";
    claim.row = "S2";
    claim.statement = "Less memory";
    claim.along = study::Claim::Along{};
    claim.along->words = "batch size";
    study::Finding found = finding();
    found.why = "of the layers it is `enc1 conv`, which keeps 4 MiB against 2 MiB";
    found.figures[0].quantity = "kept_activations:enc1";
    const ClaimRow row = toRow(claim, &found);
    EXPECT_EQ(row.why, "of the layers it is enc1 conv, which keeps 4 MiB against 2 MiB");
    EXPECT_EQ(row.rowTitle, "checkpointing");
    EXPECT_EQ(row.verdict, ClaimVerdict::Depends);
    EXPECT_EQ(row.boundary, "up to batch size 4; not from 8");
    ASSERT_EQ(row.figures.size(), 2u);
    EXPECT_EQ(
        row.figures[0].quantity,
        QString::fromStdString(study::wordsOf(*study::parseQuantity("kept_activations:enc1"))).remove('`'))
        << "a name in the window is not quoted as a file's";
    EXPECT_EQ(row.figures[0].at, "batch size 4");
    EXPECT_EQ(row.figures[1].quantity, "no_such_quantity") << "of another version";
    EXPECT_THAT(row.measuredOn.toStdString(),
                HasSubstr("A processor, 2 threads, avx2, LibTorch 1.13.1 · 2026-11-21"));
    const ClaimRow fresh = toRow(claim, nullptr);
    EXPECT_EQ(fresh.verdict, ClaimVerdict::NotRun);
    EXPECT_EQ(fresh.measuredOn, "");
}

TEST(ClaimValues, EveryRowOfTheListHasATitle) {
    for (int i = 1; i <= 12; ++i) {
        EXPECT_FALSE(rowTitle("S" + std::to_string(i)).isEmpty()) << i;
    }
    EXPECT_TRUE(rowTitle("S13").isEmpty());
}

TEST(FactorialValues, LeversThatDoNotApplySayWhyAndTheOthersDo) {
    const stack::Experiment experiment = highwater::desktop::test::smallExperiment();
    for (const bool cuda : {false, true}) {
        std::vector<QString> offered, applicable;
        for (const ToggleRow& row : toggleRows(experiment, cuda)) {
            if (row.whyNot.isEmpty()) {
                offered.push_back(row.id);
            }
        }
        for (const study::Toggle* toggle : study::testing::applicableToggles(experiment, cuda)) {
            applicable.push_back(QString::fromStdString(std::string(toggle->id)));
        }
        EXPECT_EQ(offered, applicable) << (cuda ? "cuda" : "cpu");
    }
    bool gpu = false;
    for (const ToggleRow& row : toggleRows(experiment, false)) {
        if (row.id == "tf32") {
            gpu = true;
            EXPECT_THAT(row.whyNot.toStdString(), HasSubstr("needs a GPU"));
        }
    }
    EXPECT_TRUE(gpu);
}

/// Two levers, the last combination out of memory.
study::SweepResult measuredSweep() {
    FactorialChoice choice;
    choice.toggles = {"inplace", "checkpoint_blocks"};
    const study::Sweep sweep = sweepOf(highwater::desktop::test::smallExperiment(), choice);
    auto cells = *study::expand(sweep, false);
    std::vector<study::Measured> measured(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        measured[i].name = cells[i].subject.name;
        measured[i].repeatMs = {10.0 + static_cast<double>(i), 10.1 + static_cast<double>(i)};
        measured[i].stepMs = base::medianWithInterval(measured[i].repeatMs);
        measured[i].result.peakAllocated = static_cast<base::Bytes>(100 - 10 * i) * base::kMiB;
    }
    measured.back().status = wire::RunStatus::OutOfMemory;
    measured.back().why = "asked for \"14.8\" of 11.6 GiB, over";
    measured.back().stepMs = {};
    return study::evaluate(sweep, std::move(cells), std::move(measured));
}

TEST(FactorialValues, CombinationsAreNamedByWhatIsOn) {
    const auto rows = toRows(measuredSweep());
    ASSERT_EQ(rows.combinations.size(), 4u);
    EXPECT_EQ(rows.title, "small");
    EXPECT_EQ(rows.axes, (QStringList{"Checkpoint every block", "In-place activations"}));
    EXPECT_EQ(rows.combinations[0].name, "unchanged");
    EXPECT_EQ(rows.combinations[1].name, "In-place activations");
    EXPECT_EQ(rows.combinations[3].name, "Checkpoint every block, In-place activations");
    EXPECT_EQ(rows.combinations[1].peak, 90 * base::kMiB);
    EXPECT_TRUE(rows.combinations[1].front);
    EXPECT_FALSE(rows.combinations[3].measured);
    EXPECT_EQ(rows.combinations[3].status, "out of memory");
    EXPECT_FALSE(rows.notes.isEmpty()) << "a combination is missing";
}

TEST(FactorialValues, CsvHasALineForEachCombinationAndQuotesWhatNeedsIt) {
    const std::string csv = report::sweepCsv(measuredSweep());
    EXPECT_THAT(
        csv, HasSubstr("cell,Checkpoint every block,In-place activations,status,why,peak_allocated_bytes,"));
    EXPECT_THAT(csv, HasSubstr("off,off,done,,104857600,,10.05,"));
    EXPECT_THAT(
        csv,
        HasSubstr(",on,on,out_of_memory,\"asked for \"\"14.8\"\" of 11.6 GiB, over\",73400320,,,,,,,no,"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
}

TEST(FactorialEstimateTest, GrowsWithRepeatsAndStepsAndCanBeCancelled) {
    FactorialChoice choice;
    choice.toggles = {"inplace", "checkpoint_blocks"};
    const study::Sweep sweep = sweepOf(highwater::desktop::test::smallExperiment(), choice);
    std::atomic<bool> cancel{false};
    const FactorialEstimate small = estimate(sweep, choice, {}, false, cancel);
    EXPECT_TRUE(small.complete);
    EXPECT_EQ(small.cannotRun, 0);
    EXPECT_GE(small.highMs + small.unknown, small.lowMs);
    choice.repeats *= 2;
    choice.mostRepeats *= 2;
    EXPECT_NEAR(estimate(sweep, choice, {}, false, cancel).lowMs, 2 * small.lowMs, 1e-6 * small.lowMs);
    EXPECT_THAT(estimateText(small).toStdString(), HasSubstr("Estimated time"));
    cancel = true;
    EXPECT_FALSE(estimate(sweep, choice, {}, false, cancel).complete);
    EXPECT_EQ(estimateText({}), "");
}

TEST(FactorialEstimateTest, SaysWhatCannotBeRun) {
    EXPECT_EQ(estimateText({200'000, 400'000, 2, {}, 1, true}).toStdString(),
              "Estimated time: about 3 min to 7 min. No time estimate for 1 combination. "
              "2 combinations cannot be run.");
}

}  // namespace
}  // namespace highwater::desktop
