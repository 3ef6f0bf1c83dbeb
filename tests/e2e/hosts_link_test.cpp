#include <signal.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <set>

#include "tests/e2e/hosts_fixture.h"

namespace highwater::e2e {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begun) {
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

constexpr int kHaste = 5;

/// A delay at the usual pace, plus three seconds for the machine.
double hurried(double seconds) {
    return seconds / kHaste + 3;
}

/// A host behind a link that can be cut.
class HostLink : public HostRun {
protected:
    void SetUp() override {
        haste_ = kHaste;
        link_.emplace();
        if (!link_->problem().empty()) {
            GTEST_SKIP() << link_->problem();
        }
        HostRun::SetUp();
    }
    /// Its two samples per step wait.
    std::vector<std::string> run(int steps) const {
        return {"run",     experiment(Json::parse(R"({"data": {"workers": 0, "read_delay_ms": 10}})")),
                "--host",  "box",
                "--steps", std::to_string(steps),
                "--json"};
    }
    /// Waits until events of the run have arrived here. Its folder exists before this program knows that the
    /// run has started.
    bool arrives(const std::string& id) const {
        return eventually([&] { return !textOf(store() / "runs" / id / "events.jsonl").empty(); });
    }
    /// Waits for it at most this long.
    static bool ends(const Program& program, std::chrono::seconds most) {
        const auto begun = Clock::now();
        while (Clock::now() - begun < most) {
            siginfo_t how{};
            if (::waitid(P_PID, static_cast<id_t>(program.pid()), &how, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                how.si_pid == program.pid()) {
                return true;
            }
            std::this_thread::sleep_for(20ms);
        }
        return false;
    }
};

/// docs/hosts.md: within 25 seconds.
TEST_F(HostLink, ASilentLinkIsNoticedAndTheRunComesHome) {
    Program run("highwater-cli", withStore(this->run(200)), folder_.path());
    const std::string id = onlyRunThere();
    ASSERT_NE(id, "");
    ASSERT_TRUE(arrives(id));
    link_->cut(NetLink::Cut::Route);
    const auto cut = Clock::now();
    ASSERT_TRUE(eventually([&] { return run.err().find("the run continues there") != std::string::npos; }));
    const double noticed = secondsSince(cut);
    EXPECT_LT(noticed, hurried(25));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(runsThere() / id / "end.json"); }));
    EXPECT_EQ(runs()[0]["status"], "running");
    link_->mend();
    const auto mended = Clock::now();
    ASSERT_TRUE(ends(run, 50s));
    std::printf("noticed after %.1f s, fetched %.1f s after the link was back\n", noticed,
                secondsSince(mended));
    const Finished done = run.wait();
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("when the host is back\n"));
    EXPECT_THAT(done.err, HasSubstr("host box can be reached again\n"));
    expectComplete(id, 203);
}

/// The same if ssh notices nothing: the program it talks to is running, but highwater-host is stopped.
TEST_F(HostLink, AHostThatStandsStillIsNoticedToo) {
    Program run("highwater-cli", withStore(this->run(250)), folder_.path());
    const std::string id = onlyRunThere();
    ASSERT_NE(id, "");
    ASSERT_TRUE(arrives(id));
    int stopped = 0;
    for (const int pid : server_->sessions()) {
        const std::string folder = "/proc/" + std::to_string(pid);
        if (textOf(folder + "/comm") == "highwater-host\n" &&
            textOf(folder + "/cmdline").find("--supervise") == std::string::npos) {
            ::kill(pid, SIGSTOP);
            stopped = pid;
        }
    }
    ASSERT_GT(stopped, 0);
    const auto begun = Clock::now();
    EXPECT_TRUE(eventually([&] { return run.err().find("the run continues there") != std::string::npos; }));
    EXPECT_LT(secondsSince(begun), hurried(25));
    EXPECT_TRUE(ends(run, 30s));
    ::kill(stopped, SIGCONT);
    const Finished done = run.wait();
    EXPECT_EQ(done.exit, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("host box: nothing has arrived from it for 5 s"));
    expectComplete(id, 253);
}

