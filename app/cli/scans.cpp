#include "app/cli/scans.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/scan/scan_client.h"

namespace highwater::cli {

namespace {

/// The files to read, one a channel, then the labels.
std::vector<std::string> pathsOf(const stack::Experiment& experiment) {
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    std::vector<std::string> paths = input ? input->scans : std::vector<std::string>();
    if (input && experiment.target.kind == stack::Target::Kind::Labels)
        paths.push_back(experiment.target.labels);
    return paths;
}

}  // namespace

base::Result<std::vector<volume::Volume>> readVolumes(const stack::Experiment& experiment) {
    std::vector<volume::Volume> volumes;
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    const std::vector<std::string> paths = pathsOf(experiment);
    StatusLine line;
    for (const std::string& path : paths) {
        scan::ReadOptions how;
        how.volume = volumes.size() < input->scans.size() ? input->volume : 0;
        how.cancel = &interruptFlag();
        how.progress = [&](const scan::Progress& progress) {
            line.show(progress.fraction < 0 ? fmt::format("{}: {}", path, progress.stage)
                                            : fmt::format("{}: {} {:.0f} %", path, progress.stage,
                                                          100 * std::min(progress.fraction, 1.0)));
        };
        auto volume = scan::readScan(path, how);
        if (!volume)
            return volume.error();
        if (!volumes.empty() && volume->geometry().size != volumes.front().geometry().size)
            return base::Error{fmt::format("{}: its size {} differs from {}'s {}; all must lie on one grid",
                                           path, base::formatShape(volume->geometry().size), paths.front(),
                                           base::formatShape(volumes.front().geometry().size))};
        volumes.push_back(std::move(*volume));
    }
    return volumes;
}

base::Result<std::vector<int>> ScanShelf::of(const stack::Experiment& experiment) {
    std::vector<std::string> key = pathsOf(experiment);
    if (const auto* input = std::get_if<stack::ScanInput>(&experiment.input))
        key.push_back(fmt::format("{}/{}", input->scans.size(), input->volume));
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
