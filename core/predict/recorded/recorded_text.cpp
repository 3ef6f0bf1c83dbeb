#include "core/predict/recorded/recorded_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace highwater::predict {

namespace {

using base::Bytes;
using base::formatBytes;

/// "+12.0 MiB", "-3.00 KiB", "0 B".
std::string signedBytes(Bytes bytes) {
    return bytes > 0 ? "+" + formatBytes(bytes) : bytes < 0 ? "-" + formatBytes(-bytes) : "0 B";
}

std::string placeText(memory::Phase phase, int layer, const stack::StackInfo& info) {
    std::string text = fmt::format("in {}", memory::phaseKey(phase));
    if (layer >= 0) {
        text += ", at " + info.layers[static_cast<std::size_t>(layer)].name;
    }
    return text;
}

/// "240 MiB (200 MiB to 300 MiB)"; without the range if its ends have the same text.
std::string rangeText(const Estimate& e) {
    const std::string low = formatBytes(e.low), high = formatBytes(e.high);
    return low == high ? formatBytes(e.expected)
                       : fmt::format("{} ({} to {})", formatBytes(e.expected), low, high);
}

/// How far the prediction is from the recording.
std::string verdict(const RecordedComparison& comparison) {
    const Bytes predicted = comparison.predictedPeak.expected, recorded = comparison.recordedPeak;
    if (predicted == recorded) {
        return "the same to the byte";
    }
    const double percent = 100.0 * std::abs(static_cast<double>(predicted - recorded)) /
                           static_cast<double>(std::max<Bytes>(1, recorded));
    return fmt::format("the prediction is {:.2f} % too {}", percent, predicted > recorded ? "high" : "low");
}

std::string keptLongerText(const RecordedKind& kind) {
    if (kind.keptLonger == 0) {
        return "";
    }
    return fmt::format(
        "{} is kept longer than predicted{}", formatBytes(kind.keptLonger),
        kind.category == memory::Category::Gradients ? " (gradients are set to none later, or kept)" : "");
}

/// A file's key as words: "optimizer state".
std::string asWords(std::string_view key) {
    std::string text(key);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

std::string sourceText(Workspace::Source source) {
    return source == Workspace::Source::Measured ? "measured"
           : source == Workspace::Source::Asked  ? "asked of cuDNN"
                                                 : "guessed";
}

}  // namespace

std::vector<std::string> comparisonLines(const RecordedComparison& c, const stack::StackInfo& info) {
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("{} found in the snapshot: {} of the {} requests of a step are there, with "
                    "their sizes and in their order.",
                    base::counted(c.steps, "training step"), c.found, c.requests));
    if (c.beginsLater) {
        lines.emplace_back("The snapshot is long; only its last requests were compared.");
    }
    lines.push_back(fmt::format(
        "Peak of a step{}: predicted {} ({}), recorded {} ({}): {}.", c.steps > 1 ? " after the first" : "",
        rangeText(c.predictedPeak), placeText(c.predictedPhase, c.predictedLayer, info),
        formatBytes(c.recordedPeak), placeText(c.recordedPhase, c.recordedLayer, info), verdict(c)));
    if (c.highest > c.recordedPeak) {
        lines.push_back(fmt::format("At its highest, before that or after, the snapshot has {}.",
                                    formatBytes(c.highest)));
    }
    std::size_t found = 0, varying = 0;
    for (const RecordedWorkspace& each : c.workspaces) {
        found += each.steps > 0 ? 1 : 0;
        varying += each.varies ? 1 : 0;
    }
    if (!c.workspaces.empty()) {
        lines.push_back(
            fmt::format("Workspaces of cuDNN: {} of {} were found{}.", found, c.workspaces.size(),
                        varying > 0 ? fmt::format(", {} of them not the same in every step", varying) : ""));
    }
    return lines;
}

std::vector<std::vector<std::string>> kindRows(const RecordedComparison& c) {
    std::vector<std::vector<std::string>> rows{
        {"at the peak", "predicted", "recorded", "recorded - predicted", ""}};
    for (const RecordedKind& kind : c.kinds) {
        if (kind.predicted > 0 || kind.recorded > 0) {
            rows.push_back({asWords(memory::categoryKey(kind.category)), formatBytes(kind.predicted),
                            formatBytes(kind.recorded), signedBytes(kind.recorded - kind.predicted),
                            keptLongerText(kind)});
        }
    }
    if (c.unexplained > 0) {
        std::string from;
        for (const UnexplainedBlocks& other : c.others) {
            if (from.size() < 100) {
                from += fmt::format("{}{} {}", from.empty() ? "" : "; ", formatBytes(other.bytes),
                                    other.label.empty() ? "of unknown origin" : "by " + other.label);
            }
        }
        rows.push_back(
            {"not of this experiment", "0 B", formatBytes(c.unexplained), signedBytes(c.unexplained), from});
    }
    return rows;
}

std::vector<std::vector<std::string>> workspaceRows(const RecordedComparison& c,
                                                    const stack::StackInfo& info) {
    std::vector<std::vector<std::string>> rows{{"workspace of", "for", "predicted", "that is", "recorded"}};
    for (const RecordedWorkspace& each : c.workspaces) {
        rows.push_back({each.layer >= 0 ? info.layers[static_cast<std::size_t>(each.layer)].name : "",
                        asWords(convPartKey(each.part)), rangeText(each.predicted), sourceText(each.source),
                        each.steps == 0 ? "not found"
                        : each.varies   ? formatBytes(each.recorded) + ", not always"
                                        : formatBytes(each.recorded)});
    }
    return rows;
}

}  // namespace highwater::predict
