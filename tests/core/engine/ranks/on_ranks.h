#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/engine/ranks/rank_link.h"

namespace highwater::engine::testing {

/// Runs `work` on this many threads, each a rank of one link.
inline void onRanks(int count, const std::function<void(RankLink&)>& work) {
    const auto memory = RankLink::makeMemory(count);
    ASSERT_TRUE(memory) << memory.error().message;
    std::vector<std::unique_ptr<RankLink>> links;
    for (int rank = 0; rank < count; ++rank) {
        auto link = RankLink::join(memory->get(), rank, count);
        ASSERT_TRUE(link) << link.error().message;
        links.push_back(std::move(*link));
    }
    std::vector<std::thread> threads;
    for (const auto& link : links) {
        threads.emplace_back([&work, &link] { work(*link); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace highwater::engine::testing
