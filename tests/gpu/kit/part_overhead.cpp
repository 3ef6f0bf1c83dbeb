#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "core/base/statistics.h"
#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/overhead.h"
#include "tests/gpu/kit/process.h"

namespace highwater::kit {

namespace {

constexpr int kRounds = 20;
constexpr double kBlockMs = 400;  ///< of one turn of one loop

/// A process that runs a loop on request.
class Server {
public:
    Server(const Session& session, const std::string& name, const std::string& part) {
        int there[2], back[2];
        if (::pipe2(there, O_CLOEXEC) != 0 || ::pipe2(back, O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipes");
        }
        process_ = startSelf({"--part", part, "--device", session.device, "--only", name, "--journal",
                              session.journal.path().string()},
                             there[0], back[1]);
        ::close(there[0]);
        ::close(back[1]);
        go_ = there[1];
        done_ = back[0];
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() {
        ::close(go_);
        ::close(done_);
        waitFor(process_, secondsNow() + 10);
    }

    /// Milliseconds per step.
    double run(int steps) const {
        double ms = 0;
        if (::write(go_, &steps, sizeof steps) != sizeof steps ||
            ::read(done_, &ms, sizeof ms) != sizeof ms) {
            throw std::runtime_error("a measuring process ended");
        }
        return ms;
    }

private:
    pid_t process_ = -1;
    int go_ = -1, done_ = -1;
};

using Round = std::array<double, 3>;

void addRatio(Json& record, const char* key, const std::vector<Round>& rounds, std::size_t loop) {
    std::vector<double> ratios;
    for (const Round& round : rounds) {
        ratios.push_back(round[loop] / round[0]);
    }
    const base::Interval ratio = base::medianWithInterval(ratios);
    record[key] = {{"median", ratio.median}, {"ci95", {ratio.low, ratio.high}}, {"n", ratio.n}};
}

void measure(const Session& session, const std::string& name) {
    const Server bare(session, name, "serve-bare"), engine(session, name, "serve-engine"),
        traced(session, name, "serve-traced");
    const std::array<const Server*, 3> servers = {&bare, &engine, &traced};
    double slowest = 0.01;
    for (int again = 0; again < 2; ++again) {
        for (const Server* each : servers) {
            slowest = again == 0 ? (each->run(2), slowest) : std::max(slowest, each->run(2));
        }
    }
    const int steps = std::clamp(static_cast<int>(kBlockMs / slowest), 2, 200);
    std::vector<Round> rounds;
    const int wanted = session.quick ? kRounds / 4 : kRounds;
    for (int i = 0; i < wanted && !session.timeIsOver(); ++i) {
        Round round{};
        for (std::size_t turn = 0; turn < servers.size(); ++turn) {
            // The order changes, so that none benefits from what the previous one left.
            const std::size_t who = (static_cast<std::size_t>(i) + turn) % servers.size();
            round[who] = servers[who]->run(steps);
        }
        rounds.push_back(round);
    }
    if (rounds.empty()) {
        session.journal.add({{"left_out", "overhead of " + name + ": the time was over"}});
        return;
    }
    Json record = {{"name", name}, {"same_switches", true}, {"steps", steps}, {"rounds", rounds}};
    addRatio(record, "engine_over_bare", rounds, 1);
    addRatio(record, "traced_over_bare", rounds, 2);
    session.journal.add({{"overhead", record}});
    say(fmt::format("  {}: {:.4f} of the bare loop's step, with the trace {:.4f} ({} rounds of {} steps)",
                    name, record["engine_over_bare"]["median"].get<double>(),
                    record["traced_over_bare"]["median"].get<double>(), rounds.size(), steps));
}

}  // namespace

base::Result<std::vector<Case>> overheadCases(Scale scale) {
    const std::int64_t n = size3d(scale, 96);
    auto unet = preset("unet-3d", "overhead-unet-3d", {n, n, n}, 2);
    if (!unet) {
        return unet.error();
    }
    unet->step.checkpoint.kind = stack::Checkpointing::Kind::None;
    return std::vector<Case>{
        {"overhead", std::move(*unet)},
        {"overhead", segmentation("overhead-plain-3d", {1, n, n, n}, 2, unit(32) + unit(32) + unit(32))}};
}

void measureOverhead(const Session& session) {
    const auto cases = overheadCases(session.scale);
    if (!cases) {
        throw std::runtime_error(cases.error().message);
    }
    std::set<std::string> done;
    for (const Json& line : session.journal.read()) {
        if (line.contains("overhead")) {
            done.insert(line["overhead"].value("name", ""));
        }
    }
    for (const Case& each : *cases) {
        if (done.contains(each.name())) {
            continue;
        }
        if (session.timeIsOver()) {
            session.journal.add({{"left_out", "overhead of " + each.name() + ": the time was over"}});
            continue;
        }
        try {
            measure(session, each.name());
        } catch (const std::exception& error) {
            session.journal.add({{"left_out", "overhead of " + each.name() + ": " + error.what()}});
        }
    }
}

}  // namespace highwater::kit
