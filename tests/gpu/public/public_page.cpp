#include "tests/gpu/public/public_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace highwater::truth {

namespace {

constexpr const char* kOpening = R"(# Predictions against what others measured and published

Made by `docs/make-public-truth` from the files in `tests/gpu/public`; do not edit.

Nobody of this project measured these figures. They stand in issues of PyTorch, in tables of nnU-Net, NVIDIA and
MONeT, in the repositories of papers, in training logs and in reports. Each entry holds the network as an
experiment, the GPU and the versions, the figure as published with its rounding, where it stands, and what had to be
assumed. Highwater predicts the experiment for that GPU and these versions; this page holds the two against each
other.

**How entries were chosen.** Every published figure was taken whose network, input, batch, precision and GPU are
known, or can be assumed with a reason that the entry states, and that Highwater can express. None was left out for
its error. Left out were networks that it cannot express (attention, gates, PReLU, pure half models), figures
without a shape, and 36 training times on GPUs without a profile (RTX 3080 Ti, Quadro RTX 6000, Titan RTX, Titan
Xp). *Trust* says how much is known of a measurement: *highest* is the script and the exact bytes, *low* is
`nvidia-smi` or a network that had to be reconstructed.

**How blind this is.** The experiments were written first and predicted once. After looking at the differences some
were completed: the copy that MONAI's BasicUNet makes (confirmed in its source), the values that Python variables
hold (they follow from the scripts), the H100 of two issues (inferred from cuBLAS's 32 MiB in the very figure), and
the context in GPUMemNet's figures (another table of the same authors). When an H200's measurements had shown that
LibTorch's instance_norm copies channels-last tensors, the fused norm of NVIDIA's 22.11 runs was taken as
batch_norm, and the shares were fitted once more. The rules of memory were written before the
figures were collected; a rule that was mended because of a figure is not blind to it any more. The shares of the
roofs in the GPUs' profiles were fitted: where a profile names this page, the times below are a fit and no proof.

LibTorch older than 1.13 is predicted as 1.13, the pre-release 1.14 as 2.0, an unknown one as 2.1. cuDNN is not
asked; the tables of its answers that Highwater ships are used where they have rows. A value is *inside* if its
interval of rounding meets the predicted interval.
)";

std::string memoryLine(const Comparison& comparison, Measure measure) {
    const auto figures =
        figuresOf(comparison.memory, [&](const MemoryRow& row) { return row.measured.measure == measure; });
    return fmt::format("| {} | {} | {:.2f} % | {:+.1f} % | {} of {} |\n", measureText(measure), figures.n,
                       figures.median, figures.worst, figures.inside, figures.n);
}

std::string timeLine(const Comparison& comparison, bool waits) {
    const auto figures =
        figuresOf(comparison.times, [&](const TimeRow& row) { return row.entry->waitsForData == waits; });
    return fmt::format("| {} | {} | {:.2f} | {:.2f} to {:.2f} | {} of {} | {:.2f} to {:.2f} |\n",
                       waits ? "wait for data" : "limited by the GPU", figures.n, figures.median,
                       figures.smallest, figures.largest, figures.inside, figures.n, figures.low,
                       figures.high);
}

std::string summary(const Comparison& comparison) {
    std::string text = fmt::format(
        "\n## Summary\n\n{} sizes and {} times.\n\n| memory | values | median error | worst error | inside "
        "the "
        "interval |\n|---|---|---|---|---|\n",
        comparison.memory.size(), comparison.times.size());
    for (const Measure measure : {Measure::Allocated, Measure::Reserved, Measure::Refused}) {
        text += memoryLine(comparison, measure);
    }
    text +=
        "\nErrors are (predicted - measured) / measured, with the bytes added that the published script is "
        "known "
        "to hold and Highwater's step does not.\n\n| times | values | median measured / expected | range | "
        "inside "
        "the band | the band, of expected (medians) |\n|---|---|---|---|---|---|\n";
    return text + timeLine(comparison, false) + timeLine(comparison, true);
}

}  // namespace

std::string publicPage(const Comparison& comparison) {
    std::string text = kOpening + summary(comparison) + memorySection(comparison) + timeSection(comparison);
    if (!comparison.refused.empty()) {
        text += "\n## Not predicted\n\n";
        for (const std::string& refused : comparison.refused) {
            text += "- " + refused + "\n";
        }
    }
    return text;
}

}  // namespace highwater::truth
