#include <map>
#include <mutex>

#include "app/desktop/study_worker.h"
#include "core/base/text.h"
#include "core/scan/scan_client.h"

namespace highwater::desktop {

namespace {

using Key = stack::ScanSource;

/// The channels, then the labels.
std::vector<Key> filesOf(const stack::Experiment& experiment) {
    std::vector<Key> files;
    const auto* input = std::get_if<stack::ScanInput>(&experiment.input);
    if (!input)
        return files;
    files = input->scans;
    if (experiment.target.kind == stack::Target::Kind::Labels && !experiment.target.labels.empty())
        files.push_back({experiment.target.labels, {}, 0});
    return files;
}

}  // namespace

std::function<base::Result<std::vector<int>>(const stack::Experiment&)> scansFor(
    const stack::Experiment& experiment, std::vector<volume::Volume> known, const std::atomic<bool>& cancel) {
    auto volumes = std::make_shared<std::map<Key, volume::Volume>>();
    const auto files = filesOf(experiment);
    for (std::size_t i = 0; i < files.size() && files.size() == known.size(); ++i)
        volumes->emplace(files[i], std::move(known[i]));
    return [volumes, &cancel](const stack::Experiment& wanted) -> base::Result<std::vector<int>> {
        std::vector<int> descriptors;
        for (const Key& file : filesOf(wanted)) {
            auto at = volumes->find(file);
            if (at == volumes->end()) {
                scan::ReadOptions how;
                how.series = file.series;
                how.volume = file.volume;
                how.cancel = &cancel;
                auto volume = scan::readScan(file.path, how);
                if (!volume)
                    return volume.error();
                at = volumes->emplace(file, std::move(*volume)).first;
            }
            descriptors.push_back(at->second.fd());
        }
        return descriptors;
    };
}

}  // namespace highwater::desktop
