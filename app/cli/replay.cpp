#include "core/capture/replay/replay.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/predict/tables/profile.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;
using capture::DeviceReplay;

struct ReplayCommand {
    std::vector<std::string> files;
    std::string libtorch;
    bool json = false;
};

struct ReplayedFile {
    std::string name;
    capture::Replay replay;
};

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

Json toJson(const ReplayedFile& file) {
    Json devices = Json::array();
    for (const DeviceReplay& device : file.replay.devices) {
        devices.push_back(toJson(device));
    }
    const auto& [first, last] = file.replay.torch;
    return {{"file", file.name},
            {"libtorch", {{"first", toText(first)}, {"last", last ? Json(toText(*last)) : Json()}}},
            {"devices", devices}};
}

std::string resultText(const DeviceReplay& device) {
    if (!device.notReplayed.empty()) {
        return "not replayed: " + device.notReplayed;
    }
    if (!device.difference) {
        return "equal";
    }
    const auto& [event, recorded, predicted] = *device.difference;
    const std::string where = event < device.events ? fmt::format("event {}", event) : "at the end";
    return fmt::format("{}: recorded {}; predicted {}", where, recorded, predicted);
}

std::vector<std::string> rowOf(const std::string& file, const DeviceReplay& d) {
    const bool played = d.notReplayed.empty();
    const auto text = [&](std::int64_t number) { return played ? std::to_string(number) : std::string(); };
    return {file,
            std::to_string(d.device),
            std::to_string(d.events),
            !played           ? ""
            : d.start.empty() ? "nothing"
                              : base::formatBytes(d.start.reserved),
            text(d.allocations),
            text(d.segmentsTaken),
            text(d.segmentsReturned),
            played ? base::formatBytes(d.highestReserved) : "",
            resultText(d)};
}

void print(const std::vector<ReplayedFile>& files) {
    std::vector<std::vector<std::string>> rows{
        {"file", "device", "events", "before", "allocations", "taken", "returned", "highest", "result"}};
    for (const ReplayedFile& file : files) {
        const std::string name = base::oneLine(std::filesystem::path(file.name).filename().string(), 60);
        for (const DeviceReplay& device : file.replay.devices) {
            rows.push_back(rowOf(name, device));
        }
        if (file.replay.devices.empty()) {
            rows.push_back({name, "", "0", "", "", "", "", "", "not replayed: nothing was recorded"});
        }
    }
    printLines(table(rows, {1, 2, 3, 4, 5, 6, 7}));
}

int replayFiles(const ReplayCommand& command) {
    capture::ReplayOptions options;
    if (!command.libtorch.empty()) {
        const auto version = predict::parseTorchVersion(command.libtorch);
        if (!version) {
            return complain("--libtorch: " + version.error().message);
        }
        options.libtorch = *version;
    }
    catchInterrupts();
    std::vector<ReplayedFile> files;
    StatusLine status;
    for (const std::string& file : command.files) {
        const auto history = capture::readHistory(file, [&](double done) {
            status.show(fmt::format("{}: {:.0f} %", file, 100 * done));
            return interrupts() == 0;
        });
        if (interrupts() > 0) {
            return complain("interrupted", kInterrupted);
        }
        if (!history) {
            return complain(history.error().message);
        }
        files.push_back({file, capture::replay(*history, options)});
    }
    status.clear();
    if (!command.json) {
        print(files);
        return kDone;
    }
    Json all = Json::array();
    for (const ReplayedFile& file : files) {
        all.push_back(toJson(file));
    }
    printJson({{"files", all}});
    return kDone;
}

}  // namespace

void addReplay(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand(
        "replay", "Replay recorded memory snapshots through the simulated allocator and compare");
    const auto options = std::make_shared<ReplayCommand>();
    command->add_option("SNAPSHOT", options->files, "Files of torch.cuda.memory._dump_snapshot()")
        ->required();
    command
        ->add_option("--libtorch", options->libtorch,
                     "The release that wrote them, such as 2.4 (default: from the files)")
        ->type_name("V");
    command->add_flag("--json", options->json, "Print one JSON object");
    command->footer("Example: highwater-cli replay snapshot.pickle");
    command->callback([options, &exit] { exit = replayFiles(*options); });
}

}  // namespace highwater::cli
