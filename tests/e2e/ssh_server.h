#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace highwater::e2e {

class NetLink;

/// A private sshd on the loopback address or behind a link, with generated keys, a configuration for the ssh
/// client and the environment of its sessions: a "host" whose home is a folder of the test.
class SshServer {
public:
    /// `variables`: the environment of its sessions. `link`: the link to it, or null.
    SshServer(const std::filesystem::path& folder, const std::map<std::string, std::string>& variables,
              const NetLink* link = nullptr);
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;
    ~SshServer();  ///< ends it and its sessions

    /// Why it cannot be started here; empty: it is running.
    const std::string& problem() const { return problem_; }
    /// For HIGHWATER_SSH_CONFIG. It knows the host as "loopback".
    std::filesystem::path clientConfig() const { return folder_ / "ssh_config"; }
    std::filesystem::path knownHosts() const { return folder_ / "known_hosts"; }
    /// Stops it and its sessions, and starts it again.
    void stop();
    void start();
    /// Kills the processes that it started for its connections; returns their number.
    int cutConnections();
    /// The processes of its sessions.
    std::vector<int> sessions() const;

private:
    void makeKeys();
    void writeConfigs(const std::map<std::string, std::string>& variables);
    std::filesystem::path folder_;
    std::string problem_, address_;
    const NetLink* link_;
    int port_ = 0, pid_ = -1;
};

/// A port of the loopback address that is free now.
int freePort();
/// The folder in a host's cache where this version's engine is built.
std::filesystem::path engineIn(const std::filesystem::path& cache);
/// Puts the programs of this build there in place of those that would be built.
void prepareIn(const std::filesystem::path& cache);

/// The descendants of this process.
std::vector<int> descendantsOf(int pid);
/// The processes whose environment or command line has `text`, and whose program's name begins with
/// "highwater-".
std::vector<std::string> programsWith(const std::string& text);

}  // namespace highwater::e2e
