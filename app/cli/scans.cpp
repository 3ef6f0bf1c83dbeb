#include "app/cli/scans.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/scan/scan_client.h"

namespace highwater::cli {

namespace {

/// What to read, one a channel, then the labels.
std::vector<stack::ScanSource> sourcesOf(const stack::Experiment& experiment) {
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    std::vector<stack::ScanSource> sources = input ? input->scans : std::vector<stack::ScanSource>();
    if (input && experiment.target.kind == stack::Target::Kind::Labels)
        sources.push_back({experiment.target.labels, {}, 0});
    return sources;
}

}  // namespace

base::Result<std::vector<volume::Volume>> readVolumes(const stack::Experiment& experiment) {
    std::vector<volume::Volume> volumes;
    const std::vector<stack::ScanSource> sources = sourcesOf(experiment);
    StatusLine line;
    for (const auto& [path, series, number] : sources) {
        scan::ReadOptions how;
        how.series = series;
        how.volume = number;
        how.cancel = &interruptFlag();
        how.progress = [&line, &name = path](const scan::Progress& progress) {
            line.show(progress.fraction < 0 ? fmt::format("{}: {}", name, progress.stage)
                                            : fmt::format("{}: {} {:.0f} %", name, progress.stage,
                                                          100 * std::min(progress.fraction, 1.0)));
        };
        auto volume = scan::readScan(path, how);
        if (!volume)
            return volume.error();
        if (!volumes.empty() && volume->geometry().size != volumes.front().geometry().size)
            return base::Error{fmt::format("{}: its size {} differs from {}'s {}; all must lie on one grid",
                                           path, base::formatShape(volume->geometry().size),
                                           sources.front().path,
                                           base::formatShape(volumes.front().geometry().size))};
        volumes.push_back(std::move(*volume));
    }
    return volumes;
}

base::Result<std::vector<int>> ScanShelf::of(const stack::Experiment& experiment) {
    std::vector<stack::ScanSource> key = sourcesOf(experiment);
    auto at = kept_.find(key);
    if (at == kept_.end()) {
        auto volumes = readVolumes(experiment);
        if (!volumes)
            return volumes.error();
        at = kept_.emplace(std::move(key), std::move(*volumes)).first;
    }
    std::vector<int> fds;
    for (const volume::Volume& volume : at->second)
        fds.push_back(volume.fd());
    return fds;
}

}  // namespace highwater::cli
