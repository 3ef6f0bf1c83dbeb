#include "app/cli/run_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/scans.h"
#include "core/hosts/connection.h"
#include "core/hosts/hosts.h"

namespace highwater::cli {

int runThere(const ThereOptions& options, const stack::Experiment& experiment, wire::EngineRequest request) {
    const auto host = hosts::findHost(hosts::hostsFile(), options.host);
    if (!host) {
        return complain("--host: " + host.error().message);
    }
    const auto interrupted = [] { return complain("interrupted; no run was started", kInterrupted); };
    const auto volumes = readVolumes(experiment);
    if (interrupts() > 0) {
        return interrupted();
    }
    if (!volumes) {
        return complain(volumes.error().message);
    }
    for (const volume::Volume& volume : *volumes) {
        request.volumeFds.push_back(volume.fd());
    }
    const auto limit = std::max<std::int64_t>(1, std::llround(options.hours * 3600));
    const auto start = hosts::startOf(experiment, request, limit, &interruptFlag());
    auto connection = start ? hosts::Connection::openAndWait(*host, &interruptFlag())
                            : base::Result<hosts::Connection>(start.error());
    if (interrupts() > 0) {
        return interrupted();
    }
    if (!connection) {
        return complain(connection.error().message, kEngineFailed);
    }
    auto store = openStore(options.store);
    if (!store) {
        return complain(store.error().message);
    }
    const auto folder = store->create(experiment, request.device);
    if (!folder) {
        return complain(folder.error().message);
    }
    const auto engine =
        hosts::RemoteEngine::start(*host, std::move(*connection), *folder, *start, request.volumeFds);
    if (!engine) {
        return complain(engine.error().message, kEngineFailed);
    }
    return followThere(*store, **engine, *folder, options.report);
}

int followThere(runs::RunStore& store, hosts::RemoteEngine& engine, const std::filesystem::path& folder,
                const RunReport& how) {
    const std::string id = folder.filename().string();
    const EngineOutcome outcome = follow(engine, how.events);
    if (outcome.left) {
        return complain(fmt::format("left run {}, which goes on at its host; `highwater-cli runs fetch {}` "
                                    "fetches it",
                                    id, id),
                        kInterrupted);
    }
    const auto row = store.settle(id, outcome.exitCode, outcome.errorText);
    return row ? reportRun(store, *row, how, outcome.exitCode) : complain(row.error().message, kEngineFailed);
}

}  // namespace highwater::cli
