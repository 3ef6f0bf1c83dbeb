#include "app/cli/cohort.h"

#include <fmt/format.h>

#include "app/cli/interrupt.h"
#include "core/base/text.h"
#include "core/scan/cohort.h"
#include "core/volume/write_volume.h"

namespace highwater::cli {
namespace {

using base::Bytes;
using base::Error;

std::string placeOf(std::size_t n, std::size_t count) {
    return fmt::format("({} of {})", n + 1, count);
}

base::Status checkCase(const scan::Case& each, std::int64_t channels, bool labels) {
    const auto has = static_cast<std::int64_t>(each.channels.size());
    if (has != channels) {
        return Error{fmt::format("case {} has {}, /input/channels says {}", each.name,
                                 base::counted(has, "channel"), channels)};
    }
    if (labels && each.labels.empty()) {
        return Error{fmt::format("case {} has no label map, which /target asks for", each.name)};
    }
    return {};
}

/// Reads only the headers of the cases. Error if one cannot be read.
base::Result<std::vector<scan::CaseFacts>> look(const scan::Cohort& cohort, StatusLine& line) {
    scan::SurveyOptions how;
    how.values = false;
    how.cancel = &interruptFlag();
    how.progress = [&](std::size_t done, const scan::CaseFacts& last) {
        line.show(fmt::format("looking at {} {}", last.name, placeOf(done - 1, cohort.cases.size())));
    };
    auto facts = HIGHWATER_TRY(scan::surveyCohort(cohort, how));
    for (const scan::CaseFacts& each : facts) {
        if (!each.problem.empty()) {
            return Error{fmt::format("case {} cannot be read: {}", each.name, each.problem)};
        }
    }
    return facts;
}

/// Bytes of the volumes that are passed to the engine; a label map counts as much as a channel.
Bytes bytesOf(const std::vector<scan::CaseFacts>& facts, bool labels) {
    Bytes sum = 0;
    for (const scan::CaseFacts& each : facts) {
        for (const volume::Header& channel : each.channels) {
            sum += channel.geometry.voxels() * volume::voxelBytes(channel.type);
        }
        if (labels && !each.channels.empty()) {
            sum += each.channels[0].geometry.voxels() * volume::voxelBytes(each.channels[0].type);
        }
    }
    return sum;
}

base::Result<std::vector<CaseSources>> sourcesOf(const scan::Cohort& cohort, std::int64_t channels,
                                                 bool labels, StatusLine& line) {
    for (const scan::Case& each : cohort.cases) {
        HIGHWATER_TRY(checkCase(each, channels, labels));
    }
    const auto facts = HIGHWATER_TRY(look(cohort, line));
    HIGHWATER_TRY(
        volume::checkTemporaryRoom(fmt::format("its {} cases take", facts.size()), bytesOf(facts, labels)));
    std::vector<CaseSources> out;
    for (const scan::Case& each : cohort.cases) {
        CaseSources made{
            each.name, fmt::format("{} {}: ", each.name, placeOf(out.size(), cohort.cases.size())), {}};
        for (const scan::CaseFile& file : each.channels) {
            made.sources.push_back({file.path, file.series, file.volume});
        }
        if (labels) {
            made.sources.push_back({each.labels, {}, 0});
        }
        out.push_back(std::move(made));
    }
    return out;
}

}  // namespace

base::Result<std::vector<CaseSources>> cohortSources(const stack::Experiment& experiment, StatusLine& line) {
    const auto& input = std::get<stack::ScanInput>(experiment.input);
    const auto cohort = HIGHWATER_TRY(scan::findCases(input.cohort));
    auto sources =
        sourcesOf(cohort, input.channels, experiment.target.kind == stack::Target::Kind::Labels, line);
    if (!sources && interrupts() == 0) {
        return Error{fmt::format("{}: {}", input.cohort, sources.error().message)};
    }
    for (std::size_t n = 0; sources && n < cohort.notes.size(); ++n) {
        complain(fmt::format("the cohort: {}", cohort.notes[n]));
    }
    return sources;
}

}  // namespace highwater::cli
