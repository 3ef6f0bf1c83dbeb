#include "app/engine/outlet.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>

/// How the engine's events are written, with readers that stall or go away.
namespace highwater::engine_app {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr seconds kLong{60};  ///< only reached on failure

wire::LedgerSample sampleOf(int n) {
    wire::LedgerSample sample;
    sample.time = n;
    sample.ledger[memory::Category::Activations] = 1000 + n;
    sample.low = n == 7 ? 1 : 1000;
    sample.high = n == 4000 ? 1'000'000 : 1000 + n;
    sample.merged = 3;
    return sample;
}

wire::StepDone stepOf(int index) {
    wire::StepDone step;
    step.index = index;
    return step;
}

class OutletTest : public ::testing::Test {
protected:
    void SetUp() override {
        ::signal(SIGPIPE, SIG_IGN);  // as the engine does
        ASSERT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
    }
    void TearDown() override {
        closeEnd(0);
        closeEnd(1);
    }
    void closeEnd(int which) {
        if (ends_[which] >= 0) {
            ::close(ends_[which]);
        }
        ends_[which] = -1;
    }
    int output() const { return ends_[1]; }

    /// Starts reading; returns everything that is written until the writing end is closed.
    std::future<std::vector<wire::Event>> reading() {
        return std::async(std::launch::async, [fd = ends_[0]] {
            std::string text;
            char chunk[65536];
            for (ssize_t n = 0; (n = ::read(fd, chunk, sizeof chunk)) > 0;) {
                text.append(chunk, static_cast<std::size_t>(n));
            }
            std::vector<wire::Event> events;
            for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
                 at = end + 1) {
                auto event = wire::parseEvent(text.substr(at, end - at));
                EXPECT_TRUE(event) << event.error().message;
                if (event) {
                    events.push_back(std::move(*event));
                }
            }
            return events;
        });
    }
    /// What has been written so far.
    std::string saidSoFar() const {
        std::string text;
        char chunk[65536];
        for (pollfd ready{ends_[0], POLLIN, 0}; ::poll(&ready, 1, 0) > 0;) {
            const ssize_t n = ::read(ends_[0], chunk, sizeof chunk);
            if (n <= 0) {
                break;
            }
            text.append(chunk, static_cast<std::size_t>(n));
        }
        return text;
    }

    int ends_[2] = {-1, -1};
    std::atomic<bool> stop_{false};
};

/// 5,000 samples are far more than the pipe and the queue can hold.
TEST_F(OutletTest, SamplesNeverWaitForAReaderThatStalls) {
    constexpr int kSamples = 5000;
    auto outlet = std::make_unique<Outlet>(std::nullopt, output(), stop_);
    auto told = std::async(std::launch::async, [&] {
        outlet->take(stepOf(0));
        for (int n = 0; n < kSamples; ++n) {
            outlet->take(sampleOf(n));
        }
        outlet->take(stepOf(1));
    });
    EXPECT_EQ(told.wait_for(kLong), std::future_status::ready) << "it waits for the reader";
    auto read = reading();
    told.wait();
    EXPECT_EQ(outlet->waits(), 0);
    outlet.reset();
    closeEnd(1);
    const auto events = read.get();
    std::int64_t merged = 0;
    base::Bytes low = 1000, high = 0;
    std::vector<double> times;
    for (const wire::Event& event : events) {
        if (const auto* const sample = std::get_if<wire::LedgerSample>(&event)) {
            merged += sample->merged;
            low = std::min(low, sample->low);
            high = std::max(high, sample->high);
            times.push_back(sample->time);
        }
    }
    EXPECT_LT(times.size(), std::size_t{kSamples});
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    EXPECT_EQ(times.back(), kSamples - 1);
    EXPECT_EQ(merged, 3 * kSamples) << "those that were merged are counted";
    EXPECT_EQ(low, 1);
    EXPECT_EQ(high, 1'000'000);
    ASSERT_GE(events.size(), 2U);
    EXPECT_EQ(events.front(), wire::Event(stepOf(0)));
    EXPECT_EQ(events.back(), wire::Event(stepOf(1)));
}

