#include "tests/core/capture/replay/recorder.h"

#include "tests/core/capture/history_pickle.h"
#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/cli_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

/// replay SNAPSHOT...
class ReplayCommand : public CliTest {
protected:
    Finished replay(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "replay");
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    static capture::History recorded() {
        test::Recorder recorder({}, base::kGiB);
        test::runProgram(recorder, 3, 200);
        return recorder.history();
    }
};

TEST_F(ReplayCommand, ARowForEachDeviceOfEachFile) {
    capture::History moved = recorded();
    auto& events = moved.devices.front().events;
    const std::string equal = write("equal.pickle", test::pickled(moved));
    events.front().size += 2 * base::kMiB;  // the first segment, which is equally large at the end
    moved.devices.front().segments.front().size += 2 * base::kMiB;
    const std::string other = write("other.pickle", test::pickled(moved));
    const std::string list = write("list.pickle", test::pickled(moved, {{2, 12}, true}));

    const Finished text = replay({equal, other, list});
    ASSERT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("  equal\n"));
    EXPECT_THAT(text.out, HasSubstr("not replayed: no history"));

    const Finished done = replay({equal, other, list, "--json", "--libtorch", "2.12"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json json = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("replay.json", json), "");
    ASSERT_EQ(json["files"].size(), 3U);
    EXPECT_EQ(json["files"][0]["devices"][0]["result"], "equal");
    EXPECT_NE(json["files"][1]["devices"][0]["result"], "equal");
    EXPECT_EQ(json["files"][2]["devices"][0]["result"], "not_replayed");
}

TEST_F(ReplayCommand, WhatIsNoSnapshot) {
    expectRefusal(replay({write("none.pickle", "no pickle")}), "none.pickle: cannot be read as a pickle");
    expectRefusal(replay({write("empty.pickle", "")}), "empty.pickle");
    expectRefusal(replay({(folder_.path() / "missing").string(), "--json"}), "missing");
    expectRefusal(replay({}), "SNAPSHOT");
    expectRefusal(replay({write("some.pickle", test::pickled(recorded())), "--libtorch", "two"}),
                  "--libtorch");
}

}  // namespace
}  // namespace highwater::e2e
