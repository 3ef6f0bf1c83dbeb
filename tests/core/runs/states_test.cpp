#include <thread>

#include "tests/core/runs/store_fixture.h"
#include "tests/core/wire/gpu_run.h"

namespace highwater::runs {
namespace {

using highwater::runs::test::StoreTest;
using ::testing::HasSubstr;
using wire::RunStatus;
using States = StoreTest;

TEST_F(States, ANewRunIsRunningAndBelongsToItsStarter) {
    auto store = open();
    const std::string id = create(store, "first");
    const RunSummary row = find(open(), id);
    EXPECT_EQ(row.status, RunStatus::Running);
    EXPECT_EQ(row.name, "first");
    EXPECT_EQ(row.number, 1);
    EXPECT_EQ(row.batchSize, 2);
    EXPECT_EQ(row.patch, (stack::Sizes{8, 8, 8}));
    EXPECT_TRUE(std::filesystem::exists(run(id) / "experiment.json"));
}

TEST_F(States, AFinishedRunIsOnDiskWithItsResult) {
    auto store = open();
    const std::string id = finished(store);
    const RunSummary row = find(store, id);
    EXPECT_EQ(row.status, RunStatus::Done);
    EXPECT_EQ(row.peakAllocated, 4096);
    EXPECT_EQ(row.stepMs, (base::Interval{10, 9, 11, 5}));
    const auto record = store.load(id);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->result, highwater::runs::test::resultOf(id));
    EXPECT_EQ(record->experiment, highwater::runs::test::experimentNamed("a run"));
    ASSERT_EQ(record->events.size(), 1U);
}

TEST_F(States, SettlingAFinishedRunChangesNothing) {
    auto store = open();
    const std::string id = finished(store);
    const auto row = store.settle(id, 0, "some chatter");
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->status, RunStatus::Done);
    EXPECT_EQ(row->message, "");
}

TEST_F(States, TheSplitOfAnUnseenPeakSumsToItsTotal) {
    auto store = open();
    const std::string id = create(store);
    auto writer = RunWriter::open(run(id));
    ASSERT_TRUE(writer);
    wire::LedgerSample sample;
    sample.ledger[memory::Category::Parameters] = 100;
    sample.ledger[memory::Category::Temporaries] = 20;
    sample.low = 50;
    sample.high = 900;  // between this sample and the one before
    ASSERT_TRUE(writer->append(sample));
    ASSERT_TRUE(store.settle(id, 128 + 9, ""));
    const auto record = store.load(id);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->result.status, RunStatus::Failed);
    EXPECT_EQ(record->result.peakAllocated, 900);
    EXPECT_EQ(record->result.peakByCategory.total(), 900);
    EXPECT_EQ(record->result.peakByCategory[memory::Category::Parameters], 100);
    EXPECT_EQ(record->result.peakByCategory[memory::Category::Temporaries], 800);
}

/// An engine that died gives no result: its earlier reports about the GPU are combined.
TEST_F(States, AGpuRunWhoseEngineDiedKeepsWhatTheDeviceHeld) {
    const auto events = wire::test::gpuRunEvents({});
    auto store = open();
    const std::string id = create(store);
    auto writer = RunWriter::open(run(id));
    ASSERT_TRUE(writer);
    for (const wire::Event& event : events) {
        if (!std::holds_alternative<wire::Finished>(event)) {
            ASSERT_TRUE(writer->append(event));
        }
    }
    ASSERT_TRUE(store.settle(id, 128 + 9, ""));
    const wire::RunResult result = store.load(id)->result;
    const wire::RunResult said = wire::test::gpuResult({});
    EXPECT_EQ(result.peakReserved, said.peakReserved);
    ASSERT_TRUE(result.deviceAtPeak && result.deviceAtEnd && result.failure && result.failure->device);
    EXPECT_EQ(result.peakDeviceUsed, result.deviceAtPeak->used());
    EXPECT_EQ(*result.failure->device, *result.deviceAtEnd);
    EXPECT_NEAR(result.hostMs.forward, 3.1, 0.05);
    EXPECT_EQ(result.environment.architecture, 90);
}

TEST_F(States, OutOfMemoryKeepsItsReason) {
    auto store = open();
    const std::string id = create(store);
    auto writer = RunWriter::open(run(id));
    ASSERT_TRUE(writer);
    auto result = highwater::runs::test::resultOf(id, RunStatus::OutOfMemory);
    result.failure = wire::Failed{
        RunStatus::OutOfMemory, "over the budget in 1 conv", 0, wire::Phase::Forward, "1 conv", 4096, {}, {}};
    ASSERT_TRUE(writer->finish(result));
    const RunSummary row = find(store, id);
    EXPECT_EQ(row.status, RunStatus::OutOfMemory);
    EXPECT_EQ(row.message, "over the budget in 1 conv");
}

