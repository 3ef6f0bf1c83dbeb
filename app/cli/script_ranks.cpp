#include "app/cli/script_ranks.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/script_ranks_text.h"
#include "app/cli/script_recording.h"
#include "core/base/text.h"
#include "core/script/launch.h"
#include "core/script/ranks.h"
#include "core/wire/engine_process.h"

namespace highwater::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct RankProcess {
    int rank = 0;
    ScriptRecording recording;
    wire::EngineProcess process;
    std::vector<wire::Event> said = {};
    bool ended = false;
};

/// The first rank that failed, and when others were told to stop because of it.
struct Ending {
    int failed = -1;       ///< -1: none
    bool stopped = false;  ///< interrupted, or the time was over
};

/// Prints an event with its rank.
void tellEvent(const wire::Event& event, int rank) {
    auto json = nlohmann::ordered_json::parse(wire::toLine(event), nullptr, false);
    json["rank"] = rank;
    printJson(json, -1);
    std::fflush(stdout);
}

void take(RankProcess& rank, const RanksRequest& request, Ending& ending, const wire::Event& event) {
    rank.recording.append(event);
    rank.said.push_back(event);
    if (std::holds_alternative<wire::Failed>(event) && ending.failed < 0) {
        ending.failed = rank.rank;
    }
    if (request.events) {
        tellEvent(event, rank.rank);
    } else if (const auto* warning = std::get_if<wire::Warning>(&event); warning != nullptr) {
        printText(stderr, "warning: rank {}: {}\n", rank.rank, base::oneLine(warning->message, 1000));
    }
}

void waitForOutput(const std::vector<RankProcess>& ranks) {
    constexpr int kWaitMs = 100;
    std::vector<pollfd> files;
    for (const RankProcess& rank : ranks) {
        if (!rank.ended && rank.process.fd() >= 0) {
            files.push_back({rank.process.fd(), POLLIN, 0});
        }
    }
    ::poll(files.data(), files.size(), kWaitMs);
}

/// Follows all ranks to their end. If one fails, the others are asked to stop. Interrupts and the time limit
/// are as for one script.
Ending follow(std::vector<RankProcess>& ranks, const RanksRequest& request) {
    constexpr auto kGrace = std::chrono::seconds(15);
    const auto late = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double, std::ratio<60>>(request.minutes));
    auto end = Clock::time_point::max();
    int heard = 0;
    Ending ending;
    const auto stopAll = [&](bool now) {
        end = std::min(end, Clock::now() + kGrace);
        for (RankProcess& rank : ranks) {
            if (!rank.ended && (now || rank.rank != ending.failed)) {
                now ? rank.process.kill() : rank.process.cancel();
            }
        }
    };
    while (!std::ranges::all_of(ranks, &RankProcess::ended)) {
        waitForOutput(ranks);
        for (RankProcess& rank : ranks) {
            if (rank.ended) {
                continue;
            }
            rank.ended = rank.process.finished();
            for (const wire::Event& event : rank.process.read()) {
                take(rank, request, ending, event);
            }
            if (rank.ended && rank.process.exitCode() != 0 && ending.failed < 0 && !ending.stopped) {
                ending.failed = rank.rank;
            }
        }
        if (ending.failed >= 0 && end == Clock::time_point::max()) {
            stopAll(false);
        }
        if (Clock::now() > late && end == Clock::time_point::max()) {
            printText(stderr, "stopped the ranks after {} minutes; --time-limit allows more\n",
                      request.minutes);
            ending.stopped = true;
            stopAll(false);
        }
        if (interrupts() > heard) {
            heard = interrupts();
            ending.stopped = ending.failed < 0;
            stopAll(heard > 1);
        }
        if (Clock::now() > end) {
            stopAll(true);
        }
    }
    return ending;
}

