#pragma once

#include <map>
#include <optional>

#include "tests/e2e/cli_fixture.h"
#include "tests/e2e/net_link.h"
#include "tests/e2e/small_disk.h"
#include "tests/e2e/ssh_server.h"

namespace highwater::e2e {

/// A host at the loopback address with its own cache and data folder. "prepared": the engine of this build
/// replaces the one that would be built there.
class HostsTest : public EngineCliTest {
protected:
    void SetUp() override {
        EngineCliTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1);
        startServer({});
    }
    void TearDown() override {
        if (server_ && server_->problem().empty()) {
            EXPECT_TRUE(nothingLeft());
        }
    }

    void startServer(std::map<std::string, std::string> more) {
        server_.reset();
        std::filesystem::remove_all(folder_.path() / "ssh");
        std::map<std::string, std::string> variables = {
            {"HOME", (folder_.path() / "there").string()},  // not the user's login files
            {"XDG_CACHE_HOME", cache().string()},
            {"XDG_DATA_HOME", data().string()},
            {"OMP_WAIT_POLICY", "PASSIVE"}};
        if (haste_ > 1) {
            variables["HIGHWATER_TEST_HASTE"] = std::to_string(haste_);
            setenv("HIGHWATER_TEST_HASTE", std::to_string(haste_).c_str(), 1);
        }
        variables.merge(more);
        for (const auto& [name, value] : more) {  // overrides the values set above
            variables[name] = value;
        }
        server_.emplace(folder_.path() / "ssh", variables, link_ ? &*link_ : nullptr);
        if (!server_->problem().empty()) {
            GTEST_SKIP() << server_->problem();
        }
        setenv("HIGHWATER_SSH_CONFIG", server_->clientConfig().c_str(), 1);
    }

    std::filesystem::path cache() const { return folder_.path() / "there" / "cache"; }
    std::filesystem::path data() const { return folder_.path() / "there" / "data"; }
    std::filesystem::path runsThere() const { return data() / "highwater-host" / "runs"; }
    /// The folder of this version's engine on the host.
    std::filesystem::path engineThere() const { return engineIn(cache()); }
    void addHost() { ASSERT_EQ(hosts({"add", "box", "loopback"}).exit, 0); }
    void addPreparedHost() {
        prepareIn(cache());
        addHost();
    }
    Finished hosts(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "hosts");
        return Program("highwater-cli", arguments, folder_.path()).wait();
    }
    /// Expects one line on stderr that contains these words, and this exit code.
    static void expectOneLine(const Finished& finished, int exit, const std::string& words) {
        EXPECT_EQ(finished.exit, exit) << finished.err;
        EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
        EXPECT_THAT(finished.err, ::testing::HasSubstr(words));
    }
    bool nothingLeft() const {
        return eventually([&] {
            left_ = programsWith(folder_.path().string());
            return left_.empty();
        });
    }
    std::vector<Json> eventsOf(const std::string& id) const {
        std::vector<Json> events;
        std::ifstream file(store() / "runs" / id / "events.jsonl");
        for (std::string line; std::getline(file, line);) {
            events.push_back(Json::parse(line));
        }
        return events;
    }
    int enginePidThere(const std::string& id) const {
        std::ifstream file(runsThere() / id / "state.json");
        const Json state = Json::parse(file, nullptr, false);
        return state.is_object() ? state["owner"]["pid"].get<int>() : 0;
    }
    std::string onlyRunThere() const {
        std::string id;
        eventually([&] {
            std::error_code ignored;
            for (std::filesystem::directory_iterator at(runsThere(), ignored), end; at != end; ++at) {
                if (at->path().filename().string().front() != '.') {
                    id = at->path().filename().string();
                }
            }
            return !id.empty();
        });
        return id;
    }

    int haste_ = 1;  ///< core/hosts/pace.h; to be set before SetUp()
    mutable std::vector<std::string> left_;
    std::optional<NetLink> link_;  ///< the link to the server
    std::optional<SshServer> server_;
};

/// Runs on a prepared host.
class HostRun : public HostsTest {
protected:
    void SetUp() override {
        HostsTest::SetUp();
        if (!IsSkipped()) {
            addPreparedHost();
        }
    }
    /// A run of at least three seconds, however fast the machine: each of its two samples per step waits.
    std::vector<std::string> middlingRun() const {
        return {"run",     experiment(Json::parse(R"({"data": {"workers": 0, "read_delay_ms": 10}})")),
                "--host",  "box",
                "--steps", "150",
                "--json"};
    }
    /// Started once, every step once and in order, finished once, and the result agrees.
    void expectComplete(const std::string& id, int steps) {
        std::map<std::string, int> count;
        int next = 0;
        for (const Json& event : eventsOf(id)) {
            ++count[event["event"]];
            if (event["event"] == "step") {
                EXPECT_EQ(event["index"], next++);
            }
        }
        EXPECT_EQ(count["started"], 1);
        EXPECT_EQ(count["finished"], 1);
        EXPECT_EQ(next, steps);
        const Json result = parse(textOf(store() / "runs" / id / "result.json"));
        EXPECT_EQ(result["status"], "done");
        EXPECT_EQ(result["losses"].size(), static_cast<std::size_t>(steps));
        EXPECT_FALSE(std::filesystem::exists(runsThere() / id));  // it was fetched
    }
    /// The number of runs that are being followed, or were.
    std::size_t followed() const {
        std::error_code ignored;
        std::size_t count = 0;
        for (std::filesystem::directory_iterator at(store() / "runs", ignored), end; at != end; ++at) {
            count += std::filesystem::exists(at->path() / "follower.json") ? 1 : 0;
        }
        return count;
    }
    static bool killSshOf(const Program& program) {
        bool killed = false;
        for (const int pid : descendantsOf(program.pid())) {
            killed =
                (textOf("/proc/" + std::to_string(pid) + "/comm") == "ssh\n" && ::kill(pid, SIGKILL) == 0) ||
                killed;
        }
        return killed;
    }
};

}  // namespace highwater::e2e
