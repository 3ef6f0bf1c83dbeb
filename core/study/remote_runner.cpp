#include "core/study/remote_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace highwater::study {

namespace {

using base::Error;

constexpr int kEngineWaitMs = 100;

/// Follows the engine to its end. False: it was left.
bool followToEnd(hosts::RemoteEngine& engine, const RemoteRun& how, const std::atomic<bool>& cancel) {
    bool asked = false;
    while (!engine.finished()) {
        engine.wait(kEngineWaitMs);
        for (const wire::Event& event : engine.read()) {
            if (how.event) {
                how.event(event);
            }
        }
        if (how.activity) {
            how.activity(engine.activity());
        }
        if (cancel && !std::exchange(asked, true)) {
            engine.cancel();
        }
        if (asked && !engine.connected() && !engine.finished() && how.leave && how.leave()) {
            return false;
        }
    }
    return true;
}

base::Result<RunOutcome> settled(runs::RunStore& store, hosts::RemoteEngine& engine, const std::string& id) {
    const auto row = store.settle(id, engine.exitCode(), engine.errorText());
    return row ? outcomeOf(store, id) : row.error();
}

base::Result<RunOutcome> runThere(runs::RunStore& store, const RemoteRun& how, const Subject& subject,
                                  int repeat, std::optional<hosts::Connection>& kept,
                                  const std::atomic<bool>& cancel) {
    const auto request = engineRequest(subject, how);
    const auto start =
        HIGHWATER_TRY(request ? hosts::startOf(subject.experiment, *request, how.timeLimit, &cancel)
                              : base::Result<hosts::Start>(request.error()));
    auto connection = kept && !kept->closed() ? base::Result<hosts::Connection>(std::move(*kept))
                                              : hosts::Connection::open(how.host);
    kept.reset();
    if (!connection) {
        return connection.error();
    }
    runs::Study part = partOf(how.study, subject, repeat);
    part.place = how.host.name;
    const auto folder = HIGHWATER_TRY(store.create(subject.experiment, how.device, part));
    const std::string id = folder.filename().string();
    const auto engine =
        hosts::RemoteEngine::start(how.host, std::move(*connection), folder, start, request->volumeFds);
    if (!engine) {
        const auto row = store.settle(id, -1, engine.error().message);
        return row ? engine.error() : row.error();
    }
    if (!followToEnd(**engine, how, cancel)) {
        return Error{fmt::format("run {} was left on host {}, where it continues", id, how.host.name)};
    }
    kept = (*engine)->takeConnection();
    return settled(store, **engine, id);
}

}  // namespace

Runner remoteRunner(runs::RunStore& store, RemoteRun how, hosts::Connection connection,
                    const std::atomic<bool>& cancel) {
    // A Runner can be copied, a connection cannot.
    const auto kept = std::make_shared<std::optional<hosts::Connection>>(std::move(connection));
    return [&store, how = std::move(how), kept, &cancel](const Subject& subject, int repeat) {
        return runThere(store, how, subject, repeat, *kept, cancel);
    };
}

base::Status fetchOpenRuns(runs::RunStore& store, const std::vector<hosts::Host>& hosts,
                           const std::string& study, const std::atomic<bool>& cancel) {
    const auto recorded = HIGHWATER_TRY(Recorded::read(store, study));
    for (const runs::RunSummary& run : recorded.open()) {
        const auto host = std::find_if(hosts.begin(), hosts.end(),
                                       [&](const hosts::Host& one) { return one.name == run.study.place; });
        if (host == hosts.end()) {
            continue;
        }
        auto connection = hosts::Connection::openAndWait(*host, &cancel);
        const auto taken =
            HIGHWATER_TRY(connection ? store.takeOver(run.id)
                                     : base::Result<std::optional<runs::TakenRun>>(connection.error()));
        if (!taken) {
            return Error{fmt::format("run {} of this sweep is followed by another program", run.number)};
        }
        const auto engine = hosts::RemoteEngine::follow(*host, std::move(*connection), taken->folder);
        RemoteRun how;
        how.leave = [] { return true; };
        if (!followToEnd(*engine, how, cancel)) {
            return Error{"cancelled"};
        }
        HIGHWATER_TRY(settled(store, *engine, run.id));
    }
    return {};
}

}  // namespace highwater::study
