#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// Machines on which experiments can run with an engine that was built there: others, reached by OpenSSH, and
/// this one, with another LibTorch than the engine beside this program has.
namespace highwater::hosts {

/// How a host is reached. Everything else (port, key, jump host) stands in the user's ssh configuration.
struct Host {
    std::string name;         ///< 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or a digit
    std::string destination;  ///< USER@HOST, HOST, or a name of the ssh configuration; kHere: this machine
    std::string python;       ///< the Python there whose LibTorch is used; empty: the one on its PATH
    std::string partition =
        {};  ///< of Slurm, where the host is a login node: "gpu", "gpu,long"; empty: its default
    std::string gres = {};  ///< what a task asks of Slurm: "gpu:1"; empty: a whole node
    bool operator==(const Host&) const = default;
};

/// The destination of a host that is this machine: no ssh is needed. (ssh itself can reach no host ".".)
inline constexpr std::string_view kHere = ".";
/// Where it is, for people: "this machine", or its destination.
std::string addressOf(const Host& host);

/// Error: one line that names the part and says what it may be.
base::Status checkHost(const Host& host);

/// The same of what stands for a queue, each of which may be empty.
base::Status checkQueue(std::string_view partition, std::string_view gres, std::string_view node = {});

/// hosts.json in the folder of the user's settings.
std::filesystem::path hostsFile();

/// The hosts in the file, in the order in which they were added; none if there is no file. Error: the file is
/// damaged, or a host in it is none.
base::Result<std::vector<Host>> readHosts(const std::filesystem::path& file);
/// This machine as a host, by the name "localhost", with the engine beside this program.
Host thisMachine();
/// One of them, or this machine, if none has its name. Error: there is none of that name; the message lists
/// those that there are.
base::Result<Host> findHost(const std::filesystem::path& file, std::string_view name);
/// Adds a host, or replaces the one of that name.
base::Status addHost(const std::filesystem::path& file, const Host& host);
base::Status removeHost(const std::filesystem::path& file, std::string_view name);

}  // namespace highwater::hosts
