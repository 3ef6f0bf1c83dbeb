#include "app/desktop/scan/scan_sources.h"

#include <fmt/format.h>

#include <QObject>
#include <filesystem>

#include "core/base/paths.h"
#include "core/base/text.h"

namespace highwater::desktop {

namespace {

/// Checks that a case is complete: silently training on fewer cases would be wrong.
base::Status checkCase(const scan::Case& theCase, std::int64_t channels, bool labels) {
    const auto has = static_cast<std::int64_t>(theCase.channels.size());
    if (has != channels) {
        return base::Error{
            fmt::format("case {} has {} where the experiment takes {}; move it out of "
                        "the folder, or choose the cohort again",
                        theCase.name, base::counted(has, "channel"), channels)};
    }
    if (labels && theCase.labels.empty()) {
        return base::Error{
            fmt::format("case {} has no label map; move it out of the folder, or choose another "
                        "target",
                        theCase.name)};
    }
    return {};
}

}  // namespace

std::vector<stack::ScanSource> sourcesOf(const stack::Experiment& experiment) {
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    if (!input || !input->cohort.empty()) {
        return {};
    }
    std::vector<stack::ScanSource> files = input->scans;
    if (needsLabels(experiment) && !experiment.target.labels.empty()) {
        files.push_back({experiment.target.labels, {}, 0});
    }
    return files;
}

std::vector<stack::ScanSource> sourcesOf(const scan::Case& theCase, bool labels) {
    std::vector<stack::ScanSource> files;
    for (const scan::CaseFile& file : theCase.channels) {
        files.push_back({file.path, file.series, file.volume});
    }
    if (labels && !theCase.labels.empty()) {
        files.push_back({theCase.labels, {}, 0});
    }
    return files;
}

const stack::ScanInput* cohortOf(const stack::Experiment& experiment) {
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    return input && !input->cohort.empty() ? input : nullptr;
}

bool needsLabels(const stack::Experiment& experiment) {
    return experiment.target.kind == stack::Target::Kind::Labels;
}

base::Result<std::vector<scan::Case>> casesOf(const stack::Experiment& experiment) {
    const stack::ScanInput* input = cohortOf(experiment);
    if (!input) {
        return base::Error{"the experiment's input is not a cohort"};
    }
    auto found = HIGHWATER_TRY(scan::findCases(input->cohort));
    return std::move(found.cases);
}

base::Result<std::vector<stack::ScanSource>> sourcesForRun(const stack::Experiment& experiment) {
    if (!cohortOf(experiment)) {
        return sourcesOf(experiment);
    }
    const auto cases = HIGHWATER_TRY(casesOf(experiment));
    const bool labels = needsLabels(experiment);
    std::vector<stack::ScanSource> files;
    for (const scan::Case& theCase : cases) {
        HIGHWATER_TRY(checkCase(theCase, cohortOf(experiment)->channels, labels));
        for (stack::ScanSource& file : sourcesOf(theCase, labels)) {
            files.push_back(std::move(file));
        }
    }
    return files;
}

QString nameOf(const stack::ScanSource& source) {
    if (source.path == base::kHeadPhantom) {
        return QObject::tr("head phantom (generated)");
    }
    std::filesystem::path path = source.path;
    if (path.filename().empty()) {
        path = path.parent_path();
    }
    const QString name = QString::fromStdString(path.filename().string());
    return source.volume > 0 ? QObject::tr("%1, volume %2").arg(name).arg(source.volume + 1) : name;
}

}  // namespace highwater::desktop
