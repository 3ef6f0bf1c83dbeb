#include "app/cli/volume_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/scan/phantom_client.h"
#include "core/scan/scan_client.h"
#include "core/volume/phantom.h"
#include "core/volume/slice.h"
#include "core/volume/statistics.h"
#include "core/volume/volume_header.h"
#include "core/volume/windowing.h"
#include "core/volume/write_volume.h"

namespace highwater::cli {
namespace {

struct VolumeOptions {
    std::string path, series, out, axis = "axial", preset;
    std::vector<double> window;
    std::int64_t volume = 0;
    std::optional<std::int64_t> index;
    std::uint64_t seed = 1;
    bool json = false;
};

base::Result<volume::Volume> read(const VolumeOptions& options) {
    StatusLine line;
    scan::ReadOptions how;
    how.series = options.series;
    how.volume = options.volume;
    how.progress = [&](const scan::Progress& progress) { line.show(progressText(progress)); };
    return scan::readScan(options.path, how);
}

std::string numberOrUnknown(double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "unknown";
}

void printInfo(const volume::Header& header) {
    const auto& geometry = header.geometry;
    const auto row = [](std::string_view name, const std::string& value) {
        printText("{:<13}{}\n", name, value);
    };
    row("format", header.format);
    row("size", fmt::format("{} × {} × {} voxels", geometry.size[0], geometry.size[1], geometry.size[2]));
    row("spacing", header.spacingKnown ? fmt::format("{:.6g} × {:.6g} × {:.6g} mm", geometry.spacing[0],
                                                     geometry.spacing[1], geometry.spacing[2])
                                       : "unknown");
    row("orientation", geometry.orientation());
    row("pixel type", header.pixelType);
    row("volumes", fmt::format("{}", header.volumes));
    row("values", fmt::format("{} to {}, mean {}", numberOrUnknown(header.min), numberOrUnknown(header.max),
                              numberOrUnknown(header.mean)));
    for (const std::string& warning : printedWarnings(header.warnings)) {
        row("warning", warning);
    }
}

base::Status info(const VolumeOptions& options) {
    const auto volume = read(options);
    if (!volume) {
        return volume.error();
    }
    if (options.json) {
        printJson(volume::infoJson(volume->header()), -1);
    } else {
        printInfo(volume->header());
    }
    return {};
}

base::Status readToFile(const VolumeOptions& options) {
    const auto volume = read(options);
    if (!volume) {
        return volume.error();
    }
    HIGHWATER_TRY(volume::writeVolumeFile(options.out, *volume));
    if (options.json) {
        printJson(volume::infoJson(volume->header()), -1);
    }
    return {};
}

base::Result<volume::Window> chooseWindow(const VolumeOptions& options, const volume::Volume& volume) {
    if (options.window.size() == 2) {
        const volume::Window window{options.window[0], options.window[1]};
        if (!std::isfinite(window.low) || !std::isfinite(window.high) || window.high <= window.low) {
            return base::Error{"--window: the first number must be lower than the second"};
        }
        return window;
    }
    const auto histogram = volume::histogram(volume);
    if (!options.preset.empty()) {
        const auto window = volume::presetWindow(options.preset, histogram);
        return window ? window : base::Error{"--preset: " + window.error().message};
    }
    return volume::defaultWindow(volume.header(), histogram);
}

/// Writes an image as a portable graymap (netpbm), which most image programs can open. A pixel is a voxel;
/// its size in millimeters is in a comment.
std::string pgm(const volume::SliceLayout& layout, const std::vector<std::uint8_t>& gray) {
    std::string text =
        fmt::format("P5\n# {} mm a pixel across, {} down; left {} right {} top {} bottom {}\n{} {}\n255\n",
                    layout.columnSpacing, layout.rowSpacing, layout.left, layout.right, layout.top,
                    layout.bottom, layout.width, layout.height);
    return text.append(reinterpret_cast<const char*>(gray.data()), gray.size());
}

base::Status slice(const VolumeOptions& options) {
    const auto plane = HIGHWATER_TRY(base::prefixed("--axis", volume::parsePlane(options.axis)));
    if (!options.out.ends_with(".pgm")) {
        return base::Error{fmt::format("{}: a slice is written as .pgm; choose such a name", options.out)};
    }
    const auto volume = read(options);
    if (!volume) {
        return volume.error();
    }
    const auto window = HIGHWATER_TRY(chooseWindow(options, *volume));
    const auto layout = volume::sliceLayout(volume->geometry(), plane);
    const std::int64_t index = options.index.value_or(layout.depth / 2);
    if (index < 0 || index >= layout.depth) {
        return base::Error{fmt::format("--index: there is no {} slice {}; there are 0 to {}", options.axis,
                                       index, layout.depth - 1)};
    }
    const auto gray = volume::sliceGray(*volume, layout, index, window);
    HIGHWATER_TRY(base::writeFileAtomically(options.out, pgm(layout, gray)));
    if (options.json) {
        const base::Json json{{"axis", options.axis},
                              {"index", index},
                              {"size", {layout.width, layout.height}},
                              {"spacing_mm", {layout.columnSpacing, layout.rowSpacing}},
                              {"window", {window.low, window.high}},
                              {"left", std::string(1, layout.left)},
                              {"right", std::string(1, layout.right)},
                              {"top", std::string(1, layout.top)},
                              {"bottom", std::string(1, layout.bottom)}};
        printJson(json, -1);
    }
    return {};
}

base::Status phantom(const VolumeOptions& options) {
    const auto written = HIGHWATER_TRY(writeHeadPhantom(options.path, options.seed));
    if (options.json) {
        std::error_code ignored;
        const base::Json json{{"path", options.path},
                              {"seed", options.seed},
                              {"bytes", std::filesystem::file_size(options.path, ignored)}};
        printJson(json, -1);
    } else {
        printText("{}\n", written);
    }
    return {};
}

CLI::App* command(CLI::App& parent, const std::string& name, const std::string& about,
                  const std::shared_ptr<VolumeOptions>& options, int& exit,
                  base::Status (*act)(const VolumeOptions&)) {
    CLI::App* sub = parent.add_subcommand(name, about);
    sub->add_option("path", options->path,
                    name == "phantom" ? "Where to write it (.nii.gz)"
                                      : "A scan's file, a folder of DICOM files, or phantom:head")
        ->required();
    sub->add_flag("--json", options->json, "One JSON object on standard output");
    sub->callback([options, &exit, act] {
        const auto status = act(*options);
        exit = status ? kDone : complain(status.error().message);
    });
    return sub;
}

}  // namespace

base::Result<std::string> writeHeadPhantom(const std::string& path, std::uint64_t seed) {
    StatusLine line;
    const auto status = scan::writePhantom(
        path, seed, [&](const scan::Progress& progress) { line.show(progressText(progress)); });
    line.clear();
    if (!status) {
        return status.error();
    }
    std::error_code ignored;
    const auto size = volume::PhantomOptions{}.size;
    return fmt::format(
        "{}: {} × {} × {} voxels, {}", path, size[0], size[1], size[2],
        base::formatBytes(static_cast<base::Bytes>(std::filesystem::file_size(path, ignored))));
}

void addVolume(CLI::App& app, int& exit) {
    const auto options = std::make_shared<VolumeOptions>();
    CLI::App* volume =
        app.add_subcommand("volume", "Scans: series, facts, slices, the voxels, a phantom, cohorts");
    volume->require_subcommand(1);
    addVolumeList(*volume, exit);
    addVolumeHeader(*volume, exit);
    const auto addChoice = [&](CLI::App* sub) {
        sub->add_option("--series", options->series, "Which series of a folder; `volume list` names them")
            ->type_name("ID");
        sub->add_option("--volume", options->volume, "Which volume of a 4D file, from 0");
    };
    addChoice(command(*volume, "info", "Size, spacing, orientation, values, warnings", options, exit, info));
    CLI::App* toFile = command(*volume, "read", "Write the voxels in the format of Highwater's own programs",
                               options, exit, readToFile);
    addChoice(toFile);
    toFile->add_option("--out", options->out, "The file to write")->required();
    CLI::App* oneSlice =
        command(*volume, "slice", "Write one slice as a picture (.pgm)", options, exit, slice);
    addChoice(oneSlice);
    oneSlice->add_option("--axis", options->axis, "axial, coronal or sagittal")->capture_default_str();
    oneSlice->add_option("--index", options->index, "Which slice, from 0; the middle one by default");
    auto* window =
        oneSlice->add_option("--window", options->window, "Values shown as black and as white")->expected(2);
    oneSlice->add_option("--preset", options->preset, "ct-soft-tissue, ct-brain, ct-bone, ct-lung or mr")
        ->excludes(window);
    oneSlice->add_option("--out", options->out, "The picture to write (.pgm)")->required();
    CLI::App* head =
        command(*volume, "phantom", "Write a CT-like head that needs no download", options, exit, phantom);
    head->add_option("--seed", options->seed, "The seed of its noise and folds")->capture_default_str();
    addVolumeCohort(*volume, exit);
    addVolumePropose(*volume, exit);
}

}  // namespace highwater::cli
