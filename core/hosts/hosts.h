#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

/// Machines on which experiments can run with an engine built there: remote ones, reached by OpenSSH, and
/// this one with a different LibTorch than that of the installed engine.
namespace highwater::hosts {

/// How a host is reached. Everything else (port, key, jump host) is in the user's ssh configuration.
struct Host {
    std::string name;         ///< 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or a digit
    std::string destination;  ///< USER@HOST, HOST, or a name of the ssh configuration; kHere: this machine
    std::string python;       ///< the Python on the host whose LibTorch is used; empty: the one on its PATH
    std::string partition =
        {};  ///< Slurm partitions, if the host is a login node: "gpu", "gpu,long"; empty: its default
    std::string gres = {};  ///< resources that a task requests from Slurm: "gpu:1"; empty: a whole node
    bool operator==(const Host&) const = default;
};

/// The destination that means this machine, without ssh. (ssh itself can reach no host ".".)
inline constexpr std::string_view kHere = ".";
/// The address for display: "this machine", or the destination.
std::string addressOf(const Host& host);

/// Error: one line that names the invalid field and says what is allowed.
base::Status checkHost(const Host& host);

/// The same for the queue's fields, each of which may be empty.
base::Status checkQueue(std::string_view partition, std::string_view gres, std::string_view node = {});

/// hosts.json in the folder of the user's settings.
std::filesystem::path hostsFile();

/// The hosts in the file, in the order in which they were added; empty if there is no file. Error: the file
/// is damaged, or contains an invalid host.
base::Result<std::vector<Host>> readHosts(const std::filesystem::path& file);
/// This machine as a host named "localhost", with the installed engine.
Host thisMachine();
/// The host with this name; this machine, if the name is "localhost" and not in the file. Error: there is no
/// such host; the message lists the names.
base::Result<Host> findHost(const std::filesystem::path& file, std::string_view name);
/// Adds a host, or replaces the one with the same name.
base::Status addHost(const std::filesystem::path& file, const Host& host);
base::Status removeHost(const std::filesystem::path& file, std::string_view name);

}  // namespace highwater::hosts
