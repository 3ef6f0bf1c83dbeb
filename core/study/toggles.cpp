#include "core/study/toggles.h"

#include <algorithm>

#include "core/stack/shapes.h"
#include "core/study/toggle_applies.h"

namespace highwater::study {

namespace {

enum class Where { Anywhere, Cpu, Gpu };
constexpr bool kOtherTask = true;

Toggle toggle(std::string_view id, std::string_view row, std::string_view title, std::string_view what,
              Switched (*apply)(const stack::Experiment&), Where where = Where::Anywhere,
              bool changesTask = false) {
    return {id, title, what, row, where == Where::Gpu, where == Where::Cpu, changesTask, apply};
}

std::vector<Toggle> makeToggles() {
    return {
        toggle("custom_conv_fused", "S1", "Fused custom conv",
               "Every custom_conv computes its transform and its kernel in one pass.", fusedCustomConv),
        toggle("checkpoint_blocks", "S2", "Checkpoint every block",
               "Every top-level block keeps only its input and is recomputed in the backward pass.",
               checkpointBlocks),
        toggle("checkpoint_sqrt", "S2", "Checkpoint sqrt(n) segments",
               "The stack is cut into about sqrt(n) segments of equal length, which are recomputed in the "
               "backward pass.",
               checkpointSqrt),
        toggle("onednn_off", "S3", "oneDNN off", "Convolutions use LibTorch's own CPU kernels.", oneDnnOff,
               Where::Cpu),
        toggle("cudnn_off", "S3", "cuDNN off", "Convolutions use LibTorch's own GPU kernels.", cudnnOff,
               Where::Gpu),
        toggle("cudnn_benchmark", "S3", "cuDNN benchmark",
               "cuDNN tries its algorithms on the first step and keeps the fastest.", cudnnBenchmark,
               Where::Gpu),
        toggle("deterministic", "S3", "Deterministic",
               "Only algorithms that give the same bits each time are used.", deterministic, Where::Gpu),
        toggle("tf32", "S3", "TF32",
               "Convolutions and matrix products of fp32 round their inputs to 10 bits of mantissa.", tf32,
               Where::Gpu),
        toggle("workers", "S4", "Data workers",
               "Two workers read and augment patches ahead of the training thread.", workers),
        toggle("pinned", "S4", "Pinned memory",
               "Patches lie in page-locked memory, so copies to the GPU do not wait.", pinned, Where::Gpu),
        toggle("pool_first", "S5", "Pool first",
               "The input is averaged over 2 along each axis; the output is interpolated back where the loss "
               "needs its size.",
               poolFirst, Where::Anywhere, kOtherTask),
        toggle("windows", "S6", "Sliding windows",
               "The input is processed by overlapping windows of half its size along each axis.", windows,
               Where::Anywhere, kOtherTask),
        toggle("separable", "S7", "Depthwise-separable convs",
               "Every conv with a kernel above 1 becomes a depthwise and a pointwise one.", separable,
               Where::Anywhere, kOtherTask),
        toggle("micro_batches", "S9", "2 micro-batches (gradient accumulation)",
               "The batch is passed in two halves, whose gradients add up.", microBatches),
        toggle("inplace", "S10", "In-place activations",
               "Every activation overwrites its input where that is allowed.", inplaceActivations),
        toggle("inplace_abn", "S10", "InPlace-ABN",
               "Batch norm and the leaky_relu or elu after it become one layer that keeps only its output.",
               inplaceAbn),
        toggle("bf16", "", "bf16 autocast", "Convolutions compute and keep 16 bits (bfloat16).", bf16,
               Where::Gpu),
        toggle("fp16", "", "fp16 autocast",
               "Convolutions compute and keep 16 bits (float16), with a scaled loss.", fp16, Where::Gpu),
        toggle("channels_last", "", "Channels last", "Tensors use the channels_last memory format.",
               channelsLast, Where::Gpu),
    };
}

}  // namespace

const std::vector<Toggle>& toggles() {
    static const std::vector<Toggle> all = makeToggles();
    return all;
}

const Toggle* findToggle(std::string_view id) {
    const auto found =
        std::find_if(toggles().begin(), toggles().end(), [&](const Toggle& each) { return each.id == id; });
    return found == toggles().end() ? nullptr : &*found;
}

std::vector<std::pair<std::string, stack::Experiment>> otherTasks(const stack::Experiment& experiment,
                                                                  bool cuda) {
    std::vector<std::pair<std::string, stack::Experiment>> all;
    for (const Toggle& toggle : toggles()) {
        if (toggle.changesTask && checkToggle(toggle, experiment, cuda)) {
            all.emplace_back(toggle.title, *toggle.apply(experiment));
        }
    }
    return all;
}

base::Status checkToggle(const Toggle& toggle, const stack::Experiment& experiment, bool cuda) {
    if (cuda ? toggle.needsCpu : toggle.needsGpu) {
        return base::Error{cuda ? "has no effect on a GPU" : "needs a GPU"};
    }
    const auto changed = HIGHWATER_TRY(toggle.apply(experiment));
    const auto info = stack::inferShapes(changed);
    return info ? stack::checkSupported(changed, *info, cuda) : base::Status(info.error());
}

}  // namespace highwater::study
