#include "app/cli/interrupt.h"

#include <signal.h>

namespace highwater::cli {

namespace {

/// The next one ends the program wherever it is blocked, such as in a stalled file system.
constexpr int kHeard = 2;

std::atomic<int> count{0};
std::atomic<bool> flag{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

}  // namespace

void catchInterrupts() {
    struct sigaction action{};
    action.sa_handler = [](int) {
        flag = true;
        if (++count >= kHeard) {
            ::signal(SIGINT, SIG_DFL);
        }
    };
    ::sigaction(SIGINT, &action, nullptr);  // no SA_RESTART: blocking calls return at once
}

int interrupts() {
    return count;
}
const std::atomic<bool>& interruptFlag() {
    return flag;
}

}  // namespace highwater::cli
