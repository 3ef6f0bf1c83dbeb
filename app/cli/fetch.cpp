#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/run_there.h"
#include "core/hosts/connection.h"

namespace highwater::cli {
namespace {

struct FetchOptions {
    std::string store;
    std::vector<std::string> runs;
    bool giveUp = false;
};

/// The runs to fetch: those named, or by default all runs on hosts that no program is following.
base::Result<std::vector<runs::ActiveRun>> runsToFetch(const runs::RunStore& store,
                                                       const FetchOptions& options) {
    auto active = HIGHWATER_TRY(store.active());
    std::erase_if(active, [](const runs::ActiveRun& run) { return run.host.empty(); });
    if (options.runs.empty()) {
        std::erase_if(active, [](const runs::ActiveRun& run) {
            return run.followedBy != runs::ActiveRun::FollowedBy::Nobody;
        });
        return active;
    }
    std::vector<runs::ActiveRun> named;
    for (const std::string& word : options.runs) {
        const auto record = HIGHWATER_TRY(store.load(word));
        const auto at = std::find_if(active.begin(), active.end(),
                                     [&](const runs::ActiveRun& run) { return run.id == record.summary.id; });
        if (at == active.end()) {
            return base::Error{fmt::format("run {} is not on a host", record.summary.number)};
        }
        if (at->followedBy != runs::ActiveRun::FollowedBy::Nobody) {
            return base::Error{fmt::format("run {} is followed by another program", at->number)};
        }
        named.push_back(*at);
    }
    return named;
}

int fetchOne(runs::RunStore& store, const runs::ActiveRun& run, bool giveUp) {
    if (giveUp) {
        const auto row = store.giveUp(run.id);
        return row ? kDone : complain(row.error().message, kEngineFailed);
    }
    const auto host = hosts::findHost(hosts::hostsFile(), run.host);
    auto connection = host ? hosts::Connection::openAndWait(*host, &interruptFlag())
                           : base::Result<hosts::Connection>(host.error());
    if (!connection) {
        return complain(fmt::format("run {}: {}", run.number, connection.error().message), kEngineFailed);
    }
    const auto taken = store.takeOver(run.id);
    if (!taken || !*taken) {
        return taken ? complain(fmt::format("run {} is followed by another program", run.number))
                     : complain(taken.error().message);
    }
    const auto engine = hosts::RemoteEngine::follow(*host, std::move(*connection), (*taken)->folder);
    return followThere(store, *engine, (*taken)->folder, {});
}

int fetchAll(const FetchOptions& options) {
    auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    if (options.giveUp && options.runs.empty()) {
        return complain("--give-up: name the runs to give up");
    }
    const auto runs = runsToFetch(store, options);
    if (!runs) {
        return complain(runs.error().message);
    }
    if (runs->empty()) {
        printText("no run is waiting on a host\n");
    }
    catchInterrupts();
    int exit = kDone;
    for (const runs::ActiveRun& run : *runs) {
        const int code = fetchOne(store, run, options.giveUp);
        exit = exit == kDone ? code : exit;
        if (interrupts() > 0) {
            return kInterrupted;
        }
    }
    return exit;
}

}  // namespace

void addFetch(CLI::App& runs, int& exit) {
    CLI::App* command = runs.add_subcommand(
        "fetch",
        "Fetch runs from hosts whose connection was lost; one that is still running is followed to its end");
    const auto options = std::make_shared<FetchOptions>();
    command->add_option("RUN", options->runs, "Runs by number, id or the beginning of one (default: all)");
    command->add_flag("--give-up", options->giveUp,
                      "Record them as failed with the data fetched so far; nothing on the host is stopped");
    addStoreOption(*command, options->store);
    command->callback([options, &exit] { exit = fetchAll(*options); });
}

}  // namespace highwater::cli
