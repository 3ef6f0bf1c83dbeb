#pragma once

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/runs/run_store.h"
#include "tests/core/temporary_folder.h"

namespace highwater::runs::test {

inline stack::Experiment experimentNamed(const std::string& name) {
    stack::Experiment experiment;
    experiment.name = name;
    experiment.input = stack::SyntheticInput{{1, 8, 8, 8}};
    experiment.stack.resize(2);  // two default convs
    experiment.stack[1].op = stack::Activation{};
    experiment.step.batchSize = 2;
    return experiment;
}

inline wire::StepDone stepOf(int index, double total, base::Bytes peak, bool warmup = false) {
    wire::StepDone step;
    step.index = index;
    step.warmup = warmup;
    step.total = total;
    step.phases = {1, total / 2, 0, total / 4, 2};
    step.peak.ledger[memory::Category::Activations] = peak;
    step.peak.phase = wire::Phase::Backward;
    step.peak.layer = 1;
    step.loss = 1.0 / (index + 1);
    return step;
}

inline wire::Started startedOf(const std::string& id) {
    wire::Started started;
    started.runId = id;
    started.environment.device = "cpu";
    started.environment.threads = 2;
    started.layers = {{"1 conv", "conv", {2, 1, 6, 6, 6}, 28, 0, 0, 0},
                      {"2 relu", "relu", {2, 1, 6, 6, 6}, 0, 0, 0, 0}};
    started.steps = 20;
    return started;
}

inline wire::RunResult resultOf(const std::string& id, wire::RunStatus status = wire::RunStatus::Done) {
    wire::RunResult result;
    result.runId = id;
    result.status = status;
    result.environment.device = "cpu";
    result.peakAllocated = 4096;
    result.peakByCategory[memory::Category::Activations] = 4096;
    result.peak.ledger = result.peakByCategory;
    result.stepMs = {10, 9, 11, 5};
    return result;
}

class StoreTest : public ::testing::Test {
protected:
    RunStore open() {
        auto store = RunStore::open(folder_.path() / "store");
        EXPECT_TRUE(store) << store.error().message;
        return std::move(*store);
    }
    static std::string create(RunStore& store, const std::string& name = "a run") {
        const auto folder = store.create(experimentNamed(name), "cpu");
        EXPECT_TRUE(folder) << folder.error().message;
        return folder->filename().string();
    }
    std::filesystem::path run(const std::string& id) const { return folder_.path() / "store" / "runs" / id; }
    std::filesystem::path index() const { return folder_.path() / "store" / "index.db"; }
    static RunSummary find(const RunStore& store, const std::string& id) {
        const auto rows = store.list();
        EXPECT_TRUE(rows);
        for (const RunSummary& row : *rows) {
            if (row.id == id) {
                return row;
            }
        }
        ADD_FAILURE() << id << " is not listed";
        return {};
    }
    /// A run completed by an engine, which is this process.
    std::string finished(RunStore& store, const std::string& name = "a run") {
        const std::string id = create(store, name);
        auto writer = RunWriter::open(run(id));
        EXPECT_TRUE(writer) << writer.error().message;
        EXPECT_TRUE(writer->append(startedOf(id)));
        EXPECT_TRUE(writer->finish(resultOf(id)));
        return id;
    }
    /// Runs `engine` in a separate process that then dies by `signal`, leaving the run as it is.
    template <class Engine>
    void dyingEngine(const std::string& id, Engine engine, int signal = SIGKILL) {
        const pid_t pid = ::fork();
        ASSERT_GE(pid, 0);
        if (pid == 0) {
            auto writer = RunWriter::open(run(id));
            if (!writer) {
                ::_exit(1);
            }
            engine(*writer);
            ::kill(::getpid(), signal);
            ::pause();
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status));
    }
    void write(const std::filesystem::path& path, const std::string& text) const {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    }
    highwater::test::TemporaryFolder folder_;
};

}  // namespace highwater::runs::test
