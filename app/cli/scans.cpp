#include "app/cli/scans.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/cohort.h"
#include "app/cli/interrupt.h"
#include "core/base/open_files.h"
#include "core/base/text.h"
#include "core/scan/scan_client.h"
#include "core/stack/shapes.h"

namespace highwater::cli {

namespace {

using Volumes = std::vector<volume::Volume>;

/// The sources to read: one for each channel, then the labels.
CaseSources sourcesOf(const stack::Experiment& experiment) {
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    CaseSources out;
    out.sources = input ? input->scans : std::vector<stack::ScanSource>();
    if (input && experiment.target.kind == stack::Target::Kind::Labels) {
        out.sources.push_back({experiment.target.labels, {}, 0});
    }
    return out;
}

base::Result<volume::Volume> readOne(const stack::ScanSource& source, const std::string& name,
                                     StatusLine& line) {
    scan::ReadOptions how;
    how.series = source.series;
    how.volume = source.volume;
    how.cancel = &interruptFlag();
    how.progress = [&](const scan::Progress& progress) {
        line.show(progress.fraction < 0 ? fmt::format("{}: {}", name, progress.stage)
                                        : fmt::format("{}: {} {:.0f} %", name, progress.stage,
                                                      100 * std::min(progress.fraction, 1.0)));
    };
    return scan::readScan(source.path, how);
}

/// Appends the volumes of one case, which must be on one grid.
base::Status readCase(const CaseSources& of, StatusLine& line, Volumes& volumes) {
    const std::size_t first = volumes.size();
    for (const stack::ScanSource& source : of.sources) {
        auto volume = HIGHWATER_TRY(readOne(source, of.progress + source.path, line));
        if (volumes.size() > first && volume.geometry().size != volumes[first].geometry().size) {
            return base::Error{fmt::format("{}: its size {} differs from {}'s {}; all must lie on one grid",
                                           source.path, base::formatShape(volume.geometry().size),
                                           of.sources.front().path,
                                           base::formatShape(volumes[first].geometry().size))};
        }
        volumes.push_back(std::move(volume));
    }
    return {};
}

}  // namespace

base::Result<Volumes> readVolumes(const stack::Experiment& experiment) {
    StatusLine line;
    std::vector<CaseSources> cases = {sourcesOf(experiment)};
    if (stack::isCohort(experiment)) {
        cases = HIGHWATER_TRY(cohortSources(experiment, line));
    }
    std::size_t count = 0;
    for (const CaseSources& each : cases) {
        count += each.sources.size();
    }
    if (const auto room = base::allowOpenFiles(3 * count);
        !room) {  // the engine gets duplicates of the descriptors and opens its own
        return room.error();
    }
    Volumes volumes;
    for (const CaseSources& each : cases) {
        if (const auto read = readCase(each, line, volumes); !read) {
            return base::Error{each.name.empty()
                                   ? read.error().message
                                   : fmt::format("case {}: {}", each.name, read.error().message)};
        }
    }
    return volumes;
}

base::Result<std::vector<int>> ScanShelf::of(const stack::Experiment& experiment) {
    Key key{{}, 0, experiment.target.kind == stack::Target::Kind::Labels, sourcesOf(experiment).sources};
    if (stack::isCohort(experiment)) {
        const auto& input = std::get<stack::ScanInput>(experiment.input);
        key = {input.cohort, input.channels, key.labels, {}};
    }
    auto at = kept_.find(key);
    if (at == kept_.end()) {
        auto volumes = HIGHWATER_TRY(readVolumes(experiment));
        at = kept_.emplace(std::move(key), std::move(volumes)).first;
    }
    std::vector<int> fds;
    for (const volume::Volume& volume : at->second) {
        fds.push_back(volume.fd());
    }
    return fds;
}

}  // namespace highwater::cli
