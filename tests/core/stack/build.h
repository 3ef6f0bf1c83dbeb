#pragma once

#include <gmock/gmock.h>

#include <string>

#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

/// Stacks from short JSON texts, for tests.
namespace highwater::stack::testing {

/// An experiment whose loss fits every stack. `layers` is the content of the list, `more` are further keys.
inline base::Result<Experiment> experimentOf(const std::string& input, const std::string& layers,
                                             const std::string& more = R"("loss": "mean")") {
    return parseExperiment(R"({"schema": "highwater.experiment/1", "input": {"synthetic": )" + input + "}, " +
                               more + R"(, "stack": [)" + layers + "]}",
                           "test");
}

inline base::Result<StackInfo> infer(
    const std::string& input, const std::string& layers,
    const std::string& more = R"("loss": "mean", "step": {"train": false})") {
    const auto experiment = experimentOf(input, layers, more);
    if (!experiment) {
        return experiment.error();
    }
    return inferShapes(*experiment);
}

inline Input scanInput(const std::vector<std::string>& scans, Sizes patch) {
    ScanInput scan;
    for (const std::string& path : scans) {
        scan.scans.push_back({path, {}, 0});
    }
    scan.patch = std::move(patch);
    return scan;
}

inline Target labelsTarget(std::string path) {
    Target target;
    target.kind = Target::Kind::Labels;
    target.labels = std::move(path);
    return target;
}

/// The output of one layer without the batch, or the error as a failure.
inline Shape outputOf(const std::string& input, const std::string& layers) {
    const auto info = infer(input, layers);
    if (!info) {
        ADD_FAILURE() << info.error().message;
        return {};
    }
    return Shape(info->output.begin() + 1, info->output.end());
}

inline std::string errorOf(const std::string& input, const std::string& layers,
                           const std::string& more = R"("loss": "mean", "step": {"train": false})") {
    const auto info = infer(input, layers, more);
    return info ? "no error" : info.error().message;
}

}  // namespace highwater::stack::testing
