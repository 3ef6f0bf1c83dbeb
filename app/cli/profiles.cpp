#include "app/cli/devices.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/predict/tables/profile.h"

namespace highwater::cli {
namespace {

const char* sourceWord(predict::DeviceProfile::Source source) {
    return source == predict::DeviceProfile::Source::Measured ? "measured" : "datasheet";
}

}  // namespace

nlohmann::ordered_json profilesJson() {
    auto list = nlohmann::ordered_json::array();
    const auto profiles = predict::loadProfiles();
    if (!profiles) {
        return list;
    }
    for (const predict::DeviceProfile& profile : *profiles) {
        list.push_back({{"id", profile.id},
                        {"name", profile.name},
                        {"architecture", profile.architecture},
                        {"memory_bytes", profile.memory},
                        {"memory_source", sourceWord(profile.memorySource)},
                        {"speed_source", sourceWord(profile.speedSource)}});
    }
    return list;
}

void printProfiles() {
    const auto profiles = predict::loadProfiles();
    if (!profiles || profiles->empty()) {
        return;
    }
    std::vector<std::vector<std::string>> rows = {{"for predict --target", "", "memory", "known by"}};
    for (const predict::DeviceProfile& profile : *profiles) {
        rows.push_back(
            {profile.id, profile.name, base::formatBytes(profile.memory), sourceWord(profile.memorySource)});
    }
    printLines("\n" + table(rows, {2}));
}

}  // namespace highwater::cli
