#include "core/hosts/hosts.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/text.h"
#include "core/hosts/check.h"
#include "core/hosts/prepare.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

struct HostsOptions {
    hosts::Host host;
    bool json = false, lookOnly = false;
};

Json hostJson(const hosts::Host& host) {
    Json json = {{"name", host.name}, {"destination", host.destination}};
    if (!host.python.empty()) {
        json["python"] = host.python;
    }
    if (!host.partition.empty()) {
        json["slurm"] = host.partition;
    }
    if (!host.gres.empty()) {
        json["gres"] = host.gres;
    }
    return json;
}

int keepHost(const HostsOptions& options) {
    const auto done = hosts::addHost(hosts::hostsFile(), options.host);
    return done ? kDone : complain(done.error().message);
}

int dropHost(const HostsOptions& options) {
    const auto done = hosts::removeHost(hosts::hostsFile(), options.host.name);
    return done ? kDone : complain(done.error().message);
}

int listHosts(const HostsOptions& options) {
    const auto all = HIGHWATER_TRY_OR_COMPLAIN(hosts::readHosts(hosts::hostsFile()));
    if (options.json) {
        Json array = Json::array();
        for (const hosts::Host& host : all) {
            array.push_back(hostJson(host));
        }
        printJson({{"file", hosts::hostsFile().string()}, {"hosts", array}});
        return kDone;
    }
    if (all.empty()) {
        printText("no hosts; add one with `highwater-cli hosts add NAME USER@HOST`\n");
        return kDone;
    }
    std::vector<std::vector<std::string>> rows = {{"name", "address", "python", "slurm"}};
    for (const hosts::Host& host : all) {
        const std::string slurm =
            host.partition + (host.partition.empty() || host.gres.empty() ? "" : ", ") + host.gres;
        rows.push_back({host.name, hosts::addressOf(host), host.python.empty() ? "–" : host.python,
                        slurm.empty() ? "–" : slurm});
    }
    printLines(table(rows, {}));
    return kDone;
}

Json factsJson(const hosts::Host& host, const hosts::HostFacts& facts, const std::string& missing) {
    Json gpus = Json::array();
    for (const hosts::HostFacts::Gpu& gpu : facts.gpus) {
        gpus.push_back({{"name", gpu.name}, {"driver", gpu.driver}, {"memory_bytes", gpu.memory}});
    }
    Json json = hostJson(host);
    json.update({{"system", facts.system},
                 {"cores", facts.cores},
                 {"memory_bytes", facts.memory},
                 {"gpus", gpus},
                 {"libtorch", facts.torch},
                 {"libtorch_folder", facts.torchPlace},
                 {"compiler", facts.compiler},
                 {"cmake", facts.cmake},
                 {"cuda_compiler", facts.nvcc},
                 {"folder", facts.cache},
                 {"free_bytes", facts.free},
                 {"ready", facts.ready}});
    if (!missing.empty()) {
        json["missing"] = missing;
    }
    return json;
}

void printFacts(const hosts::Host& host, const hosts::HostFacts& facts) {
    printText("{} ({})\n", host.name, hosts::addressOf(host));
    for (const auto& [name, value] : hosts::rowsOf(facts)) {
        printRow(name, value);
    }
}

int inspectHost(const HostsOptions& options) {
    const auto host = HIGHWATER_TRY_OR_COMPLAIN(hosts::findHost(hosts::hostsFile(), options.host.name));
    catchInterrupts();
    StatusLine line;
    line.show(fmt::format("asking {}", host.name));
    auto facts = hosts::checkThere(host, &interruptFlag());
    line.clear();
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!facts) {
        return complain(facts.error().message, kEngineFailed);
    }
    if (!options.json) {
        printFacts(host, *facts);
        std::fflush(stdout);
    }
    const std::string missing = hosts::missingThere(host, *facts);
    base::Status prepared;
    if (!options.lookOnly) {
        prepared = hosts::prepareThere(
            host, *facts, [&](std::string_view text) { line.show(text); }, &interruptFlag());
        line.clear();
        facts->ready = prepared.ok();
    }
    if (options.json) {
        printJson(factsJson(host, *facts, missing));
    } else if (facts->ready) {
        printRow("engine", "built for this version");
    }
    if (interrupts() > 0) {
        return complain("interrupted; a build in progress continues there, and the next check follows it",
                        kInterrupted);
    }
    if (!prepared) {
        return complain(prepared.error().message, kEngineFailed);
    }
    return missing.empty() || facts->ready ? kDone : complain(missing, kEngineFailed);
}

}  // namespace

void addHosts(CLI::App& app, int& exit) {
    CLI::App* command = app.add_subcommand(
        "hosts", "Machines to run experiments on: others over ssh, this one with another PyTorch");
    command->require_subcommand(1);
    command->footer(
        "Ports, keys and jump hosts belong in the ssh configuration; `ssh USER@HOST` must work without a "
        "password.\nExamples:\n  highwater-cli hosts add lab anna@lab.example.org --python "
        "/home/anna/venv/bin/python\n  highwater-cli hosts add mine . --python "
        "/home/anna/venv/bin/python\n  highwater-cli hosts add cluster anna@login.example.org --slurm gpu "
        "--gres "
        "gpu:1\n  highwater-cli hosts check lab\n  highwater-cli run experiment.json "
        "--host "
        "lab --device cuda");
    const auto options = std::make_shared<HostsOptions>();
    const auto with = [&](const char* name, const char* help, int (*action)(const HostsOptions&)) {
        CLI::App* sub = command->add_subcommand(name, help);
        sub->callback([options, action, &exit] { exit = action(*options); });
        return sub;
    };
    CLI::App* adds = with("add", "Add a host, or change the one of this name", keepHost);
    adds->add_option("NAME", options->host.name, "Its name here")->required();
    adds->add_option("USER@HOST", options->host.destination,
                     "USER@HOST, HOST, or a name from the ssh configuration; \".\" is this machine, with the "
                     "torch of --python")
        ->required();
    adds->add_option("--python", options->host.python,
                     "A Python there whose torch is used (default: the one on its PATH)")
        ->type_name("PATH");
    adds->add_option("--slurm", options->host.partition,
                     "Of a cluster's login node: the partition of Slurm to use (default: the cluster's)")
        ->type_name("PARTITION");
    adds->add_option("--gres", options->host.gres,
                     "What each run asks of Slurm, such as gpu:1 (default: a whole node)")
        ->type_name("GRES");
    with("list", "All hosts", listHosts)->add_flag("--json", options->json, "Print one JSON object");
    CLI::App* checks =
        with("check", "Show what is installed there and build the engine for this version", inspectHost);
    checks->add_option("NAME", options->host.name)->required();
    checks->add_flag("--look-only", options->lookOnly, "Build nothing");
    checks->add_flag("--json", options->json, "Print one JSON object");
    with("remove", "Remove a host from the list; nothing on it is touched", dropHost)
        ->add_option("NAME", options->host.name)
        ->required();
}

}  // namespace highwater::cli
