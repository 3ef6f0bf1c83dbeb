#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/plan/propose_patch.h"
#include "core/stack/json/json.h"

/// Experiments and cohorts for the tests of core/plan.
namespace highwater::plan::testing {

/// An experiment on a cohort with this list of layers, as JSON.
inline stack::Experiment onCohort(const std::string& layers, const std::string& more = "") {
    const std::string text =
        R"({"schema": "highwater.experiment/1", "loss": "mean", "input": {"cohort": "cases",
        "channels": 1, "patch": 64}, "stack": [)" +
        layers + "]" + more + "}";
    auto experiment = stack::parseExperiment(text, "test");
    EXPECT_TRUE(experiment.ok()) << experiment.error().message;
    return experiment ? *experiment : stack::Experiment();
}

inline std::string conv(int channels, const std::string& more = "") {
    return R"({"type": "conv", "out_channels": )" + std::to_string(channels) +
           R"(, "kernel_size": 3, "padding": 1)" + more + "}";
}

/// Two levels down and up again, like a U-Net.
inline std::string smallUnet() {
    return R"({"type": "block", "name": "down", "layers": [)" + conv(8) +
           R"(, {"type": "relu", "id": "skip"}]},)" + conv(16, R"(, "stride": 2)") + "," +
           conv(32, R"(, "stride": [1, 2, 2])") +
           R"(,{"type": "conv_transpose", "out_channels": 16, "kernel_size": [1, 2, 2], "stride": [1, 2, 2]},
              {"type": "upsample", "scale_factor": 2}, {"type": "concat", "with": "skip"},)" +
           conv(1);
}

inline std::vector<CaseShape> cohort(std::size_t cases, std::array<std::int64_t, 3> size,
                                     std::array<double, 3> spacing = {1, 1, 1}) {
    return std::vector<CaseShape>(cases, {size, spacing});
}

}  // namespace highwater::plan::testing
