#include "app/cli/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/report/sweep_csv.h"
#include "core/study/toggles.h"

namespace highwater::cli {

namespace {

using study::Measured;
using study::SweepResult;
using Rows = std::vector<std::vector<std::string>>;

std::string intervalText(const base::Interval& time) {
    if (time.n < 2) {
        return "one repeat";
    }
    return fmt::format("{} to {}", base::formatMillis(time.low), base::formatMillis(time.high));
}

std::string cellTable(const SweepResult& result) {
    Rows rows(1);
    for (const study::Axis& axis : result.sweep.axes) {
        rows[0].push_back(axis.name);
    }
    std::vector<std::size_t> right;
    for (std::size_t column = 0; column < 2; ++column) {
        right.push_back(rows[0].size() + column);
    }
    rows[0].insert(rows[0].end(), {"memory", "step", "95 % interval", "n", "front"});
    const bool places = std::any_of(result.measured.begin(), result.measured.end(),
                                    [](const Measured& m) { return !m.place.empty(); });
    if (places) {
        rows[0].push_back("measured on");
    }
    right.push_back(right.back() + 2);
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        const Measured& m = result.measured[c];
        std::vector<std::string> row = result.cells[c].words;
        const std::string memory =
            m.result.peakAllocated > 0 ? base::formatBytes(m.result.peakAllocated) : "-";
        if (report::hasTime(m)) {
            row.insert(row.end(), {memory, base::formatMillis(m.stepMs.median), intervalText(m.stepMs),
                                   std::to_string(m.stepMs.n), report::onFront(result, c) ? "*" : ""});
        } else {
            row.insert(row.end(), {memory, "-", report::cellStatus(result, c), "", ""});
        }
        if (places) {
            row.push_back(m.place.empty() ? ""
                                          : fmt::format("{}, {}", m.place, m.result.environment.deviceName));
        }
        rows.push_back(std::move(row));
    }
    return table(rows, right);
}

std::string effectLines(const SweepResult& result) {
    std::string text;
    std::size_t axes = 0;
    for (const study::Effect& effect : result.effects) {
        if (effect.axes.size() != axes) {
            text +=
                effect.axes.size() == 1
                    ? "\nmain effects (on against off, the second value against the first, over all others)\n"
                    : "\ninteractions (beyond what each does alone)\n";
        }
        axes = effect.axes.size();
        text += "  " + base::oneLine(study::describe(effect, result.sweep), 5000) + "\n";
    }
    return text;
}

/// Why a toggle cannot be switched on; empty if it can.
std::string whyNot(const study::Toggle& toggle, const stack::Experiment& experiment, bool cuda) {
    if (toggle.needsGpu && !cuda) {
        return "needs a GPU (--device cuda)";
    }
    const auto can = study::checkToggle(toggle, experiment, cuda);
    return can ? "" : can.error().message;
}

}  // namespace

std::string sweepText(const SweepResult& result) {
    std::string text = cellTable(result);
    if (!result.front.empty()) {
        text += "* on the front: no other takes less memory and less time\n";
    }
    text += effectLines(result);
    for (const std::string& note : result.notes) {
        text += (&note == &result.notes.front() ? "\nnote: " : "note: ") + base::oneLine(note, 5000) + "\n";
    }
    return text;
}

std::string togglesText(const stack::Experiment& experiment, bool cuda) {
    Rows rows = {{"toggle", "row", "applies", "effect, or why it does not apply"}};
    for (const study::Toggle& toggle : study::toggles()) {
        const std::string no = whyNot(toggle, experiment, cuda);
        const std::string what = std::string(toggle.what) + (toggle.changesTask ? " Another task." : "");
        rows.push_back({std::string(toggle.id), std::string(toggle.row), no.empty() ? "yes" : "no",
                        no.empty() ? what : no});
    }
    return table(rows, {});
}

}  // namespace highwater::cli