TEST_F(OutletTest, StateChangesWaitAreCountedAndNeverDropped) {
    constexpr int kSteps = 4000;
    auto outlet = std::make_unique<Outlet>(std::nullopt, output(), stop_);
    auto told = std::async(std::launch::async, [&] {
        for (int n = 0; n < kSteps; ++n) {
            outlet->take(stepOf(n));
            outlet->take(sampleOf(n));
        }
    });
    const auto end = std::chrono::steady_clock::now() + kLong;
    while (outlet->waits() == 0 && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GT(outlet->waits(), 0) << "nobody reads";
    auto read = reading();
    told.wait();
    outlet.reset();
    closeEnd(1);
    int next = 0;
    std::int64_t merged = 0;
    for (const wire::Event& event : read.get()) {
        if (const auto* const step = std::get_if<wire::StepDone>(&event)) {
            EXPECT_EQ(step->index, next++);
        } else {
            merged += std::get<wire::LedgerSample>(event).merged;
        }
    }
    EXPECT_EQ(next, kSteps);
    EXPECT_EQ(merged, 3 * kSteps);
}

TEST_F(OutletTest, AStateIsRecordedBeforeItIsSaid) {
    std::string before, appended;
    Recording recording;
    recording.append = [&](const wire::Event&, const std::string& line) {
        appended += line;
        return base::Status();
    };
    recording.finish = [&](const wire::RunResult& result) {
        EXPECT_EQ(result.runId, "it");
        before = saidSoFar();
        return base::Status();
    };
    {
        Outlet outlet(std::move(recording), output(), stop_);
        outlet.take(stepOf(0));
        outlet.fail("it", "for a reason");
    }
    EXPECT_THAT(before, HasSubstr("\"step\""));
    EXPECT_THAT(before, Not(HasSubstr("\"finished\"")));
    const std::string after = saidSoFar();
    EXPECT_THAT(after, HasSubstr("\"finished\""));
    EXPECT_EQ(before + after, appended);
}

TEST_F(OutletTest, AReaderThatGoesStopsNothing) {
    closeEnd(0);
    int appended = 0;
    bool finished = false;
    Recording recording;
    recording.append = [&](const wire::Event&, const std::string&) {
        ++appended;
        return base::Status();
    };
    recording.finish = [&](const wire::RunResult&) {
        finished = true;
        return base::Status();
    };
    {
        Outlet outlet(std::move(recording), output(), stop_);
        for (int n = 0; n < 3000; ++n) {
            outlet.take(stepOf(n));
        }
        outlet.take(wire::Finished{});
    }
    EXPECT_EQ(appended, 3001);
    EXPECT_TRUE(finished);
    EXPECT_FALSE(stop_);
}

TEST_F(OutletTest, ARunThatCannotBeRecordedIsStoppedAndSaidToHaveFailed) {
    wire::RunResult recorded;
    Recording recording;
    recording.append = [&, left = 2](const wire::Event&, const std::string&) mutable {
        return left-- > 0 ? base::Status() : base::Error{"events.jsonl: No space left on device"};
    };
    recording.finish = [&](const wire::RunResult& result) {
        recorded = result;
        return base::Status();
    };
    Outlet outlet(std::move(recording), output(), stop_);
    for (int n = 0; n < 3; ++n) {
        outlet.take(stepOf(n));
    }
    wire::Finished cancelled;
    cancelled.result->status = wire::RunStatus::Cancelled;
    outlet.take(cancelled);
    EXPECT_THAT(outlet.finish(), HasSubstr("No space left on device"));
    EXPECT_TRUE(stop_);
    EXPECT_EQ(recorded.status, wire::RunStatus::Failed);
    ASSERT_TRUE(recorded.failure);
    EXPECT_THAT(recorded.failure->why, HasSubstr("cannot be recorded any more: events.jsonl: No space left"));
    EXPECT_THAT(saidSoFar(), HasSubstr("\"event\":\"failed\""));
}

/// The end of a run is announced if it is recorded in the result, or in the events from which the result can
/// be made.
TEST_F(OutletTest, AnEndThatIsRecordedNowhereIsNotSaid) {
    for (const bool event : {true, false}) {
        for (const bool result : {true, false}) {
            SCOPED_TRACE(::testing::Message() << "event " << event << ", result " << result);
            Recording recording;
            recording.append = [&](const wire::Event&, const std::string&) {
                return event ? base::Status() : base::Error{"events.jsonl: No space left on device"};
            };
            recording.finish = [&](const wire::RunResult& given) {
                EXPECT_EQ(given.status, wire::RunStatus::Done);
                return result ? base::Status() : base::Error{"result.json: No space left on device"};
            };
            Outlet outlet(std::move(recording), output(), stop_);
            wire::Finished done;
            done.result->status = wire::RunStatus::Done;
            outlet.take(done);
            EXPECT_EQ(outlet.finish(),
                      result
                          ? ""
                          : "the end of the run could not be recorded: result.json: No space left on device");
            const std::string said = saidSoFar();
            EXPECT_EQ(said.find("\"event\":\"finished\"") != std::string::npos, event || result) << said;
            EXPECT_EQ(said.find("events.jsonl: No space left") != std::string::npos, !event && result)
                << said;
        }
    }
}

}  // namespace
}  // namespace highwater::engine_app
