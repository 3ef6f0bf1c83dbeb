#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace highwater::base {

/// Blocks all signals on the calling thread: they go to the main thread.
void blockSignals();

/// Calls `work` once in each period, on a thread of its own without signals, until it is stopped.
class Ticker {
public:
    Ticker(std::chrono::microseconds period, std::function<void()> work);
    ~Ticker() { stop(); }
    Ticker(const Ticker&) = delete;
    Ticker& operator=(const Ticker&) = delete;
    /// When it returns, `work` has returned and is not called again.
    void stop();

private:
    void loop();

    std::chrono::microseconds period_;
    std::function<void()> work_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace highwater::base
