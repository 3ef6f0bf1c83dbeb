#include "tests/gpu/rules/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace highwater::gpu {

namespace {

double errorOf(base::Bytes predicted, base::Bytes measured) {
    return std::abs(static_cast<double>(predicted - measured)) /
           static_cast<double>(std::max<base::Bytes>(1, measured));
}

std::string errorsOf(const std::vector<double>& errors) {
    return fmt::format("{:.2f} %, {:.2f} %, {:.2f} %", 100 * quantile(errors, 0.5),
                       100 * quantile(errors, 0.95), 100 * quantile(errors, 1));
}

}  // namespace

void Totals::add(const Walks& walks) {
    ++run;
    equal += difference(walks) ? 0 : 1;
    samePeak += walks.predictedPeak == walks.measuredPeak ? 1 : 0;
    peaks.push_back(errorOf(walks.predictedPeak, walks.measuredPeak));
    reserved.push_back(errorOf(walks.predictedReserved, walks.measuredReserved));
}

void Totals::add(const std::vector<Rung>& ladder) {
    rungs += static_cast<int>(ladder.size());
    rungsRight += static_cast<int>(std::count_if(
        ladder.begin(), ladder.end(), [](const Rung& rung) { return rung.measured == rung.predicted; }));
}

double quantile(std::vector<double> errors, double share) {
    if (errors.empty()) {
        return 0;
    }
    std::sort(errors.begin(), errors.end());
    return errors[static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size() - 1)))];
}

std::string rowOf(std::string_view name, const Totals& totals, bool ladder) {
    return fmt::format("| {} | {} | {} | {} | {} | {} |{}\n", name, totals.run, totals.equal, totals.samePeak,
                       errorsOf(totals.peaks), errorsOf(totals.reserved),
                       ladder ? fmt::format(" {} of {} |", totals.rungsRight, totals.rungs) : "");
}

std::string rulesPage(const Totals& standard, const Totals& random) {
    return R"(# GPU rules against LibTorch's own operators

Made by `docs/make-gpu-rules`; do not edit. GPU rules against LibTorch 2.11's own operators and allocator, on a
pretended device that executes nothing (`core/pretend`): Highwater's engine trains two steps of an experiment on
LibTorch's unmodified CUDA build, which makes every decision and every request for memory as on a GPU, while kernels
do nothing. The predictor walks the same two steps. Compared are all allocations and frees in order, with their
sizes, layers and phases (*equal*: no difference at all), the peak of the tensors, the peak of what the allocator
reserves, and for capacities from 70 % to 110 % of the predicted peak whether the run ends out of memory.

| experiments | run | equal | same peak of tensors | its error: median, 95th percentile, worst | reserved: the same | out of memory said rightly |
| --- | --- | --- | --- | --- | --- | --- |
)" + rowOf("presets and nnU-Net's 3d_fullres", standard) +
           rowOf("random, every layer kind and lever", random) +
           R"(
Presets and nnU-Net: fp32, fp16, bf16, contiguous and channels_last; fp16 with SGD (nesterov) and Adam, blocks
checkpointed or not. Random: also tf32, cuDNN on and off, deterministic, micro-batches, at sizes of a few kilobytes,
where what is reserved hardly ever changes.

Known to differ: 3d batch_norm of bf16 in channels_last takes more than is predicted (the worst of the presets);
where two heads lie in one checkpointed block, LibTorch's device thread begins backward with the one that arrives first,
a race that the walk decides one way. Small orders of frees and copies differ in the rest that is not equal.

What this does not show:

- cuDNN's workspaces, and which algorithm it takes: the pretended device's need none, and none are predicted here;
- times;
- what a driver and a context take, and where it puts segments;
- other versions than LibTorch 2.11;
- values: nothing overflows, so GradScaler never leaves out a step.
)";
}

std::string askedSection(const AskedTotals& asked) {
    return fmt::format(R"(
## With the workspaces that cuDNN answers

The same experiments. For every convolution the pretended cuDNN is told the workspace of the first plan that cuDNN {}
answers for the {} (`highwater-cudnn`, without a GPU), and the predictor takes the same answers. The pretended device looks up what
LibTorch asks of cuDNN: operation, sizes, strides, padding, dilation, type and layout. A convolution that the predictor
describes otherwise than LibTorch finds no workspace, and the peaks differ. {} questions were answered. `benchmark` is off,
and capacities are not compared: with one plan a convolution there is no other to take when memory is short.

| experiments | run | equal | same peak of tensors | its error: median, 95th percentile, worst | reserved: the same |
| --- | --- | --- | --- | --- | --- |
{}{})",
                       asked.cudnn, asked.device, asked.questions,
                       rowOf("presets and nnU-Net's 3d_fullres", asked.standard, false),
                       rowOf("random, every layer kind and lever", asked.random, false));
}

}  // namespace highwater::gpu
