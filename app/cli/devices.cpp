#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>

#include "app/cli/commands.h"
#include "app/cli/devices.h"
#include "app/cli/output.h"
#include "core/base/text.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

Json describe(const Machine& machine, const devices::GpusHere& here) {
    Json list = Json::array();
    list.push_back({{"id", "cpu"},
                    {"name", machine.processor},
                    {"threads", machine.threads},
                    {"isa", machine.isa},
                    {"memory_bytes", machine.memory},
                    {"available_bytes", machine.available}});
    for (const devices::GpuHere& gpu : here.gpus) {
        list.push_back(gpuJson(gpu));
    }
    return list;
}

void print(const Machine& machine, const devices::GpusHere& here) {
    printText("cpu     {}, {} threads, {}, {} of memory ({} free)\n", machine.processor, machine.threads,
              machine.isa, base::formatBytes(machine.memory), base::formatBytes(machine.available));
    printGpus(here);
}

void printTable(const Json& table) {
    const auto text = [&](const char* key) { return table.value(key, std::string()); };
    printText("measured {} convolutions for LibTorch {}, oneDNN {}, {}, {} threads: {}{}\n",
              table.value("measured", 0), text("libtorch"), text("onednn"), text("isa"),
              table.value("threads", 0), text("file"), table.value("cancelled", false) ? " (stopped)" : "");
    for (const Json& skipped : table.value("skipped", Json::array())) {
        printText("  left out: {}\n", base::oneLine(skipped.get<std::string>(), 1000));
    }
}

int listDevices(bool json) {
    const Machine machine = thisMachine();
    const devices::GpusHere here = devices::gpusHere();
    if (json) {
        printJson(
            {{"devices", describe(machine, here)}, {"cuda", cudaJson(here)}, {"profiles", profilesJson()}});
    } else {
        print(machine, here), printProfiles();
    }
    return kDone;
}

int calibrateDevices(const CalibrateRequest& request, bool json) {
    Json tables = Json::array();
    const int exit = calibrate(request, tables);
    if (json && (exit == kDone || !tables.empty())) {
        printJson({{"devices", describe(thisMachine(), devices::gpusHere())}, {"calibrations", tables}});
    }
    for (const Json& table : json ? Json::array() : tables) {
        printTable(table);
    }
    return exit;
}

struct DevicesOptions {
    bool json = false, calibrate = false;
    CalibrateRequest request;
};

}  // namespace

base::Status checkDevice(const std::string& device) {
    static const std::regex devices("cpu|cuda(:[0-9]{1,3})?");
    if (std::regex_match(device, devices)) {
        return {};
    }
    return base::Error{
        fmt::format("--device: \"{}\" is not a device; give cpu, cuda or cuda:N", base::oneLine(device, 60))};
}

void addDevices(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand("devices", "The devices of this machine that can run experiments");
    const auto options = std::make_shared<DevicesOptions>();
    command->add_flag("--json", options->json, "Print one JSON object");
    auto* const calibrate = command->add_flag("--calibrate", options->calibrate,
                                              "Measure the temporary memory of convolutions and the speed of "
                                              "this machine, for predictions (about a minute)");
    CalibrateRequest& request = options->request;
    command
        ->add_option("EXPERIMENT", request.experiments,
                     "Measure the convolutions of these experiments as well")
        ->needs(calibrate);
    command
        ->add_option("--threads", request.threads, "The number of threads (default: as the experiments say)")
        ->check(CLI::Range(1, 4096))
        ->needs(calibrate);
    command->add_option("--out", request.out, "The table to write (default: the user's own)")
        ->type_name("FILE")
        ->needs(calibrate);
    command
        ->add_flag("--only", request.only,
                   "Measure only the given convolutions, not the standard convolutions")
        ->needs(calibrate);
    command
        ->add_option("--convolutions", request.convolutions, "A file with further convolutions, one per line")
        ->type_name("FILE")
        ->needs(calibrate);
    command->footer("Example: highwater-cli devices --calibrate experiment.json");
    command->callback([options, &exit] {
        exit = options->calibrate ? calibrateDevices(options->request, options->json)
                                  : listDevices(options->json);
    });
}

}  // namespace highwater::cli
