#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/gpu/public/public_misses.h"
#include "tests/gpu/public/public_page.h"

namespace highwater::truth {

namespace {

constexpr const char* kTimes = R"(
## Times

Times of a training step, and of a forward alone. Measured / expected is above 1 where Highwater is too fast. Rows
that wait for data are left out of the tables. The times on an H100 PCIe are predicted with the profile of the H100
and that card's published roofs. The median of each device is near 1 because the shares in its profile were taken
from these times; what the tables show is how far networks, batches, precisions and sources lie apart.

)";

constexpr const char* kNotModelled = R"(Known and not modeled:

- Small batches run slower than in proportion: the same 3D network in fp16 takes an A100 71.8, 113 and 195 ms at
  batch 1, 2 and 4. A share that depends on a kernel's work was tried; it took almost nothing out of the spread.
- `torch.compile` fuses elementwise operators and may change the layout of tensors. Every prediction is of an eager
  run.
- The library's age: the same network in TF32 at batch 2 takes an A100 210, 187 and 178 ms with PyTorch 1.8, 1.11
  and 1.14. With PyTorch 1.7, of nnU-Net v1's table, everything is slower still.
- Channels-last was measured together with a fused instance norm; the two cannot be told apart here.
- Residual encoders reach a larger share of the roof than plain U-Nets do.
- RTX 3090, 4090, 5090 and L4 have one time each. A card that is not in the table has none, and its range is wider.
)";

std::string_view precisionText(stack::Precision precision) {
    switch (precision) {
        case stack::Precision::Fp16:
            return "fp16";
        case stack::Precision::Bf16:
            return "bf16";
        case stack::Precision::Tf32:
            return "tf32";
        default:
            return "fp32";
    }
}

std::string kindOf(const TimeRow& row) {
    const Entry& entry = *row.entry;
    return fmt::format("{} {} {}{}", entry.network, precisionText(entry.experiment.step.precision),
                       entry.kind == Kind::Forward ? "forward" : "training",
                       entry.experiment.step.channelsLast ? ", channels-last" : "");
}

using Key = std::function<std::string(const TimeRow&)>;

/// A table of the rows that the GPU limits, with a line for each value of a key.
std::string table(const Comparison& comparison, const std::string& title, const Key& key) {
    std::set<std::string> keys;
    for (const TimeRow& row : comparison.times) {
        if (!row.entry->waitsForData) {
            keys.insert(key(row));
        }
    }
    std::string text = fmt::format(
        "| {} | values | median measured / expected | smallest | largest | inside "
        "|\n|---|---|---|---|---|---|\n",
        title);
    for (const std::string& each : keys) {
        const TimeFigures figures = figuresOf(comparison.times, [&](const TimeRow& row) {
            return !row.entry->waitsForData && key(row) == each;
        });
        text += fmt::format("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {} of {} |\n", each, figures.n,
                            figures.median, figures.smallest, figures.largest, figures.inside, figures.n);
    }
    return text;
}

std::string timeMisses(const Comparison& comparison) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const TimeRow& row : comparison.times) {
        if (!row.inside()) {
            found.emplace_back(fmt::format("{} ({:.2f})", row.entry->name, row.ratio()), row.entry->why);
        }
    }
    return missList(found);
}

/// The first source, and the number of others.
std::string sourceText(const std::set<std::string>& sources) {
    const std::string first = sources.empty() ? "" : "Source: " + *sources.begin();
    return sources.size() < 2
               ? first
               : fmt::format("{} and {} others; each entry names its own.", first, sources.size() - 1);
}

/// Each source with its rows, folded: GPU and kind once, then measured / expected of each.
std::string timeSources(const Comparison& comparison) {
    std::map<std::string, std::set<std::string>> addresses;
    std::map<std::string, std::map<std::string, std::vector<double>>> ratios;
    for (const TimeRow& row : comparison.times) {
        const Entry& entry = *row.entry;
        addresses[entry.series].insert(entry.source);
        ratios[entry.series]
              [fmt::format("{} {}{}", entry.gpu, kindOf(row), entry.waitsForData ? " (waits for data)" : "")]
                  .push_back(row.ratio());
    }
    std::string text;
    for (auto& [series, kinds] : ratios) {
        text += fmt::format("- **{}**. {}\n", series, sourceText(addresses[series]));
        for (auto& [kind, values] : kinds) {
            std::sort(values.begin(), values.end());
            text += fmt::format("  - {}: {:.2f}\n", kind, fmt::join(values, ", "));
        }
    }
    return text;
}

}  // namespace

std::string timeSection(const Comparison& comparison) {
    const auto gpuAndKind = [](const TimeRow& row) { return row.entry->gpu + " " + kindOf(row); };
    const auto series = [](const TimeRow& row) { return row.entry->series; };
    return kTimes + table(comparison, "GPU and kind", gpuAndKind) + "\n" +
           table(comparison, "source", series) + "\n### Where Highwater's times are wrong\n\n" +
           kNotModelled + "\nTimes outside their band, with measured / expected:\n\n" +
           timeMisses(comparison) + "\n### Every time, by source\n\nMeasured / expected of each row.\n\n" +
           timeSources(comparison);
}

}  // namespace highwater::truth
