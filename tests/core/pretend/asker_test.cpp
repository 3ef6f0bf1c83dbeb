#include "core/pretend/asker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/pretend/dnn_plans.h"
#include "tests/core/pretend/dnn_fixture.h"

// highwater-cudnn, asked for plans while the pretended device is running. A script takes its place.
namespace highwater::pretend {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQuestion = "conv3d/f/n2/c8,4/i16,16,16/k3,3,3/s1,1,1/p1,1,1/d1,1,1/g1/fp16 -";

// A program that writes "PID QUESTION" into `log` for each question, then runs the shell command `answer`.
struct FakeCudnn {
    explicit FakeCudnn(const std::string& answer) {
        const fs::path folder = fs::path(testing::TempDir()) / ("asker" + std::to_string(getpid()));
        fs::create_directories(folder);
        program = folder / "highwater-cudnn";
        log = folder / "log";
        fs::remove(log);
        std::ofstream(program) << "#!/bin/sh\nwhile read -r question; do\n  echo \"$$ $question\" >> '"
                               << log.string() << "'\n  " << answer << "\ndone\n";
        fs::permissions(program, fs::perms::owner_all);
    }
    std::vector<std::string> lines() const {
        std::ifstream in(log);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) {
            lines.push_back(line);
        }
        return lines;
    }
    std::set<std::string> processes() const {
        std::set<std::string> ids;
        for (const std::string& line : lines()) {
            ids.insert(line.substr(0, line.find(' ')));
        }
        return ids;
    }
    fs::path program;
    fs::path log;
};

std::int64_t engineOf(const Descriptor& configuration, std::vector<int>& notes) {
    const Descriptor engine = made(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    std::int64_t count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw),
              CUDNN_STATUS_SUCCESS);
    std::int64_t index = -1;
    EXPECT_EQ(
        cudnnBackendGetAttribute(raw, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &index),
        CUDNN_STATUS_SUCCESS);
    notes.assign(10, -1);
    EXPECT_EQ(cudnnBackendGetAttribute(raw, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, 10,
                                       &count, notes.data()),
              CUDNN_STATUS_SUCCESS);
    notes.resize(static_cast<std::size_t>(count));
    return index;
}

TEST(PretendedAsker, OffersThePlansOfBothLists) {
    const FakeCudnn fake("echo 'asked 38:4096:h:0,4 7:100:f: 0:0:f:5'");
    inDevice({{"ASK", fake.program.c_str()}}, [] {
        const Descriptor graph = forwardGraph();
        const auto first = configurations(graph, CUDNN_HEUR_MODE_INSTANT);
        ASSERT_EQ(first.size(), 1U);
        std::vector<int> notes;
        EXPECT_EQ(engineOf(first[0], notes), 38);
        EXPECT_EQ(notes, (std::vector<int>{0, 4}));
        EXPECT_EQ(workspaceOfPlan(first[0]), 4096);
        const auto fallback = configurations(forwardGraph(), CUDNN_HEUR_MODE_FALLBACK);
        ASSERT_EQ(fallback.size(), 2U);
        EXPECT_EQ(engineOf(fallback[0], notes), 7);
        EXPECT_EQ(notes, std::vector<int>());
        EXPECT_EQ(workspaceOfPlan(fallback[0]), 100);
        EXPECT_EQ(workspaceOfPlan(fallback[1]), 0);
    });
    ASSERT_EQ(fake.lines().size(), 1U) << "the same convolution is asked about once";
    EXPECT_TRUE(fake.lines()[0].ends_with(std::string(" ") + kQuestion)) << fake.lines()[0];
}

