#include "core/report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/report/fit_rows.h"
#include "core/report/portable.h"
#include "core/report/run_sections.h"
#include "core/report/scatter_chart.h"
#include "core/report/sweep_csv.h"
#include "core/report/words.h"

namespace highwater::report {
namespace {

using base::formatBytes;
using study::Measured;
using study::SweepResult;

std::string statusWords(const SweepResult& result, std::size_t cell) {
    std::string text = cellStatus(result, cell);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

/// "cuda:0, NVIDIA H200, LibTorch 2.4 on lab": each device once.
std::vector<std::string> devicesOf(const SweepResult& result) {
    std::set<std::string> devices;
    for (const Measured& m : result.measured) {
        const wire::Environment& e = m.result.environment;
        if (e.device.empty()) {
            continue;
        }
        const auto libtorch = e.versions.find("libtorch");
        devices.insert(fmt::format("{}{}{}{}", e.device, e.deviceName.empty() ? "" : ", " + e.deviceName,
                                   libtorch == e.versions.end() ? "" : ", LibTorch " + libtorch->second,
                                   m.place.empty() ? "" : " on " + m.place));
    }
    return {devices.begin(), devices.end()};
}

std::string nameOfCell(const SweepResult& result, std::size_t cell) {
    const std::string& name = result.cells[cell].subject.name;
    return name.empty() ? fmt::format("cell {}", cell + 1) : name;
}

Cards sweepCards(const SweepResult& result) {
    std::size_t done = 0;
    std::optional<std::size_t> smallest, fastest;
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        if (!hasTime(result.measured[c])) {
            continue;
        }
        ++done;
        const auto less = [&](auto value, std::optional<std::size_t> best) {
            return !best || value(result.measured[c]) < value(result.measured[*best]);
        };
        if (less([](const Measured& m) { return m.result.peakAllocated; }, smallest)) {
            smallest = c;
        }
        if (less([](const Measured& m) { return m.stepMs.median; }, fastest)) {
            fastest = c;
        }
    }
    Cards cards{{{"Measured",
                  fmt::format("{} of {}", done, result.cells.size()),
                  {base::counted(static_cast<std::int64_t>(result.cells.size()), "combination")}}}};
    if (smallest) {
        cards.cards.push_back({"Least memory",
                               formatBytes(result.measured[*smallest].result.peakAllocated),
                               {nameOfCell(result, *smallest)}});
        cards.cards.push_back({"Shortest step",
                               base::formatMillis(result.measured[*fastest].stepMs.median),
                               {nameOfCell(result, *fastest)}});
    }
    return cards;
}

Chart sweepChart(const SweepResult& result) {
    Scatter scatter;
    scatter.title = "Memory against time of every combination";
    scatter.unit = "ms";
    scatter.bytesName = "peak memory";
    scatter.yName = "time of a step; lines: 95 % intervals";
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        const Measured& m = result.measured[c];
        if (!hasTime(m)) {
            continue;
        }
        Scatter::Dot dot{static_cast<double>(m.result.peakAllocated), m.stepMs.median, m.stepMs.low,
                         m.stepMs.high};
        if (onFront(result, c)) {
            dot.label = nameOfCell(result, c);
            dot.kind = Scatter::Kind::Best;
        }
        scatter.dots.push_back(std::move(dot));
    }
    scatter.legend = {"measured", "no other takes less memory and less time", ""};
    return scatterChart(std::move(scatter));
}

Table cellsTable(const SweepResult& result) {
    Table table;
    for (const study::Axis& axis : result.sweep.axes) {
        table.columns.push_back({axis.name});
    }
    table.columns.insert(
        table.columns.end(),
        {{"memory", true}, {"step", true}, {"95 % interval", true}, {"n", true}, {"status"}});
    for (std::size_t c = 0; c < result.cells.size(); ++c) {
        const Measured& m = result.measured[c];
        const bool front = onFront(result, c), timed = hasTime(m);
        const std::string& why = result.cells[c].problem.empty() ? m.why : result.cells[c].problem;
        TableRow row;
        for (const std::string& word : result.cells[c].words) {
            row.push_back({.text = word, .bold = front});
        }
        row.push_back({m.result.peakAllocated > 0 ? formatBytes(m.result.peakAllocated) : "—"});
        row.push_back({timed ? base::formatMillis(m.stepMs.median) : "—"});
        row.push_back({timed && m.stepMs.n > 1 ? fmt::format("{} to {}", base::formatMillis(m.stepMs.low),
                                                             base::formatMillis(m.stepMs.high))
                                               : "—"});
        row.push_back({timed ? std::to_string(m.stepMs.n) : "—"});
        row.push_back({.text = front ? "best" : statusWords(result, c),
                       .note = why,
                       .tone = front   ? Tone::Good
                               : timed ? Tone::Muted
                                       : Tone::Warning});
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string effectCell(const base::Interval& ratio, bool differs) {
    if (ratio.n == 0) {
        return "—";
    }
    const auto percent = [](double value) { return fmt::format("{:+.1f}", 100 * (value - 1)); };
    return fmt::format("{} % ({} to {}){}", percent(ratio.median), percent(ratio.low), percent(ratio.high),
                       differs ? "" : ", within the noise");
}

Parts effectsPart(const SweepResult& result) {
    if (result.effects.empty()) {
        return {};
    }
    std::vector<TableRow> rows;
    for (const study::Effect& effect : result.effects) {
        rows.push_back({{.text = study::effectName(effect, result.sweep), .fit = Fit::Wide},
                        {effect.axes.size() == 1 ? "alone" : "together, beyond what each does alone"},
                        {effectCell(effect.memory, effect.memoryDiffers)},
                        {effectCell(effect.time, effect.timeDiffers)}});
    }
    return {heading(2, "What each axis does"),
            note("Geometric means over all other combinations, with 95 % intervals: the second value against "
                 "the first."),
            Table{{{"axis"}, {"effect"}, {"memory", true}, {"time", true}}, std::move(rows)}};
}

/// Without the folders of this machine.
SweepResult withoutFolders(SweepResult result) {
    result.sweep.base = portable(std::move(result.sweep.base));
    for (study::Cell& cell : result.cells) {
        cell.subject.experiment = portable(std::move(cell.subject.experiment));
    }
    return result;
}

Document sweepDocument(const SweepInput& input) {
    const SweepResult& result = input.result;
    const bool factorial = result.sweep.mode == study::SweepMode::Factorial;
    Document document;
    document.title = !result.sweep.name.empty() ? result.sweep.name : titleOf(result.sweep.base);
    document.created = input.created;
    Parts& out = document.head;
    out = {paragraph(factorial ? "Highwater report · a factorial" : "Highwater report · a sweep",
                     Paragraph::Kind::Eyebrow),
           heading(1, document.title)};
    for (const std::string& device : devicesOf(result)) {
        out.push_back(paragraph("Measured on " + device, Paragraph::Kind::Meta));
    }
    add(out, {sweepCards(result), paragraph(setupText(result.sweep.base))});
    for (const std::string& remark : result.notes) {
        out.push_back(note(remark));
    }
    add(out, {heading(2, "Memory against time"), Figure{sweepChart(result), "front"}});
    add(out, effectsPart(result));
    add(out, {heading(2, "Combinations"), cellsTable(result), heading(2, "Run it again"),
              Paragraph{{{"Save the text below as "},
                         {.text = "sweep.json", .code = true},
                         {" and open it in the window's Sweep, or:"}}},
              Code{"highwater-cli sweep sweep.json"},
              Code{base::jsonText(study::toJson(withoutFolders(result).sweep), 2), "The sweep"}});
    document.footer = "All figures were measured; combinations that were not run have none.";
    if (!input.created.empty()) {
        document.footer += " Report made " + readableTime(input.created) + ".";
    }
    return document;
}

}  // namespace

Content contentOf(const SweepInput& input) {
    return {[&] { return sweepDocument(input); }, [&] { return sweepCsv(input.result); },
            [&] { return base::jsonText(study::toJson(withoutFolders(input.result)), 2) + "\n"; }};
}

}  // namespace highwater::report
