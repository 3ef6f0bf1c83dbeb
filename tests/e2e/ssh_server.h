#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace highwater::e2e {

class NetLink;

/// An sshd of the test's own on the loopback address or behind a link, with keys made for it. To it belong a
/// configuration of the ssh client and the environment that its sessions get: a "host" whose home is a folder
/// of the test.
class SshServer {
public:
    /// `variables`: the environment of its sessions. `link`: behind which it is; null: none.
    SshServer(const std::filesystem::path& folder, const std::map<std::string, std::string>& variables,
              const NetLink* link = nullptr);
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;
    ~SshServer();  ///< ends it and its sessions

    /// Why it cannot be started here; empty: it runs.
    const std::string& problem() const { return problem_; }
    /// For HIGHWATER_SSH_CONFIG. It knows the host as "loopback".
    std::filesystem::path clientConfig() const { return folder_ / "ssh_config"; }
    std::filesystem::path knownHosts() const { return folder_ / "known_hosts"; }
    /// Stops it, its sessions included, and starts it again.
    void stop();
    void start();
    /// Kills what it has started for its connections; returns how many processes.
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

/// A port of the loopback address that is free at this moment.
int freePort();
/// The folder in a host's cache where this version's engine is built.
std::filesystem::path engineIn(const std::filesystem::path& cache);
/// Has the programs of this build stand there for those that would be built.
void prepareIn(const std::filesystem::path& cache);

/// Processes below this one, however far.
std::vector<int> descendantsOf(int pid);
/// The processes whose environment or command line has `text`, and whose program's name begins with
/// "highwater-".
std::vector<std::string> programsWith(const std::string& text);

}  // namespace highwater::e2e
