#include "app/cli/where.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/paths.h"
#include "core/base/text.h"

namespace highwater::cli {

namespace {

base::Result<std::vector<hosts::Host>> hostsNamed(std::string_view names) {
    std::vector<hosts::Host> all;
    while (!names.empty()) {
        const std::size_t comma = std::min(names.find(','), names.size());
        auto host = HIGHWATER_TRY(
            base::prefixed("--host", hosts::findHost(hosts::hostsFile(), names.substr(0, comma))));
        if (std::find(all.begin(), all.end(), host) != all.end()) {
            return base::Error{fmt::format("--host: {} is named twice", host.name)};
        }
        all.push_back(std::move(host));
        names.remove_prefix(std::min(comma + 1, names.size()));
    }
    return all;
}

}  // namespace

void addWhereOptions(CLI::App& command, WhereOptions& options) {
    command.add_option(
        "--executor", options.executor,
        "Where the runs are made: local (the default), ssh (on hosts of `hosts list`), or slurm (in the "
        "queue of a cluster)");
    command
        .add_option("--host", options.hosts,
                    "ssh: the hosts, separated by commas; slurm: the login node (default: this machine)")
        ->type_name("NAME,...");
}

base::Result<Where> chosenWhere(const WhereOptions& options) {
    Where where;
    if (options.executor == "ssh") {
        where.executor = Where::Executor::Ssh;
    } else if (options.executor == "slurm") {
        where.executor = Where::Executor::Slurm;
    } else if (options.executor != "local") {
        return base::Error{fmt::format("--executor: \"{}\" is not an executor; give local, ssh or slurm",
                                       base::oneLine(options.executor, 60))};
    }
    if (where.executor == Where::Executor::Local) {
        return options.hosts.empty() ? base::Result<Where>(where)
                                     : base::Error{"--host: needs --executor ssh or slurm"};
    }
    where.hosts = HIGHWATER_TRY(hostsNamed(options.hosts));
    if (where.executor == Where::Executor::Ssh) {
        return where.hosts.empty()
                   ? base::Error{"--executor ssh: needs --host NAME,...; see `highwater-cli hosts list`"}
                   : base::Result<Where>(where);
    }
    if (where.hosts.size() > 1) {
        return base::Error{"--executor slurm: takes one host, the login node of the cluster"};
    }
    if (where.hosts.empty()) {
        if (base::programOnPath("sbatch").empty()) {
            return base::Error{
                "--executor slurm: sbatch is not on PATH, so this is not a login node; name one with --host "
                "NAME"};
        }
        where.hosts.push_back(hosts::thisMachine());
    }
    return where;
}

}  // namespace highwater::cli
