#include <map>

#include "app/desktop/scan/scan_sources.h"
#include "app/desktop/study/study_worker.h"
#include "core/scan/scan_client.h"

namespace highwater::desktop {

std::function<base::Result<std::vector<int>>(const stack::Experiment&)> scansFor(
    const stack::Experiment& experiment, std::vector<volume::Volume> known, const std::atomic<bool>& cancel) {
    auto volumes = std::make_shared<std::map<stack::ScanSource, volume::Volume>>();
    const auto files = sourcesForRun(experiment);
    for (std::size_t i = 0; files && i < files->size() && files->size() == known.size(); ++i) {
        volumes->emplace((*files)[i], std::move(known[i]));
    }
    return [volumes, &cancel](const stack::Experiment& wanted) -> base::Result<std::vector<int>> {
        const auto sources = HIGHWATER_TRY(sourcesForRun(wanted));
        std::vector<int> descriptors;
        for (const stack::ScanSource& file : sources) {
            auto at = volumes->find(file);
            if (at == volumes->end()) {
                scan::ReadOptions how;
                how.series = file.series;
                how.volume = file.volume;
                how.cancel = &cancel;
                auto volume = HIGHWATER_TRY(scan::readScan(file.path, how));
                at = volumes->emplace(file, std::move(volume)).first;
            }
            descriptors.push_back(at->second.fd());
        }
        return descriptors;
    };
}

}  // namespace highwater::desktop
