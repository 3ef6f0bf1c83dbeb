#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/paths.h"
#include "core/stack/json/json.h"

namespace highwater::stack {

namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& file) {
    std::error_code ignored;
    return fs::absolute(file, ignored).parent_path().lexically_normal();
}

/// Applies `change` to every path in the experiment; the phantom has none.
template <class Change>
void eachPath(Experiment& experiment, const Change& change) {
    if (auto* scan = std::get_if<ScanInput>(&experiment.input)) {
        for (ScanSource& source : scan->scans) {
            if (source.path != base::kHeadPhantom) {
                change(source.path);
            }
        }
        change(scan->cohort);
    }
    change(experiment.target.labels);
}

}  // namespace

void resolvePaths(Experiment& experiment, const fs::path& folder) {
    std::error_code ignored;
    const fs::path whole = folder.empty() ? fs::current_path(ignored) : fs::absolute(folder, ignored);
    eachPath(experiment, [&whole](std::string& path) {
        if (!path.empty()) {
            path = (whole / path).lexically_normal().string();
        }
    });
}

base::Result<Experiment> loadExperiment(const fs::path& path) {
    const auto text = HIGHWATER_TRY(base::readFile(path));
    auto experiment = parseExperiment(text, path.string());
    if (experiment) {
        resolvePaths(*experiment, folderOf(path));
    }
    return experiment;
}

base::Status saveExperiment(const Experiment& experiment, const fs::path& path) {
    Experiment saved = experiment;
    eachPath(saved, [folder = folderOf(path)](std::string& p) {
        if (!fs::path(p).is_absolute()) {
            return;
        }
        const fs::path relative = fs::path(p).lexically_normal().lexically_relative(folder);
        if (!relative.empty() && *relative.begin() != ".." && relative != ".") {
            p = relative.string();
        }
    });
    return base::writeFileAtomically(path, toText(saved));
}

}  // namespace highwater::stack
