#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/engine/options.h"
#include "core/base/process.h"
#include "core/base/result.h"
#include "core/engine/run/runner.h"

namespace highwater::engine_app {

/// The other ranks of a data-parallel run: processes of this program, started by rank 0. They end with this
/// process in any case. If one of them fails, the link between all ranks is stopped.
class OtherRanks {
public:
    /// Starts ranks 1 to options.ranks - 1. Call it from the main thread, before the volumes in `options` are
    /// taken over, because the other ranks inherit them. `experiment`: the experiment's file.
    static base::Result<std::unique_ptr<OtherRanks>> start(const Options& options,
                                                           const std::string& experiment);
    /// Kills the ranks that are still running.
    ~OtherRanks();
    OtherRanks(const OtherRanks&) = delete;
    OtherRanks& operator=(const OtherRanks&) = delete;

    const std::shared_ptr<engine::RankLink>& link() const { return link_; }
    /// Waits until all have exited, and kills those that take too long; returns their results in rank order.
    std::vector<wire::RankResult> results();

private:
    struct Rank {
        int number = 0;
        base::Process process;
        base::Descriptor output, errors;
        std::string text;  ///< its stdout
        wire::RankResult result;
        std::thread thread;
    };
    OtherRanks() = default;
    void follow(Rank& rank);
    bool tooLate() const;
    void endBy(std::chrono::seconds grace);

    std::shared_ptr<engine::RankLink> link_;
    std::vector<std::unique_ptr<Rank>> ranks_;
    std::atomic<std::chrono::steady_clock::rep> latest_{0};  ///< deadline for their exit; 0: not yet known
};

/// Prepares this process to be one of several ranks. `others`: for rank 0, otherwise null; it must outlive
/// the run. Changes the request's experiment to the part that each rank runs. Error: a link that cannot be
/// joined.
base::Status joinRanks(const Options& options, OtherRanks* others, engine::RunRequest& request);

}  // namespace highwater::engine_app
