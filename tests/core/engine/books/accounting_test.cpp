#include "core/engine/books/accounting.h"

#include <gtest/gtest.h>

#include <thread>

namespace highwater::engine {
namespace {

TEST(Accounting, CategoriesSumToTheTotalAndReturnToZero) {
    Accounting books;
    books.start(-1, nullptr);
    const BlockId kept = books.allocate(100);
    books.retag(kept, Category::Activations, true);
    EXPECT_EQ(books.categoryOf(kept), Category::Activations);
    EXPECT_EQ(books.activations(), 100);
    const BlockId other = books.allocate(50);
    EXPECT_EQ(books.ledger().total(), 150);
    EXPECT_EQ(books.ledger()[Category::Temporaries], 50);
    books.retag(kept, Category::Gradients, true);  // no longer a temporary
    EXPECT_EQ(books.categoryOf(kept), Category::Activations);
    books.retag(kept, Category::Gradients, false);
    EXPECT_EQ(books.ledger()[Category::Gradients], 100);
    EXPECT_EQ(books.activations(), 0);
    books.release(kept);
    books.release(other);
    EXPECT_EQ(books.ledger(), Ledger{});
    EXPECT_EQ(books.allocations(), 2);
}

TEST(Accounting, MemoryThatCouldNotBeHadIsNoPeak) {
    Accounting books;
    books.start(-1, nullptr);
    books.beginStep(0, false);
    books.allocate(40);
    books.release(books.allocate(60));
    books.undo(books.allocate(1000));
    EXPECT_EQ(books.ledger().total(), 40);
    EXPECT_EQ(books.peak().ledger.total(), 100);
    ASSERT_TRUE(books.refusal());
    EXPECT_TRUE(books.refusal()->bySystem);
    EXPECT_EQ(books.refusal()->requested, 1000);
    EXPECT_EQ(books.refusal()->ledger.total(), 40);
    books.undo(books.allocate(50));  // below the peak: undoing it leaves the peak alone
    EXPECT_EQ(books.peak().ledger.total(), 100);
    books.allocate(70);
    EXPECT_EQ(books.peak().ledger.total(), 110);
}

TEST(Accounting, TheLimitItselfIsAllowedOneByteMoreIsNot) {
    Accounting books;
    books.start(100, nullptr);
    books.beginStep(4, false);
    books.enter(Phase::Backward, 7);
    const BlockId first = books.allocate(60);
    books.allocate(40);
    EXPECT_THROW(books.allocate(1), AllocationRefused);
    const auto refusal = books.refusal();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->requested, 1);
    EXPECT_EQ(refusal->ledger.total(), 100);
    EXPECT_EQ(refusal->place.step, 4);
    EXPECT_EQ(refusal->place.phase, Phase::Backward);
    EXPECT_EQ(refusal->place.layer, 7);
    EXPECT_EQ(books.ledger().total(), 100);
    books.release(first);
    EXPECT_NO_THROW(books.allocate(60));
    EXPECT_THROW(books.allocate(INT64_MAX), AllocationRefused);
    EXPECT_EQ(books.refusal()->requested, 1) << "the first refusal is the one that ended the run";
}

TEST(Accounting, WhatARefusalFreesIsNoPartOfTheStep) {
    Accounting books;
    books.start(100, nullptr);
    const BlockId kept = books.allocate(70);
    EXPECT_EQ(books.sample()->ledger.total(), 70);
    const BlockId more = books.allocate(20);
    EXPECT_THROW(books.allocate(40), AllocationRefused);
    books.release(more);
    books.release(kept);
    const auto sample = books.sample();  // at the moment of the refusal
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->ledger.total(), 90);
    EXPECT_EQ(sample->high, 90);
    EXPECT_FALSE(books.sample());

    const BlockId next = books.allocate(5);  // the error was caught, and the run continues
    const auto after = books.sample();
    ASSERT_TRUE(after);
    EXPECT_EQ(after->ledger.total(), 5);
    EXPECT_EQ(after->low, 0);
    books.release(next);
    EXPECT_EQ(books.sample()->ledger.total(), 0);
    books.stop();
}

