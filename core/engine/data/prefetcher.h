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

/// Samples made ahead by threads, and taken in order. Plain C++. Private to core/engine.
namespace highwater::engine {

/// What is wrong with the data or its workers, in plain words.
struct DataFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Waits so many milliseconds; 0: only looks whether to go on. Throws where the run is to end.
using Wait = std::function<void(double ms)>;

/// Sample n lies in slot n % slots from when it is made until it is given back; so memory is the slots',
/// however fast anybody is.
class Prefetcher {
public:
    struct Work {
        /// Called for one sample at a time, in order, before `make`; may be empty.
        std::function<void(std::int64_t sample, std::size_t slot)> begin;
        /// Called by several threads at a time, `worker` being 0 to workers - 1; looks at `wait` now and
        /// then.
        std::function<void(std::int64_t sample, std::size_t slot, std::size_t worker, const Wait& wait)> make;
    };
    /// `workers` and `slots` at least 1. Throws DataFailed where threads cannot be had.
    Prefetcher(std::size_t workers, std::size_t slots, Work work);
    ~Prefetcher();
    Prefetcher(const Prefetcher&) = delete;
    Prefetcher& operator=(const Prefetcher&) = delete;

    /// The slot of the next sample, once it is made; throws what its making threw. `check` is called at once
    /// and at least every 20 ms, and ends the waiting by throwing. Then giveBack(), before the next take().
    std::size_t take(const std::function<void()>& check);
    void giveBack();
    /// Ends the threads; a sample that is being made ends at its next look. Nothing can be taken afterwards.
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
