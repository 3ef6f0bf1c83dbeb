#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "app/engine/recording.h"

namespace highwater::engine_app {

/// Writes events in order, on a separate thread: first into the run's folder, then to the reader. So a state
/// is on disk before it is announced. If the reader is gone, the run continues. If the disk or the reader is
/// too slow, samples of the ledger are merged (LedgerSample::merged counts how many), and for all other
/// events take() blocks once 1,024 are queued: nothing is dropped. A run that can no longer be recorded,
/// because the disk is full, is stopped and reported as failed.
class Outlet {
public:
    /// `recording`: std::nullopt if the run is not recorded. `output`: the reader's file descriptor, or -1.
    /// `stop`: set to true if the run has to stop.
    Outlet(std::optional<Recording> recording, int output, std::atomic<bool>& stop);
    ~Outlet();
    /// Returns after all events are written: why the run could not be recorded completely, or an empty
    /// string.
    std::string finish();
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;

    void take(const wire::Event& event);
    /// How often take() has blocked so far.
    const std::atomic<std::int64_t>& waits() const { return waits_; }
    /// Announces that the run failed before it started.
    void fail(const std::string& id, const std::string& why);

private:
    void queue(wire::LedgerSample sample);
    void loop();
    void put(const wire::Event& event);
    void note(const base::Status& status, std::string_view what);
    void end(wire::Finished finished);
    void print(const std::string& line);

    std::optional<Recording> recording_;
    int output_;  ///< -1 after the reader is gone
    std::atomic<bool>& stop_;
    std::string lost_;  ///< why the run can no longer be recorded; empty: it can
    std::mutex mutex_;
    std::condition_variable arrived_, taken_;
    std::deque<wire::Event> waiting_;
    std::atomic<std::int64_t> waits_{0};
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace highwater::engine_app
