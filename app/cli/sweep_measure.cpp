#include "app/cli/sweep_measure.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/python_options.h"
#include "app/cli/scans.h"
#include "core/base/text.h"
#include "core/study/local_runner.h"
#include "core/study/queue_sweep.h"
#include "core/study/remote_runner.h"
#include "core/study/shared_sweep.h"

namespace highwater::cli {

namespace {

using study::Measured;

/// Shows progress: "3 of at most 24 · inplace on, repeat 2 · step 5". May be called from several threads.
class Follower {
public:
    void begin(const study::Progress& progress) {
        const std::scoped_lock lock(mutex_);
        said_ = fmt::format("run {} of at most {} · {}", progress.done + 1, progress.atMost, progress.what);
        line_.show(said_);
    }
    void take(const wire::Event& event) {
        const std::scoped_lock lock(mutex_);
        if (const auto* step = std::get_if<wire::StepDone>(&event)) {
            line_.show(fmt::format("{} · step {} · {}{}", said_, step->index + 1,
                                   base::formatMillis(step->total), interrupts() > 0 ? " · stopping" : ""));
        }
    }
    /// Prints warnings from a host between the steps.
    void warn(const wire::Event& event) {
        if (const auto* warning = std::get_if<wire::Warning>(&event)) {
            const std::scoped_lock lock(mutex_);
            line_.clear();
            printText(stderr, "warning: {}\n", base::oneLine(warning->message, 1000));
        }
    }
    void queue(const study::QueueProgress& progress) {
        std::string text = fmt::format("{} of {} runs measured", progress.done, progress.of);
        for (const auto& [words, count] : progress.states) {
            text += fmt::format(" · {} {}", count, words);
        }
        if (!progress.trouble.empty()) {
            text += " · " + progress.trouble;
        }
        line_.show(base::oneLine(text + (interrupts() > 0 ? " · stopping" : ""), 300));
    }
    void say(std::string_view text) { line_.show(text); }
    void clear() { line_.clear(); }

private:
    StatusLine line_;
    std::string said_;
    std::mutex mutex_;
};

/// The scans of a sweep; several threads may request them.
class SharedShelf {
public:
    base::Result<std::vector<int>> of(const stack::Experiment& experiment) {
        const std::scoped_lock lock(mutex_);
        return shelf_.of(experiment);
    }

private:
    ScanShelf shelf_;
    std::mutex mutex_;
};

class Measurement {
public:
    Measurement(const Measuring& how, const study::Sweep& sweep, const std::vector<study::Cell>& cells,
                runs::RunStore& store)
        : how_(how), sweep_(sweep), subjects_(subjectsOf(cells)), store_(store) {
        common_.device = how.record.device;
        common_.steps = how.record.steps;
        common_.study = how.record.study;
        common_.volumes = [this](const stack::Experiment& experiment) {
            // A program reads its scans itself.
            return how_.trainer ? std::vector<int>() : shelf_.of(experiment);
        };
    }

    base::Result<MeasuredCells> run() {
        std::optional<base::Descriptor> lock;
        if (how_.resume) {
            HIGHWATER_TRY(begin(lock));
            HIGHWATER_TRY(study::waitForOpenRuns(store_, how_.record.study.id, interruptFlag()));
        }
        switch (how_.where.executor) {
            case Where::Executor::Ssh:
                return onHosts(lock);
            case Where::Executor::Slurm:
                return inQueue(lock);
            default:
                return here(lock);
        }
    }

private:
    /// Records the sweep in the store and locks it, so that only this program measures it.
    base::Status begin(std::optional<base::Descriptor>& lock) {
        if (lock) {
            return {};
        }
        if (!how_.resume) {
            HIGHWATER_TRY(study::saveSweep(store_.folder(), how_.record));
        }
        lock = HIGHWATER_TRY(study::lockSweep(store_.folder(), how_.record.study));
        return {};
    }

    base::Result<study::Recorded> recorded() const {
        return how_.resume ? study::Recorded::read(store_, how_.record.study.id) : study::Recorded();
    }

