#include "core/hosts/request.h"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace highwater::hosts
