#include <fmt/format.h>

#include <map>
#include <set>

#include "tests/gpu/public/public_misses.h"
#include "tests/gpu/public/public_page.h"

namespace highwater::truth {

namespace {

double inMiB(base::Bytes bytes) {
    return static_cast<double>(bytes) / static_cast<double>(base::kMiB);
}

std::string groupLine(const Comparison& comparison, const std::string& name, const MemoryFilter& wanted) {
    const MemoryFigures figures = figuresOf(comparison.memory, wanted);
    if (figures.n == 0) {
        return "";
    }
    return fmt::format("| {} | {} | {:.3f} % | {:+.2f} % | {} of {} |\n", name, figures.n, figures.median,
                       figures.worst, figures.inside, figures.n);
}

std::string groups(const Comparison& comparison) {
    std::string text = "| group | values | median error | worst error | inside |\n|---|---|---|---|---|\n";
    for (const Kind kind : {Kind::TrainingStep, Kind::OneLayer, Kind::Forward, Kind::RefusedRequest}) {
        for (const Measure measure : {Measure::Allocated, Measure::Reserved, Measure::Refused}) {
            const std::string name = measure == Measure::Refused
                                         ? std::string(kindText(kind))
                                         : fmt::format("{}, {}", kindText(kind), measureText(measure));
            text += groupLine(comparison, name, [&](const MemoryRow& row) {
                return row.entry->kind == kind && row.measured.measure == measure;
            });
        }
    }
    for (const char* trust : {"highest", "high", "medium", "low"}) {
        text += groupLine(comparison, fmt::format("trust: {}", trust),
                          [&](const MemoryRow& row) { return row.entry->trust == trust; });
    }
    text += groupLine(comparison, "LibTorch 2.0 and later",
                      [](const MemoryRow& row) { return row.entry->libtorch.starts_with("2."); });
    return text + groupLine(comparison, "LibTorch 1.x",
                            [](const MemoryRow& row) { return row.entry->libtorch.starts_with("1."); });
}

std::string memoryMisses(const Comparison& comparison) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const MemoryRow& row : comparison.memory) {
        if (isMiss(row)) {
            found.emplace_back(
                fmt::format("{} ({}, {:+.1f} %{})", row.entry->name, measureText(row.measured.measure),
                            100 * row.knownError(), row.inside() ? "" : ", outside"),
                row.entry->why);
        }
    }
    return missList(found);
}

std::string tableRow(const MemoryRow& row) {
    const Entry& entry = *row.entry;
    const double low = inMiB(row.predicted.low), high = inMiB(row.predicted.high);
    const std::string known =
        entry.pythonBytes > 0 ? fmt::format("{:+.3f} %", 100 * row.knownError()) : std::string();
    return fmt::format(
        "| {} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} ({:.1f} to {:.1f}) | {:+.3f} % | {} | {} |\n",
        entry.name, entry.title, entry.gpu, entry.libtorch, entry.trust, measureText(row.measured.measure),
        inMiB(row.measured.bytes), inMiB(row.predicted.expected), low, high, 100 * row.error(), known,
        row.inside() ? "yes" : "**no**");
}

/// Each source once, with its entries.
std::string memorySources(const Comparison& comparison) {
    std::map<std::string, std::set<std::string>> names;
    for (const MemoryRow& row : comparison.memory) {
        names[row.entry->source].insert(row.entry->name);
    }
    std::string text;
    for (const auto& [source, entries] : names) {
        text += fmt::format("- {}: {}\n", source, fmt::join(entries, ", "));
    }
    return text;
}

}  // namespace

std::string memorySection(const Comparison& comparison) {
    std::string text =
        "\n## Memory\n\n" + groups(comparison) +
        fmt::format(
            "\n### Where Highwater's memory is wrong\n\nValues more than {:.0f} % off or outside their "
            "interval, and why, as far as it is understood:\n\n",
            100 * kMiss) +
        memoryMisses(comparison) +
        "\n### Every value\n\nMiB. *Known* is the error with the bytes added that a Python loop is known to "
        "hold "
        "(the network's output during backward, gradients that are never reset). Of single layers and "
        "forwards "
        "that part of a prediction is compared that the published figure is about; what the script's loop "
        "holds "
        "besides is in it.\n\n| entry | what | GPU | LibTorch | trust | measured | MiB | predicted | error | "
        "known "
        "| inside |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const MemoryRow& row : comparison.memory) {
        text += tableRow(row);
    }
    return text + "\nSources:\n\n" + memorySources(comparison);
}

}  // namespace highwater::truth
