#include "core/engine/device/event_clock.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

namespace highwater::engine {
using highwater::wire::Phase;
using ::testing::DoubleEq;
using ::testing::ElementsAre;

namespace {

/// A stream whose time is controlled by the test.
struct Stream {
    double now = 0;                ///< ms
    std::vector<double> recorded;  ///< by event
    int records = 0;
    bool behind = false;  ///< none of the recorded events has passed yet
    bool broken = false;
    int waits = 0;
};

class FakeEvents final : public StreamEvents {
public:
    explicit FakeEvents(Stream& stream) : stream_(stream) {}
    Event make() override {
        stream_.recorded.push_back(-1);
        return static_cast<Event>(stream_.recorded.size() - 1);
    }
    void record(Event event) override {
        check();
        stream_.recorded.at(event) = stream_.now;
        ++stream_.records;
    }
    bool passed(Event event, bool wait) override {
        check();
        EXPECT_GE(stream_.recorded.at(event), 0);
        stream_.waits += wait ? 1 : 0;
        return wait || !stream_.behind;
    }
    double between(Event from, Event to) override {
        check();
        return stream_.recorded.at(to) - stream_.recorded.at(from);
    }

private:
    void check() const {
        if (stream_.broken) {
            throw std::runtime_error("CUDA error: unspecified launch failure");
        }
    }
    Stream& stream_;
};

struct EventClock : ::testing::Test {
    Stream stream;
    std::unique_ptr<StreamClock> clock = makeEventClock(std::make_unique<FakeEvents>(stream), 3);

