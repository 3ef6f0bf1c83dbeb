#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/interrupt.h"
#include "app/cli/volume_commands.h"
#include "core/base/text.h"
#include "core/scan/contents.h"

namespace highwater::cli {
namespace {

struct ListOptions {
    std::string path;
    bool json = false;
};

void printSeries(const std::vector<scan::Series>& all) {
    std::vector<std::vector<std::string>> rows = {
        {"number", "description", "kind", "size", "spacing (mm)", "volumes", "files", "id for --series"}};
    for (const scan::Series& series : all) {
        rows.push_back({series.number ? std::to_string(series.number) : "",
                        base::oneLine(series.description, 60), base::oneLine(series.modality, 20),
                        sizeText(series.size), spacingText(series.spacing), std::to_string(series.volumes),
                        std::to_string(series.files), base::oneLine(series.id)});
    }
    if (!all.empty()) {
        printLines(table(rows, {0, 5, 6}));
    }
    for (const scan::Series& series : all) {
        const std::string name = base::oneLine(series.id.empty() ? series.firstFile : series.id);
        if (!series.problem.empty()) {
            printText("problem  {}: {}\n", name, base::oneLine(series.problem));
        }
        for (const std::string& warning : printedWarnings(series.warnings)) {
            printText("warning  {}: {}\n", name, base::oneLine(warning));
        }
    }
}

void print(const scan::Contents& contents) {
    printSeries(contents.series);
    for (const std::string& name : contents.scans) {
        printText("scan     {}\n", base::oneLine(name));
    }
    for (const std::string& line : contents.unread) {
        printText("unread   {}\n", base::oneLine(line));
    }
    if (contents.series.empty() && contents.scans.empty()) {
        printText("there is no scan in this folder\n");
    }
    if (contents.ignored > 0) {
        printText("{}\n", base::counted(contents.ignored, "other file"));
    }
}

nlohmann::ordered_json json(const std::string& path, const scan::Contents& contents) {
    nlohmann::ordered_json out{{"path", path}};
    out.update(scan::toJson(contents));
    return out;
}

int list(const ListOptions& options) {
    catchInterrupts();
    StatusLine line;
    scan::ReadOptions how;
    how.cancel = &interruptFlag();
    how.progress = [&](const scan::Progress& progress) { line.show(progressText(progress)); };
    const auto contents = scan::listScans(options.path, how);
    line.clear();
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!contents) {
        return complain(contents.error().message);
    }
    if (options.json) {
        printJson(json(options.path, *contents));
    } else {
        print(*contents);
    }
    return kDone;
}

}  // namespace

std::vector<std::string> printedWarnings(std::vector<std::string> warnings) {
    constexpr std::size_t kMost = 30;
    if (warnings.size() > kMost) {
        const std::size_t more = warnings.size() - kMost;
        warnings.resize(kMost);
        warnings.push_back(fmt::format("and {} more; --json lists all", more));
    }
    return warnings;
}

std::string sizeText(const std::array<std::int64_t, 3>& size) {
    return size[0] > 0 ? base::formatShape(size) : "";
}

std::string spacingText(const std::array<double, 3>& spacing) {
    const bool known = std::all_of(spacing.begin(), spacing.end(), [](double s) { return s > 0; });
    return known ? fmt::format("{:.4g} × {:.4g} × {:.4g}", spacing[0], spacing[1], spacing[2]) : "unknown";
}

void addVolumeList(CLI::App& volume, int& exit) {
    CLI::App* command = volume.add_subcommand(
        "list", "What can be read of a folder: DICOM series, other scans, and what cannot be");
    const auto options = std::make_shared<ListOptions>();
    command->add_option("path", options->path, "A folder, or a file")->required();
    command->add_flag("--json", options->json, "One JSON object on standard output");
    command->footer(
        "Example: highwater-cli volume list dicom/\n"
        "         highwater-cli volume info dicom/ --series 1.2.840.113619.2.5.1");
    command->callback([options, &exit] { exit = list(*options); });
}

}  // namespace highwater::cli
