#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/engine/books/accounting.h"
#include "core/stack/experiment.h"
#include "core/stack/json/json.h"

/// Training through the engine's own components, with everything that a test compares made accessible.
namespace highwater::engine::testing {

struct Outcome {
    std::vector<float> losses;
    std::vector<at::Tensor> gradients;  ///< of the last step
    std::vector<at::Tensor> parameters, buffers;
    Bytes peak = 0;
    std::size_t segments = 0;
};

/// Trains some steps of a valid experiment on this many threads. `refuse` refuses the n-th allocation (from
/// 0); exceptions are passed on.
Outcome train(const stack::Experiment& experiment, int steps, int threads = 1, std::int64_t refuse = -1);
/// The same experiment without any checkpoint.
stack::Experiment uncheckpointed(stack::Experiment experiment);

/// Bitwise equal (NaN equals NaN); otherwise reports the first difference.
std::string difference(const Outcome& a, const Outcome& b);

/// An experiment from the text of its stack and further JSON members.
inline stack::Experiment parse(const std::string& members) {
    auto parsed = stack::parseExperiment("{\"schema\": \"highwater.experiment/1\", " + members + "}", "test");
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    return parsed.ok() ? *parsed : stack::Experiment{};
}

}  // namespace highwater::engine::testing
