#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/hosts/hosts.h"

/// Where runs are executed: --executor and --host.
namespace highwater::cli {

struct WhereOptions {
    std::string executor = "local", hosts;  ///< hosts: names, separated by commas
};
void addWhereOptions(CLI::App& command, WhereOptions& options);

struct Where {
    enum class Executor { Local, Ssh, Slurm };
    Executor executor = Executor::Local;
    std::vector<hosts::Host> hosts;  ///< Ssh: one or more; Slurm: one, which may be this machine
};
/// Errors, one line that begins with the option: an unknown executor; a host is missing, too many are given,
/// or one is not on the list; there is no sbatch on this machine's PATH.
base::Result<Where> chosenWhere(const WhereOptions& options);

}  // namespace highwater::cli
