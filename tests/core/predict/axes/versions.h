#pragma once

#include <gtest/gtest.h>

#include "core/predict/predict.h"
#include "tests/core/stack/build.h"

namespace highwater::predict::testing {

inline CudaVersions versionsOf(const char* torch, const char* cudnn, int architecture = 80) {
    return {*parseTorchVersion(torch), *parseCudnnVersion(cudnn), architecture};
}
inline const CudaVersions kOld = versionsOf("2.0", "8.9.2");  ///< before the index range was lifted

/// A stack with the mean of one sample as its loss; `step` are further keys of its step.
inline stack::Experiment cliffExperiment(const std::string& input, const std::string& layers,
                                         const std::string& step = "") {
    auto made = stack::testing::experimentOf(input, layers,
                                             R"("loss": "mean", "step": {"batch_size": 1)" + step + "}");
    EXPECT_TRUE(made) << made.error().message;
    return std::move(made).value();
}

}  // namespace highwater::predict::testing
