#include "core/engine/books/trace_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/engine/books/accounting.h"

namespace highwater::engine {
namespace {

using memory::Trace;
using memory::TraceChunk;
using Kind = memory::TraceEvent::Kind;
using ::testing::HasSubstr;

/// Everything that the books recorded, with enough layers for the tests.
Trace taken(Accounting& books, std::string* note = nullptr) {
    Trace trace;
    trace.layers.resize(8);
    TraceChunk chunk;
    while (books.takeTrace(chunk, true)) {
        append(trace, chunk);
        if (note != nullptr && !chunk.note.empty()) {
            *note = chunk.note;
        }
    }
    return trace;
}

TEST(TraceBuffer, NotesWhatHappensAndWhere) {
    Accounting books;
    const BlockId old = books.allocate(1000);
    books.retag(old, Category::Parameters, true);
    books.start(-1, nullptr);
    books.startTrace({100, [] { return "aten::relu"; }});
    books.beginStep(0, false);
    books.enter(Phase::Forward, 3);
    const BlockId made = books.allocate(64);
    books.retag(made, Category::Activations, true);
    books.retag(made, Category::Activations, true);  // nothing changes
    books.enter(Phase::Backward, 2);
    books.release(made);
    books.beginStep(1, false);
    books.release(old);
    const Trace trace = taken(books);
    ASSERT_TRUE(check(trace)) << check(trace).error().message;
    ASSERT_EQ(trace.alive, (std::vector<memory::TraceAlive>{{0, Category::Parameters, -1}}));
    ASSERT_EQ(trace.events.size(), 4U);
    EXPECT_EQ(trace.blocks[1], (memory::TraceBlock{64, 64, 0}));
    EXPECT_EQ(trace.labels, std::vector<std::string>{"aten::relu"});
    const memory::TraceEvent& free = trace.events[2];
    EXPECT_EQ(free.kind, Kind::Free);
    EXPECT_EQ(free.block, 1U);
    EXPECT_EQ(free.category, Category::Activations);
    EXPECT_EQ(free.phase, Phase::Backward);
    EXPECT_EQ(free.layer, 2);
    EXPECT_EQ(trace.events[0].layer, 3);
    EXPECT_EQ(trace.steps, (std::vector<memory::TraceStep>{{0, 0}, {3, 1}}));
}

TEST(TraceBuffer, RefusedAndUndoneAllocationsLeaveNoEvent) {
    Accounting books;
    books.start(100, nullptr);
    books.startTrace({});
    books.allocate(60);
    EXPECT_THROW(books.allocate(50), AllocationRefused);
    books.undo(books.allocate(40));
    const BlockId last = books.allocate(5);
    const Trace trace = taken(books);
    ASSERT_TRUE(check(trace)) << check(trace).error().message;
    EXPECT_EQ(trace.events.size(), 2U);
    EXPECT_EQ(trace.blocks.size(), 3U) << "the undone block keeps its number";
    EXPECT_EQ(findPeak(trace).ledger, books.peak().ledger);
    books.release(last);
    EXPECT_EQ(taken(books).events.size(), 1U);
}

TEST(TraceBuffer, IsNotTakenWhileAnAllocationMayStillFail) {
    Accounting books;
    books.start(-1, nullptr);
    books.startTrace({});
    const BlockId block = books.allocate(60);
    TraceChunk chunk;
    EXPECT_FALSE(books.takeTrace(chunk));
    books.made();
    EXPECT_TRUE(books.takeTrace(chunk));
    EXPECT_EQ(chunk.events.size(), 1U);
    books.release(block);
    EXPECT_TRUE(books.takeTrace(chunk));
    EXPECT_FALSE(books.takeTrace(chunk)) << "nothing happened since";
}

TEST(TraceBuffer, EndsBetweenStepsBeforeItsLimit) {
    Accounting books;
    books.start(-1, nullptr);
    books.startTrace({10, nullptr});
    for (int step = 0; step < 5; ++step) {
        books.beginStep(step, false);
        for (int i = 0; i < 2; ++i) {
            books.release(books.allocate(8));
        }
    }
    std::string note;
    const Trace trace = taken(books, &note);
    EXPECT_EQ(trace.steps.size(), 2U);
    EXPECT_EQ(trace.events.size(), 8U) << "12 would exceed 10";
    EXPECT_THAT(note, HasSubstr("holds the steps up to 1: another would exceed 10 events"));
    EXPECT_TRUE(check(trace));
}

TEST(TraceBuffer, KeepsAStepThatAlonePassesItsLimit) {
    Accounting books;
    books.start(-1, nullptr);
    books.startTrace({3, nullptr});
    books.beginStep(0, false);
    for (int i = 0; i < 5; ++i) {
        books.release(books.allocate(8));
    }
    books.beginStep(1, false);
    books.allocate(8);
    EXPECT_EQ(taken(books).events.size(), 10U);
}

TEST(TraceBuffer, EndsWhenNobodyTakesIt) {
    Accounting books;
    books.start(-1, nullptr);
    books.startTrace({std::int64_t{1} << 40, nullptr});
    books.beginStep(7, false);
    for (int i = 0; i < (1 << 20); ++i) {
        books.release(books.allocate(8));
    }
    std::string note;
    const Trace trace = taken(books, &note);
    EXPECT_EQ(trace.events.size(), std::size_t{1} << 20U);
    EXPECT_THAT(note, HasSubstr("ends in step 7: it could not be written as fast"));
    EXPECT_TRUE(check(trace));
}

TEST(TraceBuffer, HoldsWithManyThreads) {
    Accounting books;
    books.start(-1, nullptr);
    books.startTrace({});
    std::atomic<bool> stop{false};
    Trace trace;
    std::thread drain([&] {
        TraceChunk chunk;
        while (!stop) {
            if (books.takeTrace(chunk)) {
                append(trace, chunk);
            }
        }
    });
    std::vector<std::thread> workers;
    for (int t = 0; t < 4; ++t) {
        workers.emplace_back([&books, t] {
            for (int i = 0; i < 5000; ++i) {
                const BlockId block = books.allocate(64 + t);
                if (i % 7 == 0) {
                    books.undo(block);
                    continue;
                }
                books.made();
                books.retag(block, memory::kCategories[static_cast<std::size_t>(i) % memory::kCategoryCount],
                            true);
                if (i % 3 != 0) {
                    books.release(block);
                }
            }
        });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    stop = true;
    drain.join();
    TraceChunk rest;
    if (books.takeTrace(rest, true)) {
        append(trace, rest);
    }
    ASSERT_TRUE(check(trace)) << check(trace).error().message;
    memory::Ledger left;
    std::vector<memory::Category> categories(trace.blocks.size());
    for (const memory::TraceEvent& event : trace.events) {
        if (event.kind != Kind::Allocate) {
            left[categories[event.block]] -= trace.blocks[event.block].bytes;
        }
        if (event.kind != Kind::Free) {
            left[event.category] += trace.blocks[event.block].bytes;
        }
        categories[event.block] = event.category;
    }
    EXPECT_EQ(left, books.ledger());
}

}  // namespace
}  // namespace highwater::engine