base::Result<std::vector<RankProcess>> startAll(const RanksRequest& request) {
    const auto port = script::freePort();
    if (!port) {
        return port.error();
    }
    const base::Descriptor output = copyOf(request.json || request.events ? 2 : 1), errors = copyOf(2);
    const std::string name =
        std::filesystem::path(request.source.command.front() == "-m" ? request.source.command.at(1)
                                                                     : request.source.command.front())
            .filename()
            .string();
    const std::string study = fmt::format("ranks-{}-{}-{}", ::getpid(), *port,
                                          std::chrono::system_clock::now().time_since_epoch().count());
    std::vector<RankProcess> ranks;
    for (int rank = 0; rank < request.ranks; ++rank) {
        auto recording = ScriptRecording::begin(
            request.store, request.source,
            ScriptRecording::Part{fmt::format("{}, rank {}", name, rank), study, name});
        if (!recording) {
            return recording.error();
        }
        auto launch = script::scriptLaunch(request.source, recording->folder(), output.get(), errors.get());
        if (!launch) {
            return launch.error();
        }
        script::makeRank(*launch, {rank, request.ranks, *port});
        launch->endsWithStarter = true;
        auto process = wire::EngineProcess::start(std::move(*launch), recording->folder());
        if (!process) {
            return process.error();
        }
        ranks.push_back({rank, std::move(*recording), std::move(*process)});
    }
    return ranks;
}

/// Reads what a rank recorded and finishes its run. A rank that was stopped because another one failed counts
/// as cancelled.
ToldRank settle(RankProcess& rank, const RanksRequest& request, const Ending& ending) {
    const bool follows = ending.stopped || (ending.failed >= 0 && ending.failed != rank.rank);
    const int exit = rank.process.exitCode() != 0 && follows ? kInterrupted : rank.process.exitCode();
    ToldRank told{.rank = rank.rank, .exit = exit};
    told.outcome = outcomeOf(rank.recording.folder(), request.source);
    script::Completed run =
        script::completed(rank.recording.folder().filename().string(), rank.said, told.outcome, exit);
    if (exit == kInterrupted && follows) {
        run.result.status = wire::RunStatus::Cancelled;
    }
    for (const wire::StepDone& step : run.steps) {
        rank.recording.append(step);
        if (request.events) {
            tellEvent(step, rank.rank);
        }
    }
    if (told.outcome) {
        told.outcome->trace = {};  // large, and not needed any more
    }
    told.result = std::move(run.result);
    told.run = rank.recording.finish(told.result, exit, rank.process.errorText());
    return told;
}

}  // namespace

int pretendRanks(const RanksRequest& request) {
    catchInterrupts();
    auto ranks = startAll(request);
    if (!ranks) {
        return complain(ranks.error().message);
    }
    const Ending ending = follow(*ranks, request);
    ToldRanks told{.gpu = request.source.gpu, .profile = request.profile, .budget = request.budget};
    for (RankProcess& rank : *ranks) {
        told.ranks.push_back(settle(rank, request, ending));
    }
    told.findExtra();
    if (request.events) {
        nlohmann::ordered_json last = {{"event", "result"}};
        last.update(ranksJson(told));
        last["words"] = ranksWords(told);
        printJson(last, -1);
    } else if (request.json) {
        printJson(ranksJson(told));
    } else {
        printRanks(told);
    }
    if (ending.failed >= 0) {
        const ToldRank& failed = told.ranks[static_cast<std::size_t>(ending.failed)];
        const auto* outcome = failed.outcome ? &*failed.outcome : nullptr;
        const std::string why = failed.result.failure ? failed.result.failure->why
                                : failed.exit > 128   ? fmt::format("ended by signal {}", failed.exit - 128)
                                                      : fmt::format("ended with exit code {}", failed.exit);
        return complain(fmt::format("rank {}: {}", failed.rank, why),
                        exitOf(failed.result, outcome, request.budget, failed.exit));
    }
    if (ending.stopped) {
        return kInterrupted;
    }
    if (const std::string why = told.doesNotFit(); !why.empty()) {
        return complain(why, kOutOfMemory);
    }
    return kDone;
}

}  // namespace highwater::cli
