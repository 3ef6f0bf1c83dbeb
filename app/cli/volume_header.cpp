#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/interrupt.h"
#include "app/cli/volume_commands.h"
#include "core/scan/file_header.h"

namespace highwater::cli {
namespace {

struct HeaderOptions {
    std::string path, series;
    std::int64_t volume = 0;
    std::optional<std::int64_t> slice;
    bool json = false;
};

void print(const scan::FileHeader& header) {
    for (const scan::HeaderRow& row : header.rows) {
        printText("{:{}}{:<12}{:<3} {:<34} {}\n", "", 2 * row.depth, row.tag, row.vr, row.name, row.value);
    }
    if (header.cut) {
        printText("{} has more; these are its first {} rows\n", header.file, header.rows.size());
    }
    if (!header.problem.empty()) {
        printText("problem  {}: {}\n", header.file, header.problem);
    }
}

int header(const HeaderOptions& options) {
    catchInterrupts();
    StatusLine line;
    scan::ReadOptions how;
    how.series = options.series;
    how.volume = options.volume;
    how.cancel = &interruptFlag();
    how.progress = [&](const scan::Progress& progress) { line.show(progressText(progress)); };
    const auto found = scan::readFileHeader(options.path, options.slice, how);
    line.clear();
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!found) {
        return complain(found.error().message);
    }
    if (options.json) {
        printJson(scan::toJson(*found));
    } else {
        print(*found);
    }
    return kDone;
}

}  // namespace

void addVolumeHeader(CLI::App& volume, int& exit) {
    CLI::App* command = volume.add_subcommand(
        "header", "The header of a DICOM file: tag, type, name and value of each element");
    const auto options = std::make_shared<HeaderOptions>();
    command->add_option("path", options->path, "A DICOM file, or a folder of them")->required();
    command->add_option("--series", options->series, "Of a folder with several series");
    command->add_option("--volume", options->volume, "Of a series with several volumes, from 0");
    command->add_option("--slice", options->slice, "Of the file with this slice, from 0; else of the first")
        ->check(CLI::NonNegativeNumber);
    command->add_flag("--json", options->json, "One JSON object on standard output");
    command->footer("Example: highwater-cli volume header dicom/ --slice 40");
    command->callback([options, &exit] { exit = header(*options); });
}

}  // namespace highwater::cli