TEST(PretendedAsker, MakesNoPlanOfAnEngineThatIsNotListed) {
    const FakeCudnn fake("echo 'asked 38:4096:h:'");
    inDevice({{"ASK", fake.program.c_str()}}, [] {
        for (const auto& [number, status] :
             {std::pair<std::int64_t, int>{38, CUDNN_STATUS_SUCCESS}, {1, CUDNN_STATUS_NOT_SUPPORTED}}) {
            const Descriptor engine = made(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
            setOne(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, forwardGraph());
            setIntegers(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, {number});
            const Descriptor configuration = made(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
            setOne(configuration, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
            const Descriptor plan = made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
            setOne(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
            EXPECT_EQ(cudnnBackendFinalize(plan.get()), status) << number;
        }
    });
}

TEST(PretendedAsker, GuessesWhatIsNoAnswer) {
    for (const char* answer : {"error", "asked", "asked 1:2:x:", "asked 1:-2:h:", "asked 1", "told 1:2:h:"}) {
        const FakeCudnn fake("echo '" + std::string(answer) + "'");
        inDevice({{"ASK", fake.program.c_str()}, {"WORKSPACE", "forward=77"}}, [] {
            const auto found = configurations(forwardGraph(), CUDNN_HEUR_MODE_INSTANT);
            ASSERT_EQ(found.size(), 1U);
            EXPECT_EQ(workspaceOfPlan(found[0]), 77);
        });
    }
}

TEST(PretendedAsker, StartsAgainAfterADeathFourTimesInAll) {
    const FakeCudnn fake("exit 3");
    inDevice(
        {{"ASK", fake.program.c_str()}},
        [] {
            for (int channels = 1; channels <= 6; ++channels) {
                const auto found = configurations(forwardGraph(channels), CUDNN_HEUR_MODE_INSTANT);
                ASSERT_EQ(found.size(), 1U);
                EXPECT_EQ(workspaceOfPlan(found[0]), 0);
            }
        },
        "highwater-cudnn died: the workspace of conv3d/f/n2/c8,1/");
    EXPECT_EQ(fake.lines().size(), 4U);
    EXPECT_EQ(fake.processes().size(), 4U);
}

TEST(PretendedAsker, DoesNotWaitForever) {
    const FakeCudnn fake(":");
    inDevice(
        {{"ASK", fake.program.c_str()}, {"PATIENCE", "0"}},
        [] {
            EXPECT_EQ(askCudnn(kQuestion), "");
            EXPECT_EQ(askCudnn(kQuestion), "");
        },
        "highwater-cudnn did not answer for 0 s: cuDNN's workspaces are guessed");
}

TEST(PretendedAsker, SaysThatTheProgramIsNotThere) {
    inDevice(
        {{"ASK", "/nowhere/highwater-cudnn"}}, [] { EXPECT_EQ(askCudnn(kQuestion), ""); },
        "HIGHWATER_PRETEND_ASK=/nowhere/highwater-cudnn cannot be started");
}

TEST(PretendedAsker, PassesOnWhatTheProgramSays) {
    const FakeCudnn fake("echo 'say cuDNN 9.1.0 cannot be asked'; echo 'guessed 0:5:h:'");
    inDevice(
        {{"ASK", fake.program.c_str()}}, [] { EXPECT_EQ(askCudnn(kQuestion), "guessed 0:5:h:"); },
        "pretended device: cuDNN 9.1.0 cannot be asked");
}

TEST(PretendedAsker, HasAProcessOfItsOwnInAForkedChild) {
    const FakeCudnn fake("echo 'asked 1:2:h:'");
    inDevice({{"ASK", fake.program.c_str()}}, [] {
        EXPECT_EQ(askCudnn(kQuestion), "asked 1:2:h:");
        const pid_t child = fork();
        if (child == 0) {
            const bool good = askCudnn(kQuestion) == "asked 1:2:h:";
            _exit(good ? 0 : 1);
        }
        int status = 0;
        EXPECT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        EXPECT_EQ(askCudnn(kQuestion), "asked 1:2:h:");
    });
    const auto lines = fake.lines();
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0], lines[2]);
    EXPECT_NE(lines[0], lines[1]);
}

TEST(PretendedAsker, PreloadsNothingIntoTheProgram) {
    const FakeCudnn fake("echo \"asked ${LD_PRELOAD:-none}${HIGHWATER_PRETEND_ASK:-none}\"");
    inDevice({{"ASK", fake.program.c_str()}}, [] {
        setenv("LD_PRELOAD", "/nowhere/libhighwater_pretend.so", 1);
        EXPECT_EQ(askCudnn(kQuestion), "asked nonenone");
    });
}

TEST(PretendedAsker, MakesTheWantedPlanOfASearchTheFastest) {
    const FakeCudnn fake("echo 'asked 1:2048000:h: 2:9000000:h: 3:0:h:'");
    const auto fastest = [&](const char* winner) {
        int found = -1;
        const fs::path result = fake.log.string() + winner;
        inDevice({{"ASK", fake.program.c_str()}, {"BENCHMARK", winner}}, [&] {
            const auto plans = configurations(forwardGraph(), CUDNN_HEUR_MODE_INSTANT);
            float least = 1e30F;
            std::size_t at = 0;
            cudaEvent_t begin{};
            cudaEvent_t end{};
            EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
            EXPECT_EQ(cudaEventCreate(&end), cudaSuccess);
            for (std::size_t i = 0; i < plans.size(); ++i) {
                EXPECT_EQ(cudaEventRecord(begin, nullptr), cudaSuccess);
                workspaceOfPlan(plans[i]);
                EXPECT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
                float ms = 0;
                EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaSuccess);
                EXPECT_GT(ms, 0);
                if (ms < least) {
                    least = ms;
                    at = i;
                }
            }
            EXPECT_EQ(cudaEventDestroy(begin), cudaSuccess);
            EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
            std::ofstream(result) << at;
        });
        std::ifstream(result) >> found;
        return found;
    };
    EXPECT_EQ(fastest("first"), 0);
    EXPECT_EQ(fastest("most"), 1);
    EXPECT_EQ(fastest("least"), 2);
}

}  // namespace
}  // namespace highwater::pretend
