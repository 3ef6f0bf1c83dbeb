// Windows that open and close in every order: no edit made in any of them is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/app/desktop/session_windows/restored.h"

namespace highwater::desktop {
namespace {

namespace fs = std::filesystem;
using highwater::test::OrderedWindow;

const fs::path& sessionsOfOrders() {
    static const fs::path folder = fs::path(::testing::TempDir()) / "hw session orders";
    return folder;
}

/// The windows, the last action of each, the order in which they end, and after how many of these ends a
/// driven window is started.
struct SessionOrder {
    int windows = 2;
    unsigned killed = 0;    ///< bit i: window i is killed, otherwise it quits
    unsigned replaced = 0;  ///< bit i: another experiment was opened in window i after the edit
    std::vector<int> ends;
    int drivenAfter = 0;
};

std::string nameOfOrder(const SessionOrder& order) {
    std::string name = "Ends";
    for (const int i : order.ends) {
        name += std::to_string(i) + ((order.killed >> i & 1u) != 0 ? "Killed" : "Quit") +
                ((order.replaced >> i & 1u) != 0 ? "Replaced" : "");
    }
    return name + "DrivenAfter" + std::to_string(order.drivenAfter);
}

std::vector<SessionOrder> allOrders(int windows) {
    std::vector<SessionOrder> all;
    std::vector<int> ends(static_cast<std::size_t>(windows));
    std::iota(ends.begin(), ends.end(), 0);
    do {
        for (unsigned killed = 0; killed < 1u << windows; ++killed) {
            for (const unsigned replaced : {0u, 1u, 2u}) {
                all.push_back(
                    {windows, killed, replaced, ends, static_cast<int>(killed + replaced) % (windows + 1)});
            }
        }
    } while (std::next_permutation(ends.begin(), ends.end()));
    return all;
}

class SessionOrders : public ::testing::TestWithParam<SessionOrder> {
protected:
    void SetUp() override { fs::remove_all(sessionsOfOrders()); }
    void TearDown() override { fs::remove_all(sessionsOfOrders()); }
};

TEST_P(SessionOrders, LoseNothing) {
    const SessionOrder& order = GetParam();
    const auto driven = [&](int ended) {
        if (ended == order.drivenAfter) {
            OrderedWindow script({});
            script.edit(99);
            EXPECT_TRUE(script.session.close());
        }
    };
    std::vector<std::unique_ptr<OrderedWindow>> windows;
    std::set<std::int64_t> edited;
    for (int i = 0; i < order.windows; ++i) {
        windows.push_back(std::make_unique<OrderedWindow>(sessionsOfOrders()));
        windows.back()->edit(101 + i);
        edited.insert(101 + i);
        if ((order.replaced >> i & 1u) != 0) {
            windows.back()->replace();
        }
    }
    driven(0);
    for (int ended = 0; ended < order.windows; ++ended) {
        const int i = order.ends[static_cast<std::size_t>(ended)];
        auto& window = windows[static_cast<std::size_t>(i)];
        if ((order.killed >> i & 1u) != 0) {
            window->session.flush();
        } else {
            EXPECT_TRUE(window->session.close());
        }
        window.reset();
        driven(ended + 1);
    }
    for (int start = 0; start < 2; ++start) {  // what was restored and closed can be restored again
        const std::set<std::int64_t> found = highwater::test::restoredBatches(sessionsOfOrders());
        EXPECT_TRUE(std::ranges::includes(found, edited)) << "start " << start;
        EXPECT_FALSE(found.contains(99)) << "a script's";
    }
}

std::string nameOfParam(const ::testing::TestParamInfo<SessionOrder>& info) {
    return nameOfOrder(info.param);
}

INSTANTIATE_TEST_SUITE_P(TwoWindows, SessionOrders, ::testing::ValuesIn(allOrders(2)), nameOfParam);
INSTANTIATE_TEST_SUITE_P(ThreeWindows, SessionOrders, ::testing::ValuesIn(allOrders(3)), nameOfParam);

}  // namespace
}  // namespace highwater::desktop