TEST_F(States, ADeadEngineIsSettledWithWhatWasMeasured) {
    auto store = open();
    const std::string id = create(store);
    dyingEngine(id, [&](RunWriter& writer) {
        (void)writer.append(highwater::runs::test::startedOf(id)).ok();
        (void)writer.append(highwater::runs::test::stepOf(0, 100, 9000, true)).ok();
        for (int i = 1; i <= 3; ++i) {
            (void)writer.append(highwater::runs::test::stepOf(i, 10.0 + i, 5000 + i)).ok();
        }
        wire::LayerEvent layer{0, {"1 conv", "conv", {2, 1, 6, 6, 6}, 28, 1728, 0.5, 1.5}};
        (void)writer.append(layer).ok();
    });
    const RunSummary row = find(open(), id);
    EXPECT_EQ(row.status, RunStatus::Failed);
    EXPECT_THAT(row.message, HasSubstr("the run's program ended without a result"));
    EXPECT_EQ(row.peakAllocated, 9000);
    EXPECT_EQ(row.stepMs.median, 12);
    EXPECT_EQ(row.stepMs.n, 3);
    const auto record = store.load(id);
    ASSERT_TRUE(record) << record.error().message;
    const wire::RunResult& result = record->result;
    EXPECT_EQ(result.status, RunStatus::Failed);
    EXPECT_EQ(result.peakByCategory[memory::Category::Activations], 9000);
    EXPECT_EQ(result.peak.phase, wire::Phase::Backward);
    EXPECT_EQ(result.losses, (std::vector<double>{1, 0.5, 1.0 / 3, 0.25}));
    EXPECT_EQ(result.lossLast, 0.25);
    EXPECT_EQ(result.phasesMs.forward, 6);
    EXPECT_DOUBLE_EQ(result.throughput, 2 * 1000 / 12.0);
    EXPECT_EQ(result.layers.at(0).forwardMs, 0.5);
    EXPECT_EQ(result.environment.threads, 2);
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->step, 3);
}

TEST_F(States, TheStarterKnowsMoreThanAStranger) {
    auto store = open();
    const std::string id = create(store);
    dyingEngine(id,
                [&](RunWriter& writer) { (void)writer.append(highwater::runs::test::startedOf(id)).ok(); });
    EXPECT_THAT(find(open(), id).message, HasSubstr("without a result"));  // no program saw the end
    const auto row = store.settle(id, 137, "it said\nthis last\n");
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->message, "the engine died: signal 9 (Killed): this last");
    EXPECT_EQ(find(open(), id).message, row->message);
    EXPECT_EQ(store.load(id)->result.failure->why, row->message);
    EXPECT_EQ(*base::readFile(run(id) / "stderr.txt"), "it said\nthis last\n");
}

TEST_F(States, AnInterruptBeforeTheEngineListenedIsACancel) {
    auto store = open();
    const std::string id = create(store);
    const auto row = store.settle(id, 130, "");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, RunStatus::Cancelled);
}

TEST_F(States, AnEngineThatNeverStartedSaysWhy) {
    auto store = open();
    const std::string id = create(store);
    const auto row = store.settle(id, -1, "highwater-engine is not there");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->status, RunStatus::Failed);
    EXPECT_EQ(row->message, "highwater-engine is not there");
}

TEST_F(States, AFailedEventNamesTheReason) {
    auto store = open();
    const std::string id = create(store);
    dyingEngine(id, [&](RunWriter& writer) {
        (void)writer.append(highwater::runs::test::startedOf(id)).ok();
        wire::Failed failed{
            RunStatus::OutOfMemory, "no memory for 1 conv", 2, wire::Phase::Forward, "1 conv", 77, {}, {}};
        failed.ledger[memory::Category::Input] = 12345;
        (void)writer.append(failed).ok();
    });
    const RunSummary row = find(open(), id);
    EXPECT_EQ(row.status, RunStatus::OutOfMemory);
    EXPECT_EQ(row.message, "no memory for 1 conv");
    EXPECT_EQ(row.peakAllocated, 12345);
}

