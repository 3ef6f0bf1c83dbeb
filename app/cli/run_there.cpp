#include "app/cli/run_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/follow.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/scans.h"
#include "core/base/id.h"
#include "core/hosts/connection.h"
#include "core/hosts/queue.h"

namespace highwater::cli {

namespace {

constexpr auto kLookAtQueue = std::chrono::milliseconds(500);

/// Waits until the run is no longer in the queue, or an engine is at work on it. Error: Slurm refuses it, the
/// host cannot be reached.
base::Status waitInQueue(hosts::Queue& queue, const std::string& id, const std::string& array) {
    HIGHWATER_TRY(queue.submit(array, {id}, "", nullptr));
    StatusLine line;
    bool stopped = false;
    for (;;) {
        std::string silent;
        const auto tasks = queue.look({id}, silent, nullptr);
        if (tasks && tasks->front().state != hosts::Task::State::Waiting) {
            return {};
        }
        line.show(!tasks ? tasks.error().message : silent.empty() ? hosts::wordsOf(tasks->front()) : silent);
        if (interrupts() > 0 && !stopped) {
            stopped = queue.stop({id}).ok();
        }
        if (interrupts() > 1) {
            return {};
        }
        std::this_thread::sleep_for(kLookAtQueue);
    }
}

/// `run --executor slurm`, from the run's folder on.
int runQueued(runs::RunStore& store, const hosts::Host& host, hosts::Connection connection,
              const std::filesystem::path& folder, const hosts::Start& start, const std::vector<int>& volumes,
              const RunReport& how) {
    const std::string id = folder.filename().string(), array = base::newId();
    const auto failed = [&](const std::string& why) {
        const auto row = store.settle(id, -1, why);
        return complain(row ? why : row.error().message, kEngineFailed);
    };
    const auto placing =
        hosts::RemoteEngine::place(host, std::move(connection), folder, start, volumes, array);
    if (!placing) {
        return failed(placing.error().message);
    }
    const EngineOutcome placed = follow(**placing, false);
    if (placed.left || placed.exitCode != 0) {
        return failed(placed.left ? "interrupted before it began" : placed.errorText);
    }
    hosts::Queue queue(host, (*placing)->takeConnection());
    const auto waited = waitInQueue(queue, id, array);
    auto last = queue.lend(nullptr);
    if (!last) {
        return complain(last.error().message, kEngineFailed);
    }
    const auto engine = hosts::RemoteEngine::follow(host, std::move(*last), folder);
    if (!waited || interrupts() > 0) {  // it may have begun all the same
        engine->cancel();
    }
    if (waited && interrupts() == 0) {
        return followThere(store, *engine, folder, how);
    }
    EngineOutcome outcome = follow(*engine, how.events);
    if (outcome.exitCode < 0) {
        outcome.exitCode = wire::kInterrupted;
    }
    const auto row = store.settle(id, outcome.exitCode, waited ? outcome.errorText : waited.error().message);
    return waited ? reportRun(store, row, how, outcome) : complain(waited.error().message, kEngineFailed);
}

}  // namespace

int runThere(const ThereOptions& options, const stack::Experiment& experiment, wire::EngineRequest request,
             bool queued) {
    const hosts::Host* const host = &options.host;
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
    auto store = HIGHWATER_TRY_OR_COMPLAIN(openStore(options.store));
    const auto folder = HIGHWATER_TRY_OR_COMPLAIN(store.create(experiment, request.device));
    if (queued) {
        return runQueued(store, *host, std::move(*connection), folder, *start, request.volumeFds,
                         options.report);
    }
    const auto engine =
        hosts::RemoteEngine::start(*host, std::move(*connection), folder, *start, request.volumeFds);
    if (!engine) {
        return complain(engine.error().message, kEngineFailed);
    }
    return followThere(store, **engine, folder, options.report);
}

int followThere(runs::RunStore& store, hosts::RemoteEngine& engine, const std::filesystem::path& folder,
                const RunReport& how) {
    const std::string id = folder.filename().string();
    const EngineOutcome outcome = follow(engine, how.events);
    if (outcome.left) {
        return complain(
            fmt::format("left run {}, which continues on its host; `highwater-cli runs fetch {}` fetches it",
                        id, id),
            kInterrupted);
    }
    const auto row = store.settle(id, outcome.exitCode, outcome.errorText);
    return reportRun(store, row, how, outcome);
}

}  // namespace highwater::cli
