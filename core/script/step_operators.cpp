#include "core/script/step_operators.h"

#include "core/base/json_file.h"

namespace highwater::predict {

namespace {
constexpr std::size_t kMostOperators = 200'000;
constexpr base::Real kMost{0, 1e18};
}  // namespace

template <class Way>
void exchange(Way& way, base::Exchanged<Way, StepOperator>& op) {
    way("family", op.family);
    way("type", op.type);
    way("count", op.count, base::Real{1, 1e9});
    way.olderWithout("convolution", op.convolution);
    way.olderWithout("bytes", op.bytes, kMost);
    way.olderWithout("operations", op.operations, kMost);
}

template <class Way>
void exchange(Way& way, base::Exchanged<Way, StepOperators>& step) {
    way.format("format", "highwater.step-operators/1");
    way("benchmark", step.benchmark);
    way("tf32_products", step.tf32Products);
    way("dispatches", step.dispatches);
    way("kernels", step.kernels);
    way("reads", step.reads);
    way.list("operators", step.operators, kMostOperators);
}

}  // namespace highwater::predict

namespace highwater::script {

base::Result<std::optional<predict::StepOperators>> readStepOperators(
    const std::filesystem::path& runFolder) {
    using Found = std::optional<predict::StepOperators>;
    const auto file = runFolder / "step-operators.json";
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
        return Found();
    }
    auto read = base::fromJsonFile<predict::StepOperators>(file);
    return read ? base::Result<Found>(std::move(*read)) : read.error();
}

}  // namespace highwater::script
