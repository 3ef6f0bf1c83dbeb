#include "core/hosts/pace.h"

#include <gmock/gmock.h>

namespace highwater::hosts {
namespace {

using namespace std::chrono_literals;

/// As stated in docs/hosts.md.
void expectUsual(const Pace& pace) {
    EXPECT_EQ(pace.greeting, 60s);
    EXPECT_EQ(pace.beat, 5s);
    EXPECT_EQ(pace.silence, 25s);
    EXPECT_EQ(pace.silenceAtHost, 60s);
    EXPECT_EQ(pace.firstPause, 1s);
    EXPECT_EQ(pace.longestPause, 30s);
    EXPECT_EQ(pace.connectSeconds, 15);
    EXPECT_EQ(pace.aliveSeconds, 5);
}

TEST(Pace, IsTheUsualOneUnlessATestHurries) {
    for (const char* haste :
         {static_cast<const char*>(nullptr), "", "1", "0", "-5", "21", "5x", "five", " 5"}) {
        SCOPED_TRACE(haste ? haste : "not set");
        expectUsual(paceWith(haste));
    }
}

TEST(Pace, AHurriedOneKeepsTheProportions) {
    const Pace pace = paceWith("5");
    EXPECT_EQ(pace.beat, 1s);
    EXPECT_EQ(pace.silence, 5s);
    EXPECT_EQ(pace.silenceAtHost, 12s);
    EXPECT_EQ(pace.connectSeconds, 3);
    EXPECT_EQ(pace.aliveSeconds, 1);
    EXPECT_EQ(paceWith("20").aliveSeconds, 1);  // ssh accepts only whole seconds
    for (const char* haste : {"1", "5", "20"}) {
        EXPECT_GE(paceWith(haste).silence, 5 * paceWith(haste).beat) << haste;
    }
}

}  // namespace
}  // namespace highwater::hosts
