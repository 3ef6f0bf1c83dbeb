#include "core/base/ticker.h"

#include <gtest/gtest.h>

#include <csignal>

namespace highwater::base {
namespace {

TEST(Ticker, CallsUntilItIsStopped) {
    std::mutex mutex;
    std::condition_variable more;
    int calls = 0;
    bool signals = true;
    Ticker ticker(std::chrono::microseconds(1), [&] {
        sigset_t blocked;
        pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
        const std::lock_guard lock(mutex);
        signals = signals && sigismember(&blocked, SIGINT) != 1;
        ++calls;
        more.notify_one();
    });
    {
        std::unique_lock lock(mutex);
        more.wait(lock, [&] { return calls >= 3; });
    }
    ticker.stop();
    const int before = calls;
    ticker.stop();
    EXPECT_EQ(calls, before);
    EXPECT_FALSE(signals) << "a thread of its own leaves signals to the main thread";
}

}  // namespace
}  // namespace highwater::base
