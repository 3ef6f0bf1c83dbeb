#include "tests/core/predict/accuracy/foretold.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/engine/run/runner.h"
#include "core/stack/json/json.h"

namespace highwater::predict::testing {
namespace {

using memory::Category;

std::string splitText(const memory::Ledger& ledger) {
    std::string text;
    for (const Category each : memory::kCategories) {
        text += fmt::format("{} {} ", memory::categoryKey(each), ledger[each]);
    }
    return text;
}

/// Parameters, gradients, optimizer state, input and activations at one moment.
void expectSameTensors(const memory::Ledger& measured, const memory::Ledger& predicted, const char* when) {
    for (const Category each : {Category::Input, Category::Parameters, Category::OptimizerState,
                                Category::Gradients, Category::Activations}) {
        EXPECT_EQ(measured[each], predicted[each])
            << memory::categoryKey(each) << " " << when << "; measured " << splitText(measured)
            << "; predicted " << splitText(predicted);
    }
}

// A single test, because the 300 runs are expensive.
TEST(Accuracy, ThreeHundredRandomStacks) {
    if (const auto why = otherRules()) {
        GTEST_SKIP() << *why;
    }
    Accuracy accuracy;
    std::vector<double> errors;
    std::size_t held = 0, sameEvents = 0, rows = 0, missing = 0;
    for (const int seed : seedsByThreads(kCases)) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const Case each = makeCase(seed);
        const auto outcome = accuracy.run(each);
        ASSERT_TRUE(outcome) << outcome.error().message;
        expectSameTensors(outcome->measured.atEnd, outcome->predicted.atEnd, "at the end");
        expectSameTensors(outcome->measured.highest, outcome->predicted.highest, "at its own maximum");
        expectSameTensors(outcome->measured.atPeak, outcome->predicted.atPeak, "at the peak");
        errors.push_back(std::abs(relativeError(*outcome)));
        held += holds(*outcome) ? 1 : 0;
        sameEvents += outcome->sameEvents ? 1 : 0;
        rows += outcome->rows;
        missing += outcome->missing;
    }
    fmt::print(
        "{} of {} stacks predicted allocation by allocation; {} convolution passes, {} rows measured now\n",
        sameEvents, kCases, rows, missing);
    fmt::print("error of the peak: median {:.4f} %, 95th percentile {:.4f} %, worst {:.4f} %\n",
               100 * quantile(errors, 0.5), 100 * quantile(errors, 0.95), 100 * quantile(errors, 1));
    fmt::print("without rows the interval held {} of {}\n", held, kCases);
    EXPECT_GE(sameEvents, kCases * 99 / 100);
    EXPECT_EQ(quantile(errors, 0.5), 0);
    EXPECT_EQ(quantile(errors, 1), 0);  // otherwise no prediction may claim to be exact
    EXPECT_GE(held, kCases * 95 / 100);
}

}  // namespace
}  // namespace highwater::predict::testing
