#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>

#include "tests/e2e/cli_fixture.h"
#include "tests/e2e/ssh_server.h"

namespace highwater::e2e {
namespace {

using namespace std::chrono_literals;

/// Programs that are killed at random moments: everything reported as done is on the disk, and what is on the
/// disk is readable.
class Kills : public EngineCliTest {
protected:
    using Clock = std::chrono::steady_clock;

    /// A run of at least half a second, however fast the machine.
    std::string shortRun() const {
        return experiment(Json::parse(R"({"data": {"workers": 0, "read_delay_ms": 2}})"));
    }
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    /// Sleeps for a random time of up to this many milliseconds.
    void pause(int most) { std::this_thread::sleep_for(std::chrono::milliseconds(between(0, most))); }
    void awaitSilence() {
        EXPECT_TRUE(eventually([&] { return programsWith(folder_.path().string()).empty(); }));
    }
    std::vector<std::string> ids() const {
        std::vector<std::string> ids;
        std::error_code ignored;
        for (std::filesystem::directory_iterator at(store() / "runs", ignored), end; at != end;
             at.increment(ignored)) {
            if (at->path().filename().string().front() != '.') {
                ids.push_back(at->path().filename().string());
            }
        }
        std::sort(ids.begin(), ids.end());
        return ids;
    }
    /// The run that is newer than those given; empty if there is none.
    std::string newer(const std::vector<std::string>& before) const {
        for (const std::string& id : ids()) {
            if (std::find(before.begin(), before.end(), id) == before.end()) {
                return id;
            }
        }
        return "";
    }
    static std::vector<std::string> wholeLines(const std::string& text) {
        std::vector<std::string> lines;
        for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
            lines.push_back(text.substr(at, end - at));
        }
        return lines;
    }
    /// The events without the samples of the ledger, of which the reader may get fewer.
    static std::vector<Json> statesIn(const std::string& text) {
        std::vector<Json> states;
        for (const std::string& line : wholeLines(text)) {
            Json event = Json::parse(line, nullptr, false);
            if (event.is_object() && event.value("event", "") != "ledger") {
                states.push_back(std::move(event));
            }
        }
        return states;
    }
    /// Everything that was printed is in the file, in this order.
    void expectKept(const std::string& said, const std::string& id) {
        const auto kept = statesIn(textOf(store() / "runs" / id / "events.jsonl"));
        auto at = kept.begin();
        for (const Json& state : statesIn(said)) {
            at = std::find(at, kept.end(), state);
            ASSERT_NE(at, kept.end()) << "was said, and is lost: " << state.dump();
            if (state["event"] == "finished") {
                EXPECT_EQ(parse(textOf(store() / "runs" / id / "result.json"))["status"],
                          state["result"]["status"]);
            }
        }
    }
    /// The output of `runs list` for it.
    Json rowOf(const std::string& id) {
        for (const Json& row : runs()) {
            if (row["id"] == id) {
                return row;
            }
        }
        return {};
    }

    enum class Victim { Engine, CommandLine, Both, Window };

    void killOne(Victim victim) {
        const auto before = ids();
        const bool window = victim == Victim::Window;
        const std::string path = shortRun();
        std::vector<std::string> words = {path, "--store", store().string(), "--run", "--steps", "150"};
        if (!window) {
            words = withStore({"run", path, "--steps", "150", "--events"});
        }
        std::string said;
        {
            Program program(window ? "highwater" : "highwater-cli", words, folder_.path());
            pause(window ? 4000 : 1500);
            const std::string id = newer(before);
            const int engine = id.empty() ? 0 : enginePid(id);
            if (victim != Victim::CommandLine && !window && engine > 0) {
                ::kill(engine, SIGKILL);
            }
            if (victim != Victim::Engine) {
                program.signal(SIGKILL);
            }
            const int exit = program.wait().exit;
            EXPECT_TRUE(exit == 0 || exit == 4 || exit == 128 + SIGKILL) << exit;
            said = window ? "" : program.out();
        }
        awaitSilence();  // a run without its window or command line ends by itself
        const std::string id = newer(before);
        EXPECT_LE(ids().size(), before.size() + 1);
        if (id.empty()) {
            EXPECT_TRUE(statesIn(said).empty()) << said;
            ++count_["before it began"];
            return;
        }
        expectKept(said, id);
        const Json row = rowOf(id);
        ASSERT_TRUE(row.is_object()) << id;
        const std::string status = row["status"];
        EXPECT_TRUE(status == "done" || status == "failed") << row.dump();
        if (victim == Victim::CommandLine || window) {
            // Killed between creating the run's folder and starting its engine, it never started.
            EXPECT_TRUE(status == "done" || !std::filesystem::exists(store() / "runs" / id / "events.jsonl"))
                << row.dump();
        }
        ++count_[status];
    }

    /// A name reported as written is there; otherwise it is the old one or the new one.
    void killWriter(const std::string& id, int n) {
        const std::string old = rowOf(id)["name"], name = "name " + std::to_string(n);
        Program program("highwater-cli", withStore({"runs", "label", id, "--name", name}), folder_.path());
        pause(120);
        program.signal(SIGKILL);
        const int exit = program.wait().exit;
        const std::string now = rowOf(id)["name"];
        if (exit == 0) {
            EXPECT_EQ(now, name);
            ++count_["named"];
        } else {
            EXPECT_TRUE(now == name || now == old) << now;
            ++count_["killed while naming"];
        }
    }

    std::mt19937 random_;
    std::map<std::string, int> count_;
};

/// HIGHWATER_TEST_KILLS: the number of kills (default: 12). HIGHWATER_TEST_SEED: another sequence of moments.
TEST_F(Kills, LoseNothingThatWasSaid) {
    const char* named = std::getenv("HIGHWATER_TEST_KILLS");
    const int count = named && std::atoi(named) > 0 ? std::atoi(named) : 12;
    const char* seed = std::getenv("HIGHWATER_TEST_SEED");
    random_.seed(seed ? static_cast<unsigned>(std::atoi(seed)) : 1U);
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    setenv("XDG_CONFIG_HOME", (folder_.path() / "config").c_str(), 1);
    const bool window = std::filesystem::exists(programPath("highwater"));
    ASSERT_EQ(cli({"run", shortRun(), "--steps", "1"}).exit, 0);
    const std::string first = ids().front();
    for (int n = 0; n < count && !HasFatalFailure(); ++n) {
        const int kind = between(0, window ? 9 : 8);
        SCOPED_TRACE("kill " + std::to_string(n) + ", kind " + std::to_string(kind));
        if (kind < 3) {
            killWriter(first, n);
        } else {
            killOne(kind < 5   ? Victim::Engine
                    : kind < 7 ? Victim::CommandLine
                    : kind < 9 ? Victim::Both
                               : Victim::Window);
        }
    }
    // The index agrees with the folders.
    const Json indexed = runs();
    std::filesystem::remove(store() / "index.db");
    EXPECT_EQ(runs(), indexed);
    EXPECT_EQ(indexed.size(), ids().size());
    std::string told;
    for (const auto& [what, times] : count_) {
        told += " · " + std::to_string(times) + " " + what;
    }
    std::printf("%d kills%s\n", count, told.c_str());
}

}  // namespace
}  // namespace highwater::e2e
