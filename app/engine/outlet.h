#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/engine/recording.h"

namespace highwater::engine_app {

/// Where events go: the run's folder, then whoever reads, from a thread of its own, in order. A state is on
/// disk before it is said. A reader that is gone does not stop the run. Where a disk or a reader does not
/// keep up, samples of the ledger are merged into one (LedgerSample::merged counts what it stands for), and
/// everything else makes take() wait once 1,024 events do: nothing is dropped.
class Outlet {
public:
    /// `recording`: none where the run is not recorded. `output`: the reader's file descriptor; -1: none.
    Outlet(std::optional<Recording> recording, int output);
    ~Outlet();  ///< after everything is out
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;

    void take(const wire::Event& event);
    /// How often take() has waited so far.
    const std::atomic<std::int64_t>& waits() const { return waits_; }
    /// The run ended before it began.
    void fail(const std::string& id, const std::string& why);

private:
    void queue(wire::LedgerSample sample);
    void loop();
    void put(const wire::Event& event);
    void note(const base::Status& status);
    void print(const std::string& line);

    std::optional<Recording> recording_;
    int output_;  ///< -1 once nobody reads
    bool told_ = false;
    std::mutex mutex_;
    std::condition_variable arrived_, taken_;
    std::deque<wire::Event> waiting_;
    std::atomic<std::int64_t> waits_{0};
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace highwater::engine_app
