#include "core/base/program.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace highwater::base {
namespace {

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
