#include <iostream>
#include <nlohmann/json.hpp>

#include "app/engine/commands.h"
#include "core/engine/data/patch_files.h"

namespace highwater::engine_app {

int sayPatches(const Options& options, const std::atomic<bool>& cancel) {
    const auto request = makeRequest(options);
    if (!request) {
        return refuse(request.error(), 2);
    }
    const auto done = engine::writePatches(
        *request, {options.first, options.patches, options.out},
        [](const wire::SentPatch& patch) { std::cout << wire::toJson(patch).dump() << std::endl; }, cancel);
    if (!done) {
        return refuse(done.error(), cancel ? 130 : 2);
    }
    return 0;
}

}  // namespace highwater::engine_app