TEST(Accounting, CancelStopsTheNextAllocation) {
    std::atomic<bool> cancel{false};
    Accounting books;
    books.start(-1, &cancel);
    EXPECT_NO_THROW(books.allocate(1));
    EXPECT_NO_THROW(books.checkCancel());
    cancel = true;
    EXPECT_THROW(books.allocate(1), Cancelled);
    EXPECT_THROW(books.checkCancel(), Cancelled);
    EXPECT_EQ(books.ledger().total(), 1);
    books.stop();
    EXPECT_NO_THROW(books.allocate(1));
}

TEST(Accounting, ThePeakIsExactWithItsPlaceAndSplit) {
    Accounting books;
    books.start(-1, nullptr);
    books.beginStep(0, true);
    books.enter(Phase::Forward, 1);
    books.retag(books.allocate(1000), Category::Activations, true);
    books.enter(Phase::Forward, 2);
    const BlockId passing = books.allocate(500);
    books.enter(Phase::Backward, 2);
    books.release(passing);
    books.allocate(499);
    const StepMemory step = books.endStep();
    EXPECT_EQ(step.peak.ledger.total(), 1500);
    EXPECT_EQ(step.peak.ledger[Category::Activations], 1000);
    EXPECT_EQ(step.peak.phase, Phase::Forward);
    EXPECT_EQ(step.peak.layer, 2);
    EXPECT_EQ(books.peak().ledger.total(), 1500);
    ASSERT_EQ(step.marks.size(), 4U);
    EXPECT_EQ(step.marks[0].phase, Phase::Data);
    EXPECT_EQ(step.marks[2].layer, 2);
    ASSERT_GE(step.timeline.size(), 5U);
    EXPECT_EQ(step.timeline.back().ledger, books.ledger());
}

TEST(Accounting, AStepBeginsItsPeakAnew) {
    Accounting books;
    books.start(-1, nullptr);
    books.beginStep(0, false);
    books.release(books.allocate(1000));
    books.beginStep(1, false);
    books.allocate(10);
    EXPECT_EQ(books.endStep().peak.ledger.total(), 10);
    EXPECT_EQ(books.peak().ledger.total(), 1000);
    EXPECT_TRUE(books.endStep().timeline.empty()) << "the step was not recorded";
}

TEST(Accounting, SamplesCountWhatTheyStandFor) {
    Accounting books;
    books.start(-1, nullptr);
    EXPECT_FALSE(books.sample());
    books.allocate(10);
    books.release(books.allocate(20));
    const auto sample = books.sample();
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->merged, 3);
    EXPECT_EQ(sample->low, 0);
    EXPECT_EQ(sample->high, 30);
    EXPECT_EQ(sample->ledger.total(), 10);
    EXPECT_FALSE(books.sample()) << "nothing changed since";
    books.allocate(5);
    EXPECT_EQ(books.sample()->low, 10);
}

TEST(Accounting, HoldsWithManyThreadsAndALongStep) {
    Accounting books;
    books.start(-1, nullptr);
    books.beginStep(0, true);
    std::atomic<bool> stop{false};
    std::thread reader([&] {
        while (!stop) {
            const auto sample = books.sample();
            EXPECT_TRUE(!sample || sample->low <= sample->ledger.total());
        }
    });
    std::vector<std::thread> workers;
    for (int t = 0; t < 4; ++t) {
        workers.emplace_back([&books] {
            for (int i = 0; i < 20000; ++i) {
                const BlockId block = books.allocate(64);
                books.retag(block, memory::kCategories[static_cast<std::size_t>(i) % memory::kCategoryCount],
                            true);
                books.release(block);
            }
        });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    stop = true;
    reader.join();
    EXPECT_EQ(books.ledger(), Ledger{});
    EXPECT_EQ(books.allocations(), 80000);
    const StepMemory step = books.endStep();
    EXPECT_LE(step.timeline.size(), 400U);
    Bytes highest = 0;
    for (const auto& point : step.timeline) {
        highest = std::max(highest, point.ledger.total());
    }
    EXPECT_EQ(highest, step.peak.ledger.total()) << "thinning keeps the highest point";
}

}  // namespace
}  // namespace highwater::engine