TEST_F(States, AnEngineKilledAfterItsLastWordIsDone) {
    auto store = open();
    const std::string id = create(store);
    dyingEngine(id, [&](RunWriter& writer) {
        (void)writer.append(wire::Finished{highwater::runs::test::resultOf(id)}).ok();
    });
    const RunSummary row = find(open(), id);
    EXPECT_EQ(row.status, RunStatus::Done);
    EXPECT_EQ(row.peakAllocated, 4096);
}

TEST_F(States, ALivingEngineIsLeftAlone) {
    auto store = open();
    const std::string id = create(store);
    auto writer = RunWriter::open(run(id));
    ASSERT_TRUE(writer);
    EXPECT_EQ(find(open(), id).status, RunStatus::Running);
    EXPECT_FALSE(store.remove(id));
    ASSERT_TRUE(writer->finish(highwater::runs::test::resultOf(id)));
    EXPECT_EQ(find(store, id).status, RunStatus::Done);
}

/// The process id of a dead engine goes to another process: the start time tells them apart.
TEST_F(States, AReusedProcessIdIsNotTheEngine) {
    auto store = open();
    const std::string id = create(store);
    auto json = base::readJson(run(id) / "state.json");
    ASSERT_TRUE(json);
    (*json)["owner"]["start"] = (*json)["owner"]["start"].get<std::int64_t>() - 1;
    write(run(id) / "state.json", json->dump());
    EXPECT_EQ(find(open(), id).status, RunStatus::Failed);
}

TEST_F(States, ARebootEndsARun) {
    auto store = open();
    const std::string id = create(store);
    auto json = base::readJson(run(id) / "state.json");
    (*json)["owner"]["boot"] = "another boot";
    write(run(id) / "state.json", json->dump());
    EXPECT_EQ(find(open(), id).status, RunStatus::Failed);
}

TEST_F(States, AnotherMachinesRunIsLeftAlone) {
    auto store = open();
    const std::string id = create(store);
    auto json = base::readJson(run(id) / "state.json");
    (*json)["owner"]["host"] = "node7";
    (*json)["owner"]["boot"] = "its boot";
    write(run(id) / "state.json", json->dump());
    EXPECT_EQ(find(open(), id).status, RunStatus::Running);
}

TEST_F(States, ARunIsRunOnlyOnce) {
    auto store = open();
    const std::string id = finished(store);
    const auto again = RunWriter::open(run(id));
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message, HasSubstr("already been run"));
    EXPECT_EQ(find(store, id).status, RunStatus::Done);
}

/// SIGKILL in the middle of a line: the lines before it are kept.
TEST_F(States, ATornLastLineIsSkipped) {
    auto store = open();
    const std::string id = create(store);
    dyingEngine(id, [&](RunWriter& writer) {
        (void)writer.append(highwater::runs::test::startedOf(id)).ok();
        (void)writer.append(highwater::runs::test::stepOf(0, 10, 5000)).ok();
        (void)writer.append(highwater::runs::test::stepOf(1, 12, 6000)).ok();
    });
    auto text = *base::readFile(run(id) / "events.jsonl");
    write(run(id) / "events.jsonl", text.substr(0, text.size() - 40));
    const auto record = open().load(id);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(record->events.size(), 2U);
    EXPECT_EQ(record->summary.stepMs.n, 1);
    EXPECT_EQ(record->summary.peakAllocated, 5000);
}

/// Whenever the engine is killed, the run exists afterwards and says how far it got.
TEST_F(States, KilledAtAnyMomentNothingIsLost) {
    auto store = open();
    for (int round = 0; round < 12; ++round) {
        const std::string id = create(store);
        const pid_t pid = ::fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            auto writer = RunWriter::open(run(id));
            if (!writer) {
                ::_exit(1);
            }
            (void)writer->append(highwater::runs::test::startedOf(id)).ok();
            for (int i = 0; i < 2000; ++i) {
                (void)writer->append(highwater::runs::test::stepOf(i, 10, 5000)).ok();
            }
            (void)writer->finish(highwater::runs::test::resultOf(id)).ok();
            ::_exit(0);
        }
        std::this_thread::sleep_for(std::chrono::microseconds(500 << (round % 8)));
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        // Until the engine owns the run, it belongs to its starter, which is alive and has seen the end.
        const auto row = store.settle(id, 137, "");
        ASSERT_TRUE(row) << row.error().message;
        EXPECT_NE(row->status, RunStatus::Running);
        EXPECT_EQ(row->number, round + 1);
        EXPECT_EQ(find(open(), id), *row);
        EXPECT_TRUE(store.load(id));
    }
}

}  // namespace
}  // namespace highwater::runs
