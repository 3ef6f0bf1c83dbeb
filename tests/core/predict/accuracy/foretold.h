#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>

#include "core/engine/run/runner.h"
#include "tests/core/predict/accuracy/accuracy.h"

/// Random cases in which every allocation must be predicted.
namespace highwater::predict::testing {

/// Why a test of the CPU's rules is to be skipped.
inline std::optional<std::string> otherRules() {
    const std::string here = engine::environment("cpu").versions.at("libtorch");
    if (here.starts_with("1.13")) {
        return std::nullopt;
    }
    return "the CPU's rules are those of LibTorch 1.13; this is " + here;
}

using MakeCase = std::function<std::optional<Case>(int seed)>;
using LookAt = std::function<void(const Case&)>;

/// Runs the cases of the seeds 0 to `seeds` - 1; returns their number.
inline int expectForetold(int seeds, const MakeCase& make, const LookAt& look = {}) {
    Accuracy accuracy;
    int cases = 0;
    for (const int seed : seedsByThreads(seeds)) {
        SCOPED_TRACE(fmt::format("seed {}", seed));
        const auto each = make(seed);
        if (!each) {
            continue;
        }
        const auto outcome = accuracy.run(*each);
        EXPECT_TRUE(outcome) << outcome.error().message;
        if (!outcome) {
            return cases;
        }
        ++cases;
        if (look) {
            look(*each);
        }
        EXPECT_EQ(outcome->predicted.peak, outcome->measured.peak);
        EXPECT_EQ(outcome->predicted.atPeak, outcome->measured.atPeak);
        EXPECT_EQ(outcome->predicted.atEnd, outcome->measured.atEnd);
        EXPECT_EQ(outcome->difference, "");
        EXPECT_TRUE(outcome->sameEvents);
    }
    return cases;
}

}  // namespace highwater::predict::testing
