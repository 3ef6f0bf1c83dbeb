#include "core/runs/losses.h"

#include <cmath>

#include "core/runs/run_folder.h"

namespace highwater::runs {

Losses readLosses(const std::filesystem::path& runFolder) {
    Losses losses;
    if (const auto started = readStarted(runFolder)) {
        losses.warmup = started->warmup;
    }
    if (auto result = readResult(runFolder); result && !result->losses.empty()) {
        losses.values = std::move(result->losses);
        return losses;
    }
    for (const wire::Event& event : readEvents(runFolder)) {
        if (const auto* step = std::get_if<wire::StepDone>(&event); step && step->index >= 0) {
            const auto place = static_cast<std::size_t>(step->index);
            if (place > losses.values.size() + 1'000'000) {
                break;  // no run can leave out that many steps
            }
            losses.values.resize(std::max(losses.values.size(), place + 1), std::nan(""));
            losses.values[place] = step->loss;
        }
    }
    return losses;
}

}  // namespace highwater::runs
