#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"
#include "core/scan/cohort.h"

namespace highwater::scan {
namespace {

using Sizes = std::array<std::int64_t, 3>;

bool cancelled(const SurveyOptions& options) {
    return options.cancel && options.cancel->load(std::memory_order_relaxed);
}

base::Result<volume::Header> readFacts(const CaseFile& file, const SurveyOptions& options, bool values) {
    ReadOptions how;
    how.series = file.series;
    how.volume = file.volume;
    how.limits = options.limits;
    how.cancel = options.cancel;
    if (!values) {
        return readScanHeader(file.path, how);
    }
    const auto volume = readScan(file.path, how);
    return volume ? base::Result<volume::Header>(volume->header()) : volume.error();
}

std::string otherSize(const std::string& path, const Sizes& size, const Sizes& first) {
    return fmt::format("{}: its size {} differs from the first channel's {}; all must lie on one grid",
                       std::filesystem::path(path).filename().string(), base::formatShape(size),
                       base::formatShape(first));
}

void addWarning(CaseFacts& facts, const std::string& warning) {
    if (std::find(facts.warnings.begin(), facts.warnings.end(), warning) == facts.warnings.end()) {
        facts.warnings.push_back(warning);
    }
}

/// Warns about volumes of a 4D file that no channel uses.
void warnOfVolumes(const Case& one, CaseFacts& facts) {
    for (std::size_t c = 0; c < one.channels.size(); ++c) {
        const CaseFile& file = one.channels[c];
        const auto taken = std::count_if(one.channels.begin(), one.channels.end(),
                                         [&](const CaseFile& other) { return other.path == file.path; });
        if (facts.channels[c].volumes > taken) {
            addWarning(facts, fmt::format("{}: holds {} volumes; {} taken",
                                          std::filesystem::path(file.path).filename().string(),
                                          facts.channels[c].volumes,
                                          taken == 1 ? fmt::format("volume {} is", file.volume)
                                                     : fmt::format("{} are", taken)));
        }
    }
}

/// Returns the problem of a case, empty if there is none. `facts` receives everything read so far.
std::string look(const Case& one, const SurveyOptions& options, CaseFacts& facts) {
    for (const CaseFile& file : one.channels) {
        auto header = readFacts(file, options, options.values);
        if (!header) {
            return header.error().message;
        }
        for (const std::string& warning : header->warnings) {
            addWarning(facts, warning);
        }
        facts.channels.push_back(std::move(*header));
        const Sizes &size = facts.channels.back().geometry.size, &first = facts.channels[0].geometry.size;
        if (size != first) {
            return otherSize(file.path, size, first);
        }
    }
    if (!one.labels.empty()) {
        const auto labels = readFacts({one.labels, {}, 0}, options, false);
        if (!labels) {
            return "labels: " + labels.error().message;
        }
        if (labels->geometry.size != facts.channels[0].geometry.size) {
            return "labels: " + otherSize(one.labels, labels->geometry.size, facts.channels[0].geometry.size);
        }
    }
    warnOfVolumes(one, facts);
    return {};
}

}  // namespace

base::Result<std::vector<CaseFacts>> surveyCohort(const Cohort& cohort, const SurveyOptions& options) {
    std::vector<CaseFacts> all;
    for (const Case& one : cohort.cases) {
        CaseFacts facts;
        facts.name = one.name;
        facts.problem = look(one, options, facts);
        if (cancelled(options)) {
            return base::Error{"cancelled"};
        }
        if (!facts.problem.empty()) {
            facts.channels.clear();
        }
        all.push_back(std::move(facts));
        if (options.progress) {
            options.progress(all.size(), all.back());
        }
    }
    return all;
}

}  // namespace highwater::scan
