// Replays recorded memory snapshots through the simulated allocator and prints one JSON object:
// docs/make-allocator-replay and docs/make-public-snapshots. replay_snapshots [--libtorch V] SNAPSHOT...
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/predict/tables/profile.h"
#include "tests/core/capture/replay/replay.h"

namespace highwater::capture {
namespace {

using Json = nlohmann::ordered_json;

std::string toText(memory::TorchVersion version) {
    return fmt::format("{}.{}", version.major, version.minor);
}

const char* resultKey(const DeviceReplay& device) {
    return !device.notReplayed.empty() ? "not_replayed" : device.difference ? "different" : "equal";
}

Json toJson(const DeviceReplay& d) {
    Json difference;
    if (d.difference) {
        difference = {{"event", d.difference->event},
                      {"recorded", d.difference->recorded},
                      {"predicted", d.difference->predicted}};
    }
    return {{"device", d.device},
            {"events", d.events},
            {"expandable_segments", d.expandable},
            {"result", resultKey(d)},
            {"why_not_replayed", d.notReplayed.empty() ? Json() : Json(d.notReplayed)},
            {"first_difference", difference},
            {"readings", d.readings},
            {"before",
             {{"segments", d.start.segments},
              {"blocks", d.start.blocks},
              {"reserved_bytes", d.start.reserved},
              {"requested_bytes", d.start.requested}}},
            {"allocations", d.allocations},
            {"segments_taken", d.segmentsTaken},
            {"segments_returned", d.segmentsReturned},
            {"out_of_memory", d.outOfMemories},
            {"highest_reserved_bytes", d.highestReserved},
            {"cache_emptied", d.emptied},
            {"refused_by_driver", d.refused},
            {"waited_for_streams", d.waited}};
}

Json toJson(const std::string& file, const Replay& replay) {
    Json devices = Json::array();
    for (const DeviceReplay& device : replay.devices) {
        devices.push_back(toJson(device));
    }
    const auto& [first, last] = replay.torch;
    return {{"file", file},
            {"libtorch", {{"first", toText(first)}, {"last", last ? Json(toText(*last)) : Json()}}},
            {"devices", devices}};
}

base::Result<Json> replayed(std::vector<std::string> files) {
    ReplayOptions options;
    if (files.size() > 1 && files.front() == "--libtorch") {
        options.libtorch = HIGHWATER_TRY(predict::parseTorchVersion(files[1]));
        files.erase(files.begin(), files.begin() + 2);
    }
    Json all = Json::array();
    for (const std::string& file : files) {
        const auto history = HIGHWATER_TRY(readHistory(file));
        all.push_back(toJson(file, replay(history, options)));
    }
    return Json{{"files", all}};
}

}  // namespace
}  // namespace highwater::capture

int main(int argc, char** argv) {
    const auto json = highwater::capture::replayed({argv + 1, argv + argc});
    fmt::print(json ? stdout : stderr, "{}\n", json ? json->dump(2) : json.error().message);
    return json ? 0 : 2;
}
