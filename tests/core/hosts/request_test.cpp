#include "core/hosts/request.h"

#include <gmock/gmock.h>

#include "core/hosts/queue.h"

namespace highwater::hosts {
namespace {

using ::testing::HasSubstr;

Request request() {
    Start start;
    start.experiment = {{"name", "net"}};
    start.device = "cuda:1";
    start.steps = 7;
    start.warmup = 0;
    start.budget = 5;
    start.trace = false;
    start.timeLimit = 60;
    start.volumes = {{std::string(64, 'a'), 3}, {std::string(64, '0'), 4}};
    return {"20261121-070512-3f9a2c", start, 12, -1};
}

TEST(Request, ComesBackAsItWas) {
    const auto back = parseRequest(toLine(request()));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->run, request().run);
    EXPECT_EQ(back->have, 12);
    ASSERT_TRUE(back->start);
    EXPECT_EQ(toJson(*back->start), toJson(*request().start));
    EXPECT_EQ(back->start->volumes, request().start->volumes);
    const auto engine = back->start->engine("/runs/x");
    EXPECT_EQ(engine.device, "cuda:1");
    EXPECT_EQ(engine.steps, 7);
    EXPECT_EQ(engine.warmup, 0);
    EXPECT_EQ(engine.budget, 5);
    EXPECT_FALSE(engine.trace);
    EXPECT_TRUE(engine.traceChunks);
    EXPECT_EQ(back->haveTrace, -1);
    EXPECT_FALSE(parseRequest(toLine({"a", {}, 0}))->start);
}

TEST(Request, LeadsOutOfNoFolder) {
    for (const char* run : {"", ".", "..", "a/b", "../a", "-a", "A", "a b", "a\n"}) {
        Request bad = request();
        bad.run = run;
        EXPECT_FALSE(parseRequest(toLine(bad))) << run;
    }
    Request bad = request();
    bad.start->volumes[0].sha256 = "../../../etc/passwd";
    EXPECT_THAT(parseRequest(toLine(bad)).error().message, HasSubstr("/start/volumes/0/sha256"));
    bad = request();
    bad.start->volumes[0].bytes = 0;
    EXPECT_FALSE(parseRequest(toLine(bad)));
    bad = request();
    bad.have = -1;
    EXPECT_FALSE(parseRequest(toLine(bad)));
    EXPECT_FALSE(parseRequest("{}"));
    EXPECT_FALSE(parseRequest(""));
}

TEST(Request, OfTheQueueComesBackAsItWas) {
    Request asked = request();
    asked.array = "20261121-070512-aaaaaa";
    EXPECT_EQ(parseRequest(toLine(asked))->array, asked.array);
    asked = {};
    asked.submit = Submission{"a1", {"r1", "r2"}, "gpu,long", "gpu:a100:1", "n1"};
    const auto submitted = parseRequest(toLine(asked));
    ASSERT_TRUE(submitted) << submitted.error().message;
    EXPECT_EQ(submitted->run, "");
    EXPECT_EQ(submitted->submit->array, "a1");
    EXPECT_EQ(submitted->submit->runs, asked.submit->runs);
    EXPECT_EQ(submitted->submit->partition, "gpu,long");
    EXPECT_EQ(submitted->submit->gres, "gpu:a100:1");
    EXPECT_EQ(submitted->submit->node, "n1");
    asked = {};
    asked.look = {"r1", "r2"};
    EXPECT_EQ(parseRequest(toLine(asked))->look, asked.look);
    asked = {};
    asked.stop = {"r1"};
    EXPECT_EQ(parseRequest(toLine(asked))->stop, asked.stop);
}

TEST(Request, OfTheQueueHasNoOtherWords) {
    const auto wrong = [](const Submission& submit) {
        Request bad;
        bad.submit = submit;
        return !parseRequest(toLine(bad)).ok();
    };
    EXPECT_FALSE(wrong({"a1", {"r1"}, "", ""}));
    EXPECT_TRUE(wrong({"../a", {"r1"}, "", ""}));
    EXPECT_TRUE(wrong({"a1", {}, "", ""}));
    EXPECT_TRUE(wrong({"a1", {"r 1"}, "", ""}));
    EXPECT_TRUE(wrong({"a1", std::vector<std::string>(kMostTasks + 1, "r1"), "", ""}));
    for (const char* word : {"-p", "a b", "a;b", "$(a)", "a\n", "a'b", "/a", "a=b"}) {
        EXPECT_TRUE(wrong({"a1", {"r1"}, word, ""})) << word;
        EXPECT_TRUE(wrong({"a1", {"r1"}, "", word})) << word;
        EXPECT_TRUE(wrong({"a1", {"r1"}, "", "", word})) << word;
    }
    Request bad;
    bad.look = {"../a"};
    EXPECT_FALSE(parseRequest(toLine(bad)));
}

TEST(Task, SaysInPlainWordsHowItIs) {
    using State = Task::State;
    const auto words = [](State state, const char* word, const char* node, const char* reason) {
        return wordsOf({"r1", state, word, node, reason});
    };
    EXPECT_EQ(words(State::Waiting, "PENDING", "", "Resources"), "waiting for resources");
    EXPECT_EQ(words(State::Waiting, "PENDING", "", "Priority"), "waiting for its turn");
    EXPECT_EQ(words(State::Waiting, "PENDING", "", "JobArrayTaskLimit"), "waiting for its turn");
    EXPECT_EQ(words(State::Waiting, "PENDING", "", "BeginTime"), "waiting to be started again");
    EXPECT_EQ(words(State::Waiting, "PENDING", "", "QOSMaxJobsPerUserLimit"),
              "waiting: a limit of your account is reached");
    EXPECT_EQ(words(State::Waiting, "PENDING", "", "JobHeldUser"), "held in the queue");
    EXPECT_EQ(words(State::Waiting, "PENDING", "", "Dependency"), "waiting: Dependency");
    EXPECT_EQ(words(State::Waiting, "RUNNING", "n1", "None"), "starting on node n1");
    EXPECT_EQ(words(State::Running, "RUNNING", "n1", "None"), "running on node n1");
    EXPECT_EQ(words(State::Waiting, "", "", ""), "waiting");
    EXPECT_EQ(words(State::Ended, "COMPLETED", "n1", "None"), "");
    EXPECT_TRUE(isFinal("CANCELLED"));
    EXPECT_TRUE(isFinal("TIMEOUT"));
    for (const char* word : {"", "COMPLETED", "FAILED", "NODE_FAIL", "PREEMPTED", "PENDING", "COMPLETING"}) {
        EXPECT_FALSE(isFinal(word)) << word;
    }
}

}  // namespace
}  // namespace highwater::hosts
