#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/charts.h"
#include "core/report/portable.h"
#include "core/report/run_sections.h"
#include "core/report/slices.h"
#include "core/report/words.h"
#include "core/stack/json/json.h"
#include "core/wire/gpu_words.h"
#include "core/wire/script_source.h"

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

Cell workspaceCell(const wire::RunResult& result, std::size_t layer) {
    const base::Bytes bytes = wire::workspaceOf(result, static_cast<int>(layer));
    return {bytes > 0 ? base::formatBytes(bytes) : "—"};
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
        TableRow row = {
            {.text = !recorded.empty() ? recorded[i].name : std::string(stack::typeName(layer->op)),
             .fit = Fit::NoWrap,
             .indent = std::clamp(depth, 0, 3)},
            {.text =
                 layer ? optionsText(*layer, facts.run->experiment.step.checkpoint.kind) : recorded[i].type,
             .fit = Fit::Wide}};
        if (!recorded.empty()) {
            const wire::LayerCost& cost = recorded[i];
            row.insert(row.end(), {{base::formatShapeShort(cost.outputShape)},
                                   {base::formatCount(cost.parameters)},
                                   {figures(base::formatBytes(cost.activationBytes))},
                                   {times(cost.forwardMs)},
                                   {times(cost.backwardMs)}});
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

}  // namespace

Parts scanSection(const Facts& facts, const ReportInput& input, int level) {
    if ((!input.scan || input.scan->empty()) && input.scanNote.empty()) {
        return {};
    }
    Parts out = {heading(level, "Scan")};
    const std::string why = withoutFolders(input.scanNote, facts.run->experiment);
    if (!input.scan || input.scan->empty()) {
        out.push_back(paragraph(why));
        return out;
    }
    const auto patch = patchOf(facts);
    out.push_back(Pictures{sliceCharts(*input.scan, patch), {"axial", "coronal", "sagittal"}});
    out.push_back(note(inputText(facts) + ": " + scanNote(input.scan->header(), facts, patch.has_value())));
    if (!why.empty()) {
        out.push_back(note(why));
    }
    for (const std::string& warning : input.scan->header().warnings) {
        out.push_back(note(warning));
    }
    return out;
}

Parts stackSection(const Facts& facts, const std::string& prefix, int level) {
    Parts out = {heading(level, "Stack")};
    if (!facts.result().layers.empty()) {
        out.push_back(Figure{layersChart(facts), prefix + "s"});
    }
    std::vector<Column> columns = {{"layer", false},     {"options", false},    {"output", true},
                                   {"parameters", true}, {"activations", true}, {"forward", true},
                                   {"backward", true}};
    if (!facts.result().workspaces.empty()) {
        columns.push_back({"workspace", true});
    }
    out.push_back(Table{std::move(columns), layerRows(facts)});
    return out;
}

Parts machineSection(const Facts& facts, int level) {
    const wire::Environment& e = facts.environment();
    Definitions list{{{"device", e.deviceName.empty() ? e.device : e.device + ", " + e.deviceName},
                      {"host", facts.run->summary.host}}};
    if (e.memoryBytes > 0) {
        list.terms.emplace_back("memory", base::formatBytes(e.memoryBytes));
    }
    if (e.threads > 0) {
        list.terms.emplace_back("threads", fmt::format("{}", e.threads));
    }
    if (e.architecture > 0) {
        list.terms.emplace_back("compute capability",
                                fmt::format("{}.{}", e.architecture / 10, e.architecture % 10));
    }
    list.terms.emplace_back("instruction set", e.isa);
    list.terms.insert(list.terms.end(), e.versions.begin(), e.versions.end());
    std::erase_if(list.terms, [](const auto& term) { return term.second.empty(); });
    Parts out = {heading(level, "Machine and versions"), std::move(list)};
    if (!facts.warnings.empty()) {
        out.push_back(heading(level, "Warnings"));
        out.push_back(List{facts.warnings});
    }
    return out;
}

Parts againSection(const Facts& facts, int level) {
    if (const auto& script = facts.run->script) {
        const std::string command = wire::commandText(*script);
        return {heading(level, "Run it again"),
                Code{script->pretended()
                         ? fmt::format("highwater-cli script --pretend {} {}", script->gpu, command)
                         : "python " + command}};
    }
    return {heading(level, "Run it again"),
            Paragraph{
                {{"Save the experiment below as "}, {.text = "experiment.json", .code = true}, {", then:"}}},
            Code{commandLine(facts)}, Code{stack::toText(portable(facts.run->experiment)), "The experiment"}};
}

}  // namespace highwater::report
