#include "core/report/portable.h"

#include <filesystem>

#include "core/base/paths.h"

namespace highwater::report {

std::string fileNameOf(std::string_view path) {
    if (path.empty() || path == base::kHeadPhantom) {
        return std::string(path);
    }
    const std::filesystem::path name = std::filesystem::path(path);
    return (name.has_filename() ? name : name.parent_path()).filename().string();
}

stack::Experiment portable(stack::Experiment experiment) {
    if (auto* scan = std::get_if<stack::ScanInput>(&experiment.input)) {
        for (stack::ScanSource& source : scan->scans) {
            source.path = fileNameOf(source.path);
        }
        scan->cohort = fileNameOf(scan->cohort);
    }
    experiment.target.labels = fileNameOf(experiment.target.labels);
    return experiment;
}

std::string withoutFolders(std::string text, const stack::Experiment& experiment) {
    const auto shorten = [&text](const std::string& path) {
        const std::string name = fileNameOf(path);
        for (std::size_t at = 0; path != name && (at = text.find(path, at)) != std::string::npos;) {
            text.replace(at, path.size(), name);
            at += name.size();
        }
    };
    if (const auto* scan = std::get_if<stack::ScanInput>(&experiment.input)) {
        for (const stack::ScanSource& source : scan->scans) {
            shorten(source.path);
        }
        shorten(scan->cohort);
    }
    shorten(experiment.target.labels);
    return text;
}

}  // namespace highwater::report
