#include "app/engine/other_ranks.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/json_reader.h"
#include "core/stack/ranks.h"
#include "core/wire/events.h"

namespace highwater::engine_app {

namespace {

using base::Error;
using Clock = std::chrono::steady_clock;

/// How long a rank may take to exit after the others have.
constexpr std::chrono::seconds kGrace{20}, kGraceToBeStopped{5};

base::Launch launchOf(const Options& options, const std::string& experiment, int rank, int link) {
    base::Launch launch;
    launch.program = "/proc/self/exe";
    launch.arguments = {"--experiment", experiment,
                        "--device",     options.device,
                        "--steps",      std::to_string(options.steps),
                        "--warmup",     std::to_string(options.warmup),
                        "--ranks",      std::to_string(options.ranks),
                        "--rank",       std::to_string(rank),
                        "--link",       std::to_string(link)};
    const auto add = [&launch](const char* name, const std::string& value) {
        launch.arguments.insert(launch.arguments.end(), {name, value});
    };
    if (options.budget) {
        add("--budget", std::to_string(*options.budget));
    }
    if (options.gradientAsBucketView) {
        launch.arguments.emplace_back("--gradient-as-bucket-view");
    }
    launch.inherited = options.volumes;
    for (const int volume : options.volumes) {
        add("--volume", std::to_string(volume));
    }
    if (options.labels >= 0) {
        add("--labels", std::to_string(options.labels));
        launch.inherited.push_back(options.labels);
    }
    launch.inherited.push_back(link);
    launch.endsWithStarter = true;
    return launch;
}

std::string deathOf(int code, int errors) {
    const std::string said = base::lastLine(errors, "highwater-engine");
    const std::string words = said.empty() ? "" : ": " + said;
    if (code > 128) {
        return fmt::format("killed by signal {} ({}){}", code - 128, ::strsignal(code - 128), words);
    }
    return fmt::format("ended with exit code {}{}", code, words);
}

/// The result that a rank wrote, or why there is none.
wire::RankResult resultOf(const std::string& text, int code, int errors) {
    if (const auto json = base::parseJson(text, "rank")) {
        if (auto result = wire::resultFromJson(*json); result && !result->ranks.empty()) {
            return std::move(result->ranks.front());
        }
    }
    wire::RankResult none;
    none.status = wire::RunStatus::Failed;
    none.why = deathOf(code, errors);
    return none;
}

}  // namespace

base::Result<std::unique_ptr<OtherRanks>> OtherRanks::start(const Options& options,
                                                            const std::string& experiment) {
    std::unique_ptr<OtherRanks> made(new OtherRanks);
    const auto memory = HIGHWATER_TRY(engine::RankLink::makeMemory(options.ranks));
    made->link_ = HIGHWATER_TRY(engine::RankLink::join(memory.get(), 0, options.ranks));
    for (int number = 1; number < options.ranks; ++number) {
        auto& rank = *made->ranks_.emplace_back(std::make_unique<Rank>());
        rank.number = number;
        auto pipe = base::openPipe();
        rank.errors = base::Descriptor(::memfd_create("highwater-errors", MFD_CLOEXEC));
        if (!pipe || rank.errors.get() < 0) {
            return Error{fmt::format("rank {} cannot be started: {}", number,
                                     pipe ? std::strerror(errno) : pipe.error().message)};
        }
        base::Launch launch = launchOf(options, experiment, number, memory.get());
        launch.output = pipe->write.get();
        launch.errors = rank.errors.get();
        auto process = base::Process::start(launch);
        if (!process) {
            return Error{fmt::format("rank {}: {}", number, process.error().message)};
        }
        rank.process = std::move(*process);
        rank.output = std::move(pipe->read);
        rank.thread = std::thread([owner = made.get(), &rank] { owner->follow(rank); });
    }
    return made;
}

void OtherRanks::follow(Rank& rank) {
    const auto code = rank.process.follow(
        rank.output.get(),
        [&](std::string_view part) {
            rank.text += part;
            return base::Status{};
        },
        [&](Clock::duration) { return tooLate() ? base::Status(Error{"too late"}) : base::Status{}; });
    if (code) {
        rank.result = resultOf(rank.text, *code, rank.errors.get());
        if (*code != 0) {
            link_->stop();
        }
    } else {
        rank.process.kill();
        rank.result.status = wire::RunStatus::Failed;
        rank.result.why = "it did not end with the others, and was killed";
    }
    rank.result.rank = rank.number;
}

bool OtherRanks::tooLate() const {
    const auto latest = latest_.load();
    return latest != 0 && Clock::now().time_since_epoch().count() > latest;
}

void OtherRanks::endBy(std::chrono::seconds grace) {
    latest_.store((Clock::now() + grace).time_since_epoch().count());
    for (const auto& rank : ranks_) {
        if (rank->thread.joinable()) {
            rank->thread.join();
        }
    }
}

OtherRanks::~OtherRanks() {
    if (link_) {
        link_->stop();
    }
    endBy(kGraceToBeStopped);
}

std::vector<wire::RankResult> OtherRanks::results() {
    endBy(link_->stopped() ? kGraceToBeStopped : kGrace);
    std::vector<wire::RankResult> all;
    for (const auto& rank : ranks_) {
        all.push_back(rank->result);
    }
    return all;
}

base::Status joinRanks(const Options& options, OtherRanks* others, engine::RunRequest& request) {
    if (options.ranks < 2) {
        return {};
    }
    engine::RankRequest made;
    made.gradientAsBucketView = options.gradientAsBucketView;
    made.seed = request.experiment.step.seed;
    if (others != nullptr) {
        made.link = others->link();
        made.others = [others] { return others->results(); };
    } else {
        made.link = HIGHWATER_TRY(engine::RankLink::join(options.link, options.rank, options.ranks));
        request.predict = false;
    }
    request.experiment = stack::forEachRank(std::move(request.experiment), options.ranks);
    request.experiment.step.seed = stack::seedOfRank(made.seed, made.link->rank());
    request.ranks = std::move(made);
    return {};
}

}  // namespace highwater::engine_app