    void pass(double ms) { stream.now += ms; }
    /// Data 1 ms, the layers' forward 2, 3 and 4 ms, backward 5, 6 and 7, the optimizer 8 ms: 36 in all.
    void step(bool layers = true) {
        clock->beginStep(layers);
        pass(1);
        for (int layer = 0; layer < 3; ++layer) {
            clock->enter(Phase::Forward, layer);
            pass(2 + layer);
        }
        for (int layer = 2; layer >= 0; --layer) {
            clock->enter(Phase::Backward, layer);
            pass(7 - layer);
        }
        clock->enter(Phase::Optimizer, -1);
        pass(8);
        clock->endStep();
    }
};

TEST_F(EventClock, givesEachPhaseAndLayerTheTimeUntilTheNextBoundary) {
    step();
    const auto times = clock->take(false);
    ASSERT_TRUE(times);
    EXPECT_TRUE(times->layered);
    EXPECT_FALSE(times->host);
    EXPECT_DOUBLE_EQ(times->phases.data, 1);
    EXPECT_DOUBLE_EQ(times->phases.forward, 9);
    EXPECT_DOUBLE_EQ(times->phases.backward, 18);
    EXPECT_DOUBLE_EQ(times->phases.optimizer, 8);
    EXPECT_DOUBLE_EQ(times->phases.recompute, 0);
    EXPECT_THAT(times->forward, ElementsAre(2, 3, 4));
    EXPECT_THAT(times->backward, ElementsAre(7, 6, 5));
    EXPECT_FALSE(clock->take(false)) << "taken once";
}

TEST_F(EventClock, timesPhasesAloneWhenAskedTo) {
    step(false);
    const auto times = clock->take(false);
    ASSERT_TRUE(times);
    EXPECT_FALSE(times->layered);
    EXPECT_DOUBLE_EQ(times->phases.forward, 9);
    EXPECT_DOUBLE_EQ(times->phases.backward, 18);
    EXPECT_THAT(times->forward, ElementsAre(0, 0, 0));
    EXPECT_EQ(stream.records, 5) << "the begin, three boundaries and the end";
}

TEST_F(EventClock, recordsNothingWhereNothingChanges) {
    clock->beginStep(true);
    clock->enter(Phase::Data, -1);
    clock->enter(Phase::Forward, 1);
    clock->enter(Phase::Forward, 1);
    clock->enter(Phase::Forward, 2);
    EXPECT_EQ(stream.records, 3);
}

TEST_F(EventClock, aLayerOutOfRangeCountsToItsPhaseAlone) {
    clock->beginStep(true);
    clock->enter(Phase::Forward, 3);
    pass(2);
    clock->enter(Phase::Forward, -7);
    pass(3);
    clock->endStep();
    const auto times = clock->take(true);
    ASSERT_TRUE(times);
    EXPECT_DOUBLE_EQ(times->phases.forward, 5);
    EXPECT_THAT(times->forward, ElementsAre(0, 0, 0));
}

TEST_F(EventClock, whatIsOutsideOfAStepIsNoStepsTime) {
    clock->enter(Phase::Forward, 0);
    clock->endStep();
    EXPECT_EQ(stream.records, 0);
    EXPECT_FALSE(clock->take(true));
}

TEST_F(EventClock, aStepIsThereOnlyOnceTheStreamHasPassedIt) {
    step();
    stream.behind = true;
    EXPECT_FALSE(clock->take(false));
    EXPECT_EQ(stream.waits, 0);
    EXPECT_TRUE(clock->take(true));
    EXPECT_EQ(stream.waits, 1);
}

TEST_F(EventClock, stepsComeInTheirOrderWhileTheNextOneRuns) {
    step();
    step(false);
    clock->beginStep(true);
    ASSERT_TRUE(clock->take(true)->layered);
    ASSERT_FALSE(clock->take(true)->layered);
    EXPECT_FALSE(clock->take(true));
    pass(4);
    clock->endStep();
    EXPECT_THAT(clock->take(true)->phases.data, DoubleEq(4));
}

TEST_F(EventClock, stepsThatFollowEachOtherSumToTheTimeThatPassed) {
    double total = 0;
    for (int i = 0; i < 20; ++i) {
        step();
        pass(0.5);  // between two steps: the next one's data
        if (i > 2) {
            total += clock->take(false)->phases.total();
        }
    }
    for (int left = 3; left > 0; --left) {
        total += clock->take(true)->phases.total();
    }
    EXPECT_DOUBLE_EQ(total, 20 * 36 + 19 * 0.5);
}

TEST_F(EventClock, whatPassesAfterAWaitForEverythingIsNoStepsTime) {
    step();
    ASSERT_TRUE(clock->take(true));
    pass(1000);
    step();
    EXPECT_DOUBLE_EQ(clock->take(true)->phases.total(), 36);
}

TEST_F(EventClock, waitingForTheStepBeforeKeepsStepsTogether) {
    step();
    step();
    ASSERT_TRUE(clock->take(true));
    pass(1);
    step();
    ASSERT_TRUE(clock->take(true));
    EXPECT_DOUBLE_EQ(clock->take(true)->phases.total(), 37);
}

TEST_F(EventClock, usesItsEventsAgain) {
    for (int i = 0; i < 3; ++i) {
        step();
    }
    const auto made = stream.recorded.size();
    for (int i = 0; i < 1000; ++i) {
        step(i % 2 == 0);
        const auto times = clock->take(i % 3 == 0);
        ASSERT_TRUE(times);
        ASSERT_DOUBLE_EQ(times->phases.total(), 36);
    }
    EXPECT_LE(stream.recorded.size(), made + 20);
}

TEST_F(EventClock, makesNoEventWithinAStepOnceOneAsLargeHasBeen) {
    const auto large = [&] {
        clock->beginStep(true);
        const auto made = stream.recorded.size();
        for (int i = 0; i < 200; ++i) {
            clock->enter(Phase::Forward, i % 2);
        }
        clock->endStep();
        return stream.recorded.size() - made;
    };
    EXPECT_GT(large(), 0);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(large(), 0);
    }
}

TEST_F(EventClock, abandonForgetsAllStepsAndTheClockWorksOn) {
    step();
    step();
    clock->beginStep(true);
    clock->enter(Phase::Forward, 0);
    clock->abandon();
    EXPECT_FALSE(clock->take(true));
    clock->enter(Phase::Forward, 1);
    pass(1000);
    step();
    EXPECT_DOUBLE_EQ(clock->take(true)->phases.total(), 36);
}

TEST_F(EventClock, aStepThatWasNotEndedIsForgottenByTheNext) {
    step();
    clock->beginStep(true);
    clock->enter(Phase::Forward, 0);
    step();
    EXPECT_DOUBLE_EQ(clock->take(true)->phases.total(), 36);
    EXPECT_DOUBLE_EQ(clock->take(true)->phases.total(), 36);
    EXPECT_FALSE(clock->take(true));
}

TEST_F(EventClock, errorsOfTheDeviceAreThrownButNotByAbandon) {
    step();
    clock->beginStep(true);
    stream.broken = true;
    EXPECT_THROW(clock->enter(Phase::Forward, 0), std::runtime_error);
    EXPECT_THROW(clock->endStep(), std::runtime_error);
    EXPECT_THROW(clock->take(false), std::runtime_error);
    EXPECT_NO_THROW(clock->abandon());
    EXPECT_THROW(clock->beginStep(true), std::runtime_error);
    stream.broken = false;
    step();
    EXPECT_DOUBLE_EQ(clock->take(true)->phases.total(), 36);
}

}  // namespace

}  // namespace highwater::engine
