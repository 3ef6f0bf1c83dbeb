#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/escape.h"
#include "core/report/page.h"
#include "core/report/run_sections.h"
#include "core/report/slices.h"
#include "core/report/words.h"
#include "core/stack/json/json.h"
#include "core/wire/gpu_words.h"

namespace highwater::report {
namespace {

std::optional<volume::PatchBox> patchOf(const Facts& facts) {
    const auto* scan = std::get_if<stack::ScanInput>(&facts.run->experiment.input);
    if (!scan || scan->patch.empty() || !facts.patch || facts.patch->start.size() != 3) {
        return {};
    }
    volume::PatchBox box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.start[a] = facts.patch->start[a];
        // The experiment gives depth, height, width, which are the axes k, j, i.
        box.extent[a] = scan->patch.size() == 3 ? scan->patch[2 - a] : scan->patch.front();
    }
    return box;
}

std::string scanNote(const volume::Header& header, const Facts& facts, bool boxed) {
    const auto& g = header.geometry;
    std::string text = fmt::format("{} × {} × {} voxels of {:.3g} × {:.3g} × {:.3g} mm{}, {} to {}.",
                                   g.size[0], g.size[1], g.size[2], g.spacing[0], g.spacing[1], g.spacing[2],
                                   header.spacingKnown ? "" : " (the file gives no spacing)",
                                   fmt::format("{:.4g}", header.min), fmt::format("{:.4g}", header.max));
    if (boxed) {
        text += fmt::format(" The box is the patch of {}.", facts.stepName(facts.patch->step));
    }
    return text +
           " Letters are the patient's sides: axial and coronal slices are seen with the patient's right on "
           "the left.";
}

std::string nested(int depth) {
    return depth <= 0 ? "nowrap" : fmt::format("nowrap indent{}", std::min(depth, 3));
}

Cell workspaceCell(const wire::RunResult& result, std::size_t layer) {
    const base::Bytes bytes = wire::workspaceOf(result, static_cast<int>(layer));
    return {bytes > 0 ? base::formatBytes(bytes) : "—", ""};
}

/// The rows of the layers: the run's if they were recorded, otherwise the experiment's.
std::vector<TableRow> layerRows(const Facts& facts) {
    const std::vector<ListedLayer> layers = listed(facts.run->experiment.stack);
    const auto& recorded =
        !facts.result().layers.empty() || !facts.started ? facts.result().layers : facts.started->layers;
    const bool match = recorded.size() == layers.size();
    const bool measured = std::any_of(recorded.begin(), recorded.end(), [](const wire::LayerCost& l) {
        return l.activationBytes != 0 || l.forwardMs != 0;
    });
    const auto times = [hasTimes = wire::timed(recorded)](double ms) {
        return hasTimes ? base::formatMillis(ms) : std::string();
    };
    std::vector<TableRow> rows;
    for (std::size_t i = 0; i < std::max(recorded.size(), layers.size()); ++i) {
        const stack::Layer* layer = match || recorded.empty() ? layers[i].layer : nullptr;
        if (!layer && i >= recorded.size()) {
            break;
        }
        const int depth = layer ? layers[i].depth : 0;
        const auto figures = [&](auto text) { return measured ? text : std::string(); };
        TableRow row = {{!recorded.empty() ? recorded[i].name : std::string(stack::typeName(layer->op)), "",
                         nested(depth)},
                        {layer ? optionsText(*layer) : recorded[i].type, "", "wide"}};
        if (!recorded.empty()) {
            const wire::LayerCost& cost = recorded[i];
            row.insert(row.end(), {{base::formatShapeShort(cost.outputShape), ""},
                                   {base::formatCount(cost.parameters), ""},
                                   {figures(base::formatBytes(cost.activationBytes)), ""},
                                   {times(cost.forwardMs), ""},
                                   {times(cost.backwardMs), ""}});
            if (!facts.result().workspaces.empty()) {
                row.push_back(workspaceCell(facts.result(), i));
            }
        } else {
            row.resize(7);  // without recorded layers: no measured columns, no workspace
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string definition(std::string_view term, std::string_view text) {
    return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(term), escape(text));
}

}  // namespace

std::string scanSection(const Facts& facts, const ReportInput& input, const std::string& heading) {
    if ((!input.scan || input.scan->empty()) && input.scanNote.empty()) {
        return "";
    }
    std::string out = headingHtml(heading, "Scan");
    if (!input.scan || input.scan->empty()) {
        return out + "<p>" + escape(input.scanNote) + "</p>\n";
    }
    const auto patch = patchOf(facts);
    constexpr std::array<const char*, 3> kCaptions = {"axial", "coronal", "sagittal"};
    const auto charts = sliceCharts(*input.scan, patch);
    out += "<div class=\"slices\">\n";
    for (std::size_t i = 0; i < charts.size(); ++i) {
        out += pictureFigure(charts[i], kCaptions[i]);
    }
    out += "</div>\n<p class=\"note\">" + escape(inputText(facts)) + ": " +
           escape(scanNote(input.scan->header(), facts, patch.has_value())) + "</p>\n";
    if (!input.scanNote.empty()) {
        out += "<p class=\"note\">" + escape(input.scanNote) + "</p>\n";
    }
    for (const std::string& warning : input.scan->header().warnings) {
        out += "<p class=\"note\">" + escape(warning) + "</p>\n";
    }
    return out;
}

std::string stackSection(const Facts& facts, const std::string& prefix, const std::string& heading) {
    std::string out = headingHtml(heading, "Stack");
    if (!facts.result().layers.empty()) {
        out += figure(layersChart(facts), prefix + "s");
    }
    std::vector<Column> columns = {{"layer", false},     {"options", false},    {"output", true},
                                   {"parameters", true}, {"activations", true}, {"forward", true},
                                   {"backward", true}};
    if (!facts.result().workspaces.empty()) {
        columns.push_back({"workspace", true});
    }
    return out + table(columns, layerRows(facts));
}

std::string machineSection(const Facts& facts, const std::string& heading) {
    const wire::Environment& e = facts.environment();
    std::string out = headingHtml(heading, "Machine and versions") + "<dl>\n";
    out += definition("device", e.deviceName.empty() ? e.device : e.device + ", " + e.deviceName);
    if (const std::string& host = facts.run->summary.host; !host.empty()) {
        out += definition("host", host);
    }
    if (e.memoryBytes > 0) {
        out += definition("memory", base::formatBytes(e.memoryBytes));
    }
    if (e.threads > 0) {
        out += definition("threads", fmt::format("{}", e.threads));
    }
    if (e.architecture > 0) {
        out +=
            definition("compute capability", fmt::format("{}.{}", e.architecture / 10, e.architecture % 10));
    }
    out += definition("instruction set", e.isa);
    for (const auto& [name, version] : e.versions) {
        out += definition(name, version);
    }
    out += "</dl>\n";
    if (facts.warnings.empty()) {
        return out;
    }
    out += headingHtml(heading, "Warnings") + "<ul>\n";
    for (const std::string& warning : facts.warnings) {
        out += "<li>" + escape(warning) + "</li>\n";
    }
    return out + "</ul>\n";
}

std::string againSection(const Facts& facts, const std::string& heading) {
    return headingHtml(heading, "Run it again") +
           "<p>Save the experiment below as <code>experiment.json</code>, then:</p>\n<pre>" +
           escape(commandLine(facts)) + "</pre>\n<details><summary>The experiment</summary>\n<pre>" +
           escape(stack::toText(facts.run->experiment)) + "</pre>\n</details>\n";
}

}  // namespace highwater::report
