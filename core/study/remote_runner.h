#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/hosts/connection.h"
#include "core/hosts/hosts.h"
#include "core/hosts/remote_engine.h"
#include "core/runs/run_store.h"
#include "core/study/recorded.h"

namespace highwater::study {

/// How subjects are run on a host: one after the other, each recorded in the store here.
struct RemoteRun : HowToRun {
    hosts::Host host = {};
    std::int64_t timeLimit = hosts::kTimeLimit;  ///< of each run, in seconds
    /// Asked while a run is cancelled: whether to leave it at its host, where it goes on. May be empty.
    std::function<bool()> leave = {};
    std::function<void(const wire::Event&)> event = {};     ///< called for each event; may be empty
    std::function<void(const std::string&)> activity = {};  ///< RemoteEngine::activity(); may be empty
};

/// Makes a runner that goes through this connection, and makes it anew where it broke. `cancel` asks the
/// engine to stop; the outcome is then a cancelled run. A run that is left is an Error. `store` and `cancel`
/// must outlive the runner. The runner is for one thread at a time.
Runner remoteRunner(runs::RunStore& store, RemoteRun how, hosts::Connection connection,
                    const std::atomic<bool>& cancel);

/// Follows to its end and settles a run of the study on a host that an earlier program has left there.
/// Errors: the host cannot be reached; another program follows it; "cancelled": it was left there again.
base::Status fetchOpenRuns(runs::RunStore& store, const std::vector<hosts::Host>& hosts,
                           const std::string& study, const std::atomic<bool>& cancel);

}  // namespace highwater::study
