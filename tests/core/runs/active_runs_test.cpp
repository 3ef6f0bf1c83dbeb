#include "core/wire/follower.h"
#include "tests/core/runs/store_fixture.h"
#include "tests/core/waiting_process.h"

namespace highwater::runs {
namespace {

using highwater::test::goneProcess;
using highwater::test::WaitingProcess;
using ::testing::HasSubstr;
using ::testing::Not;
using wire::RunStatus;
using FollowedBy = ActiveRun::FollowedBy;

/// Runs whose window and engine are separate processes.
class ActiveRuns : public highwater::runs::test::StoreTest {
protected:
    /// A run created by a window that was then killed.
    std::string createdByAWindow() {
        WaitingProcess window([&] {
            auto store = open();
            create(store);
            ::_exit(0);
        });
        EXPECT_EQ(window.endedBy(), 0);
        const auto rows = idsOnDisk();
        EXPECT_EQ(rows.size(), 1U);
        return rows.front();
    }
    /// When this returns, the engine has taken ownership of the run.
    std::unique_ptr<WaitingProcess> engineOf(const std::string& id) {
        auto engine = std::make_unique<WaitingProcess>([&] {
            static auto writer = RunWriter::open(run(id));  // until the process is killed
            (void)writer->append(highwater::runs::test::startedOf(id)).ok();
        });
        const auto written = [&] {
            const auto text = base::readFile(run(id) / "events.jsonl");
            return text && text->ends_with('\n');
        };
        while (!written() && engine->alive()) {
            ::usleep(1000);
        }
        EXPECT_TRUE(written());
        return engine;
    }
    std::vector<std::string> idsOnDisk() const {
        std::vector<std::string> ids;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "store" / "runs")) {
            ids.push_back(entry.path().filename().string());
        }
        return ids;
    }
    void note(const std::string& id, const base::ProcessIdentity& follower,
              const base::ProcessIdentity& engine) const {
        const base::Json json = {{"schema", "highwater.follower/1"},
                                 {"follower", base::JsonOut::written(follower)},
                                 {"engine", base::JsonOut::written(engine)}};
        write(run(id) / "follower.json", json.dump());
    }
    static ActiveRun only(const RunStore& store) {
        const auto active = store.active();
        EXPECT_TRUE(active) << active.error().message;
        EXPECT_EQ(active->size(), 1U);
        return active->empty() ? ActiveRun() : active->front();
    }
};

/// An engine needs a second or two to load LibTorch. Its window may be killed during that time.
TEST_F(ActiveRuns, AnEngineThatHasJustBegunIsNoFailedRun) {
    const std::string id = createdByAWindow();
    WaitingProcess engine;
    note(id, goneProcess(), engine.identity());
    auto store = open();
    EXPECT_EQ(find(store, id).status, RunStatus::Running);
    EXPECT_FALSE(std::filesystem::exists(run(id) / "result.json"));
    EXPECT_EQ(only(store), (ActiveRun{id, 1, FollowedBy::Nobody, ""}));
    engine.end();
    EXPECT_EQ(find(open(), id).status, RunStatus::Failed);
    EXPECT_TRUE(open().active()->empty());
}

TEST_F(ActiveRuns, ARunWhoseWindowDiedBeforeItHadAnEngineHasFailed) {
    const std::string id = createdByAWindow();
    EXPECT_EQ(find(open(), id).status, RunStatus::Failed);
}

TEST_F(ActiveRuns, ANumberThatIsReusedIsNoEngine) {
    const std::string id = createdByAWindow();
    const WaitingProcess other;
    note(id, goneProcess(), other.reused());
    EXPECT_EQ(find(open(), id).status, RunStatus::Failed);
    EXPECT_TRUE(other.alive());
}

TEST_F(ActiveRuns, ARunThatNobodyFollowsIsTakenOverOnce) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    note(id, goneProcess(), engine->identity());
    auto store = open();
    EXPECT_EQ(only(store).followedBy, FollowedBy::Nobody);
    const auto taken = store.takeOver(id);
    ASSERT_TRUE(taken) << taken.error().message;
    ASSERT_TRUE(*taken);
    EXPECT_EQ((*taken)->folder, run(id));
    EXPECT_EQ((*taken)->number, 1);
    EXPECT_EQ((*taken)->experiment, highwater::runs::test::experimentNamed("a run"));
    EXPECT_EQ((*taken)->engine, engine->identity());
    EXPECT_EQ(**wire::readFollower(run(id)), (wire::Follower{base::thisProcess(), engine->identity()}));
    EXPECT_EQ(only(store).followedBy, FollowedBy::ThisProcess);
    const auto again = store.takeOver(id);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(*again);
}

/// follower.json says which engine was started; once that engine owns the run, state.json does.
TEST_F(ActiveRuns, TheEngineIsTheOneThatOwnsTheRun) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    note(id, goneProcess(), goneProcess());
    const auto taken = open().takeOver(id);
    ASSERT_TRUE(taken && *taken);
    EXPECT_EQ((*taken)->engine, engine->identity());
}

TEST_F(ActiveRuns, ARunThatAnotherFollowsIsNotTakenOver) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    WaitingProcess window;
    note(id, window.identity(), engine->identity());
    auto store = open();
    EXPECT_EQ(only(store).followedBy, FollowedBy::Another);
    auto taken = store.takeOver(id);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_FALSE(*taken);
    EXPECT_EQ((**wire::readFollower(run(id))).follower, window.identity());

    window.end();
    EXPECT_EQ(only(store).followedBy, FollowedBy::Nobody);
    taken = store.takeOver(id);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_TRUE(*taken);
}

