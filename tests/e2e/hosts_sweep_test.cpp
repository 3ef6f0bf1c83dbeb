#include <map>
#include <set>

#include "tests/core/stack/json/schema_check.h"
#include "tests/e2e/hosts_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;

/// Two hosts that are the same machine.
class SharedSweep : public HostsTest {
protected:
    void SetUp() override {
        HostsTest::SetUp();
        if (!IsSkipped()) {
            addPreparedHost();
            ASSERT_EQ(hosts({"add", "fox", "loopback"}).exit, 0);
        }
    }
    std::string sweep(const std::string& values = "[1, 2, 3, 4, 5, 6]", const Json& change = Json::object()) {
        experiment(change);
        return write("sweep.json", R"({"schema": "highwater.sweep/1", "base": "experiment.json",
            "axes": [{"path": "/step/batch_size", "values": )" +
                                       values + "}]}");
    }
    static const Json& measured(const Json& cell) { return cell.at("measured"); }
};

TEST_F(SharedSweep, IsComparedDeviceByDevice) {
    const Finished done =
        cli({"sweep", sweep(), "--steps", "3", "--executor", "ssh", "--host", "box,fox", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    const Json result = parse(done.out);
    EXPECT_EQ(testing::SchemaCheck().problem("sweep-result.json", result), "");
    std::map<std::string, int> places, fronts;
    for (const Json& cell : result.at("cells")) {
        EXPECT_EQ(measured(cell).at("status"), "done");
        const std::string place = measured(cell).at("place");
        ++places[place];
        fronts[place] += cell.at("on_front").get<bool>() ? 1 : 0;
    }
    ASSERT_EQ(places.size(), 2U);
    for (const auto& [place, count] : places) {
        EXPECT_GE(fronts[place], 1) << place;
    }
    EXPECT_THAT(result.at("notes").dump(), HasSubstr("2 devices have measured it"));
    EXPECT_EQ(runs().size(), 6U);
}

TEST_F(SharedSweep, RepeatsOfACellStayOnOneHost) {
    const Finished done = cli({"sweep", sweep("[1, 2, 3]"), "--steps", "2", "--repeats", "2", "--executor",
                               "ssh", "--host", "box,fox", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    std::map<int, std::set<std::string>> places;
    for (const Json& run : runs()) {
        const Json study = parse(textOf(store() / "runs" / run["id"] / "labels.json")).at("study");
        places[study["cell"]].insert(study["place"].get<std::string>());
    }
    ASSERT_EQ(places.size(), 3U);
    EXPECT_EQ(places[0], std::set<std::string>{"box"});
    EXPECT_EQ(places[1], std::set<std::string>{"fox"});
    EXPECT_EQ(places[2], std::set<std::string>{"box"});
}

TEST_F(SharedSweep, WhatWasLeftOnAHostIsFetchedByResume) {
    const std::string path =
        sweep("[1, 2, 3]", Json::parse(R"({"data": {"workers": 0, "read_delay_ms": 20}})"));
    {
        Program program("highwater-cli",
                        withStore({"sweep", path, "--steps", "40", "--executor", "ssh", "--host", "box"}),
                        folder_.path());
        ASSERT_NE(onlyRunThere(), "");
    }  // killed
    EXPECT_EQ(runs().size(), 1U);
    EXPECT_EQ(runs()[0]["status"], "running");
    const Finished done = cli({"sweep", path, "--resume", "--json"});
    ASSERT_EQ(done.exit, 0) << done.err;
    EXPECT_EQ(runs().size(), 3U);
    const Json result = parse(done.out);
    for (const Json& cell : result.at("cells")) {
        EXPECT_EQ(measured(cell).at("status"), "done");
        EXPECT_EQ(measured(cell).at("run_ids").size(), 1U);
    }
    EXPECT_TRUE(std::filesystem::is_empty(runsThere()));
}

TEST_F(SharedSweep, WrongIsOneLine) {
    const std::string path = sweep();
    expectOneLine(cli({"sweep", path, "--executor", "ssh"}), 2, "needs --host");
    expectOneLine(cli({"sweep", path, "--host", "box"}), 2, "needs --executor");
    expectOneLine(cli({"sweep", path, "--executor", "ssh", "--host", "box,wolf"}), 2, "no host \"wolf\"");
    expectOneLine(cli({"sweep", path, "--executor", "ssh", "--host", "box,box"}), 2, "named twice");
    expectOneLine(cli({"sweep", path, "--executor", "slurm", "--host", "box,fox"}), 2, "takes one host");
    expectOneLine(cli({"sweep", "--base", experiment(), "--toggle", "inplace", "--executor", "ssh", "--host",
                       "box,fox"}),
                  2, "a factorial takes one host");
    expectOneLine(cli({"sweep", path, "--resume"}), 2, "to resume");
    expectOneLine(hosts({"add", "a", "b", "--slurm", "-oProxyCommand=x"}), 2, "not a partition");
    expectOneLine(hosts({"add", "a", "b", "--slurm", "x;reboot"}), 2, "not a partition");
    expectOneLine(hosts({"add", "a", "b", "--gres", "gpu:1 --wrap=x"}), 2, "not a valid Slurm resource");
    server_->stop();
    expectOneLine(cli({"sweep", path, "--executor", "ssh", "--host", "box"}), 4, "Connection refused");
    EXPECT_TRUE(runs().empty());
}

}  // namespace
}  // namespace highwater::e2e
