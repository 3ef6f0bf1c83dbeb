#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace highwater::e2e {

/// A private Slurm: a controller and one node on this machine, with its own ports, keys and folders and
/// without accounting. The node has two of the resource that `--gres slot:1` requests.
class SlurmCluster {
public:
    explicit SlurmCluster(const std::filesystem::path& folder);
    SlurmCluster(const SlurmCluster&) = delete;
    SlurmCluster& operator=(const SlurmCluster&) = delete;
    ~SlurmCluster();  ///< ends it, and the processes started by its tasks

    /// Why it cannot be started here; empty: it is running.
    const std::string& problem() const { return problem_; }
    /// For SLURM_CONF.
    std::filesystem::path config() const { return folder_ / "slurm.conf"; }

    void killController();
    void startController();
    /// Kills slurmd; its tasks continue.
    void killNode();
    void startNode();
    /// Kills slurmd and everything that its tasks run, as when a machine loses power.
    void loseNode();
    /// The stdout of one of Slurm's programs; empty if it fails.
    std::string ask(const std::string& commandLine) const;
    /// Takes a drained node back into service.
    void resumeNode() const;
    /// The node's state, "idle", "mixed", "down*".
    std::string nodeState() const;

private:
    std::string endOf(const char* log) const;
    void start(const char* program, const std::vector<std::string>& arguments, int& pid);
    std::vector<int> stepDaemons() const;
    std::filesystem::path folder_;
    std::string problem_, node_;
    int controller_ = -1, daemon_ = -1;
};

}  // namespace highwater::e2e
