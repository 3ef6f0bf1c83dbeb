#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/machine.h"
#include "app/cli/output.h"
#include "core/base/text.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

int devices(bool json) {
    const Machine machine = thisMachine();
    if (json) {
        Json list = Json::array();
        list.push_back({{"id", "cpu"},
                        {"name", machine.processor},
                        {"threads", machine.threads},
                        {"isa", machine.isa},
                        {"memory_bytes", machine.memory},
                        {"available_bytes", machine.available}});
        for (const std::string& gpu : machine.gpus)
            list.push_back({{"id", "cuda"}, {"name", gpu}});
        printJson({{"devices", list}});
        return kDone;
    }
    fmt::print("cpu   {}, {} threads, {}, {} of memory ({} free)\n", machine.processor, machine.threads,
               machine.isa, base::formatBytes(machine.memory), base::formatBytes(machine.available));
    for (const std::string& gpu : machine.gpus)
        fmt::print("cuda  {}\n", gpu);
    return kDone;
}

}  // namespace

void addDevices(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand("devices", "What this machine has to run on");
    const auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print one JSON object");
    command->footer("Example: highwater-cli devices --json");
    command->callback([json, &exit] { exit = devices(*json); });
}

}  // namespace highwater::cli
