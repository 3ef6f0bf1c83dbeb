#pragma once

#include <filesystem>
#include <string>

#include "app/cli/run_report.h"
#include "core/hosts/hosts.h"
#include "core/hosts/remote_engine.h"
#include "core/stack/experiment.h"

/// Runs on hosts. Each function returns the exit code.
namespace highwater::cli {

struct ThereOptions {
    hosts::Host host;
    std::string store;
    double hours = 24;  ///< the time limit
    RunReport report;
};

/// `run --host`: `request` describes the run, without its folder and volumes. Nothing is recorded if the host
/// cannot be reached. `queued`: submits it as the only task of a Slurm array. While it is pending, the status
/// line says why.
int runThere(const ThereOptions& options, const stack::Experiment& experiment, wire::EngineRequest request,
             bool queued);

/// Follows a run on a host to its end, then settles and reports it; or says that it was left there.
int followThere(runs::RunStore& store, hosts::RemoteEngine& engine, const std::filesystem::path& folder,
                const RunReport& how);

}  // namespace highwater::cli
