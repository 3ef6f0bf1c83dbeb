#include "core/base/program.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace highwater::base {
namespace {

std::atomic<std::uintptr_t> gPlace{0};

/// A frame on the stack of interrupted code of oneDNN would be written into the heap.
TEST(OnStopSignals, RunsTheHandlerOnAStackOfItsOwn) {
    const auto handler = [](int) {
        const int local = 0;
        gPlace = reinterpret_cast<std::uintptr_t>(&local);
    };
    const auto raised = [&] {
        onStopSignals(handler);
        stack_t used{};
        ::sigaltstack(nullptr, &used);
        const auto begin = reinterpret_cast<std::uintptr_t>(used.ss_sp);
        for (const int signal : {SIGINT, SIGTERM}) {
            gPlace = 0;
            std::raise(signal);
            if (gPlace < begin || gPlace >= begin + used.ss_size) {
                std::_Exit(1);
            }
        }
        std::_Exit(0);
    };
    EXPECT_EXIT(raised(), ::testing::ExitedWithCode(0), "");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(EndProgram, DestroysNothingThatIsStatic) {
    const auto end = [] {
        std::atexit([] { std::fputs("destroyed", stderr); });
        endProgram(7);
    };
    EXPECT_EXIT(end(), ::testing::ExitedWithCode(7), "^$");
}
#endif

}  // namespace
}  // namespace highwater::base