/// It is unknown here whether the run continues on the host: it is neither failed nor deletable until it was
/// fetched.
TEST_F(ActiveRuns, ARunOnAHostStaysUntilItIsFetched) {
    const std::string id = createdByAWindow();
    {
        WaitingProcess window([&] {
            EXPECT_TRUE(wire::followRunOn("lab", run(id)));
            ::_exit(0);
        });
        EXPECT_EQ(window.endedBy(), 0);
    }
    auto store = open();
    EXPECT_EQ(find(store, id).status, RunStatus::Running);
    EXPECT_EQ(only(store), (ActiveRun{id, 1, FollowedBy::Nobody, "", "lab"}));
    EXPECT_FALSE(store.remove(id));
    const auto taken = store.takeOver(id);
    ASSERT_TRUE(taken && *taken);
    EXPECT_EQ((*taken)->host, "lab");
    EXPECT_EQ((*wire::readFollower(run(id)))->host, "lab");
    EXPECT_EQ(only(store).followedBy, FollowedBy::ThisProcess);
    EXPECT_FALSE(*store.takeOver(id));
    ASSERT_TRUE(store.settle(id, -1, "given up"));
    EXPECT_EQ(find(open(), id).status, RunStatus::Failed);
    EXPECT_TRUE(open().active()->empty());
}

TEST_F(ActiveRuns, ANumberThatIsReusedIsNoFollower) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    const WaitingProcess other;
    note(id, other.reused(), engine->identity());
    EXPECT_EQ(only(open()).followedBy, FollowedBy::Nobody);
}

TEST_F(ActiveRuns, WhoFollowsIsUnknownWithoutTheFile) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    auto store = open();
    EXPECT_EQ(only(store), (ActiveRun{id, 1, FollowedBy::Unknown, ""}));
    const auto taken = store.takeOver(id);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_FALSE(*taken);
    EXPECT_FALSE(std::filesystem::exists(run(id) / "follower.json"));
}

TEST_F(ActiveRuns, ADamagedFollowerIsOneLineAndLosesNothing) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    write(run(id) / "follower.json", "{\"follower\": \n");
    auto store = open();
    EXPECT_EQ(find(store, id).status, RunStatus::Running);
    const ActiveRun active = only(store);
    EXPECT_EQ(active.followedBy, FollowedBy::Unknown);
    EXPECT_THAT(active.problem, HasSubstr((run(id) / "follower.json").string()));
    EXPECT_THAT(active.problem, Not(HasSubstr("\n")));
    const auto taken = store.takeOver(id);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().message, active.problem);
    EXPECT_EQ(*base::readFile(run(id) / "follower.json"), "{\"follower\": \n");
    EXPECT_EQ(store.load(id)->events.size(), 1U);
}

TEST_F(ActiveRuns, ARunThatHasEndedIsNotActive) {
    auto store = open();
    const std::string id = finished(store);
    note(id, goneProcess(), base::thisProcess());
    EXPECT_TRUE(store.active()->empty());
    const auto taken = store.takeOver(id);
    ASSERT_TRUE(taken) << taken.error().message;
    EXPECT_FALSE(*taken);
}

TEST_F(ActiveRuns, ARunThatIsAboutToBeginIsActive) {
    auto store = open();
    const std::string id = create(store);
    EXPECT_EQ(only(store), (ActiveRun{id, 1, FollowedBy::Unknown, ""}));
}

/// Before the engine owns the run, its follower has to explain its end.
TEST_F(ActiveRuns, TheFollowerSettlesTheRunThatItTookOver) {
    const std::string id = createdByAWindow();
    WaitingProcess engine;
    note(id, goneProcess(), engine.identity());
    auto store = open();
    ASSERT_TRUE(*store.takeOver(id));
    engine.end();
    EXPECT_EQ(find(store, id).status, RunStatus::Running);
    const auto row = store.settle(id, 128 + SIGINT, "");
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->status, RunStatus::Cancelled);
}

/// Whichever program first sees that the engine is gone, its last output is kept.
TEST_F(ActiveRuns, TheLastWordsAreTheReasonIfTheExitCodeIsUnknown) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    engine->end();
    auto store = open();
    EXPECT_EQ(find(store, id).message, "the run's program ended without a result");
    ASSERT_TRUE(store.settle(id, -1, ""));
    EXPECT_EQ(find(store, id).message, "the run's program ended without a result");
    const auto row = store.settle(id, -1, "it said\nthis last\n");
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->status, RunStatus::Failed);
    EXPECT_EQ(row->message, "this last");
}

/// Its end may be seen, and recorded as a failure, before the program that stopped it says so.
TEST_F(ActiveRuns, WhatWasStoppedDidNotFailEvenIfItsEndWasSeenBefore) {
    const std::string id = createdByAWindow();
    const auto engine = engineOf(id);
    engine->end();
    auto store = open();
    ASSERT_EQ(find(store, id).status, RunStatus::Failed);
    const auto row = store.settle(id, 128 + SIGINT, "");
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->status, RunStatus::Cancelled);
    EXPECT_EQ(row->message, "");
    const auto record = store.load(id);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->result.status, RunStatus::Cancelled);
    EXPECT_FALSE(record->result.failure);
}

}  // namespace
}  // namespace highwater::runs