TEST_F(HostLink, AHostThatIsOutOfReachIsSaidSo) {
    link_->cut(NetLink::Cut::Route);
    const auto begun = Clock::now();
    expectOneLine(hosts({"check", "box"}), 4, "host box: connect to host " + link_->address());
    EXPECT_LT(secondsSince(begun), hurried(15));
    link_->cut(NetLink::Cut::Here);
    expectOneLine(cli(run(2)), 4, "host box: connect to host " + link_->address());
    link_->mend();
    EXPECT_EQ(cli(run(2)).exit, 0);
    EXPECT_EQ(runs().size(), 1U);
}

/// HIGHWATER_TEST_CUTS: the number of runs (default: 4). Each of them loses its link, and two of five also
/// their ssh, before the link, while it is down or afterwards.
TEST_F(HostLink, LinksThatGoDownAtRandomMomentsLoseNothing) {
    const char* named = std::getenv("HIGHWATER_TEST_CUTS");
    const bool many = named && std::atoi(named) > 0;
    const std::size_t count = many ? static_cast<std::size_t>(std::atoi(named)) : 4;
    constexpr std::size_t kTogether = 5;
    std::mt19937 random(20260102);
    const auto between = [&](int low, int high) {
        return std::chrono::milliseconds(low +
                                         static_cast<int>(random() % static_cast<unsigned>(high - low)));
    };
    const int steps = many ? 500 : 250;
    const auto words = withStore(run(steps));
    std::size_t begun = 0, links = 0, killed = 0;
    double longest = 0;
    while (begun < count) {
        std::vector<std::unique_ptr<Program>> programs;
        for (; programs.size() < kTogether && begun < count; ++begun) {
            programs.push_back(std::make_unique<Program>("highwater-cli", words, folder_.path()));
        }
        ASSERT_TRUE(eventually([&] { return followed() == begun; })) << programs.back()->err();
        const auto killSome = [&] {
            for (const auto& program : programs) {
                killed += random() % 7 == 0 && killSshOf(*program) ? 1 : 0;
            }
        };
        std::this_thread::sleep_for(between(0, many ? 6000 : 2000));
        killSome();
        const auto how = static_cast<NetLink::Cut>(random() % 3);
        for (const auto& program : programs) {
            links += ends(*program, 0s) ? 0 : 1;
        }
        link_->cut(how);
        const auto down = many ? between(5000, 20'000) : between(1500, 4000);
        std::this_thread::sleep_for(down / 2);
        killSome();
        std::this_thread::sleep_for(down - down / 2);
        link_->mend();
        const auto mended = Clock::now();
        std::this_thread::sleep_for(between(0, 1000));
        killSome();
        for (const auto& program : programs) {
            ASSERT_TRUE(ends(*program, 120s)) << program->err();
            const Finished done = program->wait();
            ASSERT_EQ(done.exit, 0) << done.err;
        }
        longest = std::max(longest, secondsSince(mended));
    }
    const Json rows = runs();
    ASSERT_EQ(rows.size(), count);
    std::set<std::string> ids;
    for (const Json& row : rows) {
        EXPECT_EQ(row["status"], "done");
        expectComplete(row["id"], steps + 3);
        ids.insert(row["id"]);
    }
    EXPECT_EQ(ids.size(), count);
    EXPECT_GT(links, count / 2);
    const auto ended = Clock::now();
    EXPECT_TRUE(nothingLeft()) << ::testing::PrintToString(left_);
    EXPECT_TRUE(std::filesystem::is_empty(runsThere()));
    std::printf(
        "%zu runs: %zu lost their link, %zu their ssh; all complete at most %.1f s after the link was back, "
        "no process left %.1f s later\n",
        count, links, killed, longest, secondsSince(ended));
}

}  // namespace
}  // namespace highwater::e2e