    base::Result<MeasuredCells> here(std::optional<base::Descriptor>& lock) {
        HIGHWATER_TRY(begin(lock));
        study::LocalRun local{common_};
        local.start = starterOf(how_.trainer);
        local.event = [this](const wire::Event& event) { follower_.take(event); };
        auto known = recorded();
        return known ? measured({study::resuming(store_, std::move(*known),
                                                 study::localRunner(store_, local, interruptFlag()))})
                     : known.error();
    }

    base::Result<MeasuredCells> onHosts(std::optional<base::Descriptor>& lock) {
        std::vector<hosts::Connection> connections;
        for (const hosts::Host& host : how_.where.hosts) {
            follower_.say(fmt::format("connecting to {}", host.name));
            auto connection = hosts::Connection::openAndWait(host, &interruptFlag());
            if (!connection) {
                follower_.clear();
                return connection.error();
            }
            connections.push_back(std::move(*connection));
        }
        HIGHWATER_TRY(begin(lock));
        if (how_.resume) {
            follower_.say("fetching what was left on the hosts");
            if (const auto fetched =
                    study::fetchOpenRuns(store_, how_.where.hosts, how_.record.study.id, interruptFlag());
                !fetched) {
                follower_.clear();
                return fetched.error();
            }
        }
        std::vector<study::Runner> runners;
        for (std::size_t i = 0; i < connections.size(); ++i) {
            const auto known = HIGHWATER_TRY(recorded());
            study::RemoteRun remote{common_};
            remote.host = how_.where.hosts[i];
            remote.leave = [] { return interrupts() > 1; };
            remote.event = [this](const wire::Event& event) {
                follower_.take(event);
                follower_.warn(event);
            };
            auto runner =
                study::remoteRunner(store_, std::move(remote), std::move(connections[i]), interruptFlag());
            runners.push_back(study::resuming(store_, known, std::move(runner)));
        }
        return measured(runners);
    }

    base::Result<MeasuredCells> measured(const std::vector<study::Runner>& runners) {
        auto all =
            study::measureShared(subjects_, runners, study::trialOptions(sweep_), interruptFlag(),
                                 [this](const study::Progress& progress) { follower_.begin(progress); });
        follower_.clear();
        return all ? MeasuredCells{std::move(*all), {}} : base::Result<MeasuredCells>(all.error());
    }

    base::Result<MeasuredCells> inQueue(std::optional<base::Descriptor>& lock) {
        HIGHWATER_TRY(begin(lock));
        study::QueueRun queue{common_};
        queue.host = how_.where.hosts.front();
        queue.repeats = sweep_.repeats;
        queue.leave = [] { return interrupts() > 1; };
        queue.progress = [this](const study::QueueProgress& progress) { follower_.queue(progress); };
        auto result = study::measureInQueue(store_, subjects_, queue, interruptFlag());
        follower_.clear();
        if (!result) {
            return result.error();
        }
        MeasuredCells cells{std::move(result->measured), {}};
        if (result->again > 0) {
            cells.notes.push_back(fmt::format("the cluster ended {} early; their cells were measured again",
                                              base::counted(result->again, "run")));
        }
        if (result->elsewhere > 0) {
            cells.notes.push_back(fmt::format("{} on another node than most of their cell's {} left out",
                                              base::counted(result->elsewhere, "repeat"),
                                              result->elsewhere == 1 ? "is" : "are"));
        }
        return cells;
    }

    const Measuring& how_;
    const study::Sweep& sweep_;
    std::vector<study::Subject> subjects_;
    runs::RunStore& store_;
    study::HowToRun common_;
    SharedShelf shelf_;
    Follower follower_;
};

}  // namespace

std::vector<study::Subject> subjectsOf(const std::vector<study::Cell>& cells) {
    std::vector<study::Subject> subjects;
    for (const study::Cell& cell : cells) {
        if (cell.problem.empty()) {
            subjects.push_back(cell.subject);
        }
    }
    return subjects;
}

base::Result<MeasuredCells> measureCells(const Measuring& how, const study::Sweep& sweep,
                                         const std::vector<study::Cell>& cells, runs::RunStore& store) {
    return Measurement(how, sweep, cells, store).run();
}

}  // namespace highwater::cli
