#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

/// Makes samples ahead of time with worker threads and hands them out in order. Plain C++. Private to
/// core/engine.
namespace highwater::engine {

/// Thrown if the data or a worker fails; what() is one line for the user.
struct DataFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Waits `ms` milliseconds; 0 only checks for the end of the run. Throws if the run must end.
using Wait = std::function<void(double ms)>;

/// Sample n occupies slot n % slots from when a worker begins it until giveBack(). So the memory is bounded
/// by the slots, however fast the workers are.
class Prefetcher {
public:
    struct Work {
        /// Called for one sample at a time, in order, before `make`; may be empty.
        std::function<void(std::int64_t sample, std::size_t slot)> begin;
        /// Called by several threads at a time; `worker` is 0 to workers - 1. It should call `wait(0)` now
        /// and then, so that stop() need not wait for the whole sample.
        std::function<void(std::int64_t sample, std::size_t slot, std::size_t worker, const Wait& wait)> make;
    };
    /// `workers` and `slots` are at least 1. Throws DataFailed if the threads cannot be created.
    Prefetcher(std::size_t workers, std::size_t slots, Work work);
    ~Prefetcher();
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;

    /// Waits for the next sample and returns its slot; rethrows an exception from making it. `check` is
    /// called at once and at least every 20 ms; it ends the wait by throwing. Call giveBack() before the next
    /// take().
    std::size_t take(const std::function<void()>& check);
    void giveBack();
    /// Ends the threads. A sample that is being made is abandoned at its next call of `wait`. No sample can
    /// be taken afterwards.
    void stop();
    /// The first sample that no worker has begun.
    std::int64_t begun() const;

private:
    struct Slot {
        bool made = false;
        std::exception_ptr error;
    };
    struct Stopped {};

    void loop(std::size_t worker);
    std::optional<std::int64_t> begin();
    void finish(std::int64_t sample, std::exception_ptr error);
    void wait(double ms);
    std::size_t slotOf(std::int64_t sample) const { return static_cast<std::size_t>(sample) % slots_.size(); }

    Work work_;
    std::mutex order_;  ///< held while a sample is begun
    mutable std::mutex mutex_;
    std::condition_variable free_, made_, stopped_;
    std::vector<Slot> slots_;
    std::int64_t begun_ = 0, taken_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace highwater::engine
