#include "core/study/queue_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/id.h"
#include "core/hosts/remote_engine.h"
#include "core/study/queue_part.h"

namespace highwater::study {

namespace {

using base::Error;
using hosts::Task;
using Part = QueuePart;
using Clock = std::chrono::steady_clock;

constexpr int kMostTries = 3, kPollMs = 50, kLastOwnExit = 128;
constexpr std::size_t kMostInQueue = 1000;
constexpr auto kLookEvery = std::chrono::milliseconds(1000);
constexpr auto kLongestPause = std::chrono::seconds(30);

class QueueSweep {
public:
    QueueSweep(runs::RunStore& store, const std::vector<Subject>& subjects, const QueueRun& how,
               hosts::Connection connection, const std::atomic<bool>& cancel)
        : store_(store),
          subjects_(subjects),
          how_(how),
          cancel_(cancel),
          queue_(how.host, std::move(connection)) {}

    base::Status takeUp() {
        const auto recorded = HIGHWATER_TRY(Recorded::read(store_, how_.study.id));
        for (int repeat = 0; repeat < how_.repeats; ++repeat) {
            for (std::size_t s = 0; s < subjects_.size(); ++s) {
                Part part{s, repeat};
                if (const auto id = recorded.find(subjects_[s].cell, repeat)) {
                    auto outcome = HIGHWATER_TRY(outcomeOf(store_, *id));
                    part.state = Part::State::Over;
                    part.outcome = std::move(outcome);
                }
                parts_.push_back(std::move(part));
            }
        }
        return takeOver(recorded);
    }

    base::Status run() {
        while (anyLeft()) {
            if (cancel_ && !askedToStop()) {
                return {};
            }
            if (!cancel_) {
                HIGHWATER_TRY(submitMore());
            }
            look();
            say();
            pause();
        }
        return {};
    }

    QueueResult result();

private:
    // --- what is to be done
    bool anyLeft() const {
        return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
            return part.state == Part::State::InQueue || (part.state == Part::State::ToDo && !cancel_);
        });
    }
    std::size_t inQueue() const {
        return static_cast<std::size_t>(std::count_if(parts_.begin(), parts_.end(), [](const Part& part) {
            return part.state == Part::State::InQueue;
        }));
    }

    /// The runs that an earlier program has left there.
    base::Status takeOver(const Recorded& recorded) {
        for (const runs::RunSummary& run : recorded.open()) {
            const auto at = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
                return subjects_[part.subject].cell == run.study.cell && part.repeat == run.study.repeat;
            });
            const auto taken = HIGHWATER_TRY(store_.takeOver(run.id));
            if (!taken) {
                return Error{fmt::format("run {} of this sweep is followed by another program", run.number)};
            }
            if (at == parts_.end() || at->state != Part::State::ToDo) {
                continue;  // `runs fetch` brings it home
            }
            at->state = Part::State::InQueue;
            at->run = run.id;
            at->tries = 1;
        }
        return {};
    }

    // --- into the queue
    base::Status submitMore() {
        if (Clock::now() < nextSubmit_) {
            return {};
        }
        if (!pending_) {
            HIGHWATER_TRY(placeSome());
        }
        return pending_ && !cancel_ ? submit() : base::Status();
    }

    /// Makes the runs of the next array ready there.
    base::Status placeSome() {
        const std::size_t room = kMostInQueue - std::min(kMostInQueue, inQueue());
        Pending next{base::newId(), {}};
        for (Part& part : parts_) {
            if (part.state != Part::State::ToDo || cancel_) {
                continue;
            }
            if (next.runs.size() >= std::min(room, hosts::kMostTasks)) {
                break;
            }
            if (const auto placed = place(part, next.array); !placed) {
                if (!everSubmitted_) {
                    pending_ = std::move(next);
                    giveBack();
                    return placed;
                }
                trouble_ = placed.error().message;
                waitLonger(nextSubmit_);
                break;
            }
            next.runs.push_back(part.run);
            say();
        }
        if (!next.runs.empty()) {
            pending_ = std::move(next);
        }
        return {};
    }

    base::Status submit() {
        const auto job = queue_.submit(pending_->array, pending_->runs, how_.node, &cancel_);
        if (job) {
            everSubmitted_ = true;
            pending_.reset();
            nextLook_ = {};
            return {};
        }
        if (queue_.refused() && inQueue() == pending_->runs.size()) {
            giveBack();
            return job.error();
        }
        trouble_ = job.error().message;  // with others in the queue, a limit of how many may be there
        waitLonger(nextSubmit_);
        return {};
    }

    bool isPending(const Part& part) const {
        return pending_ &&
               std::find(pending_->runs.begin(), pending_->runs.end(), part.run) != pending_->runs.end();
    }

    /// What was made ready, and is not in the queue, is recorded as not begun.
    void giveBack() {
        for (Part& part : parts_) {
            if (part.state == Part::State::InQueue && isPending(part)) {
                part.task.state = Task::State::Gone;
                fetch(part);
            }
        }
    }

    /// Records a run for the part, and makes it ready there.
    base::Status place(Part& part, const std::string& array) {
        const Subject& subject = subjects_[part.subject];
        const auto request = engineRequest(subject, how_);
        const auto start = request ? hosts::startOf(subject.experiment, *request, how_.timeLimit, &cancel_)
                                   : base::Result<hosts::Start>(request.error());
        auto connection =
            HIGHWATER_TRY(start ? queue_.lend(&cancel_) : base::Result<hosts::Connection>(start.error()));
        runs::Study study = partOf(how_.study, subject, part.repeat);
        study.place = how_.host.name;
        const auto folder = store_.create(subject.experiment, how_.device, study);
        if (!folder) {
            queue_.giveBack(std::move(connection));
            return folder.error();
        }
        const std::string id = folder->filename().string();
        auto engine = hosts::RemoteEngine::place(how_.host, std::move(connection), *folder, *start,
                                                 request->volumeFds, array);
        std::string problem = engine ? "" : engine.error().message;
        if (engine) {
            bool asked = false;
            while (!(*engine)->finished()) {
                (*engine)->wait(kPollMs);
                (*engine)->read();
                if (cancel_ && !std::exchange(asked, true)) {
                    (*engine)->cancel();
                }
                if (asked && !(*engine)->connected()) {
                    break;
                }
            }
            problem = (*engine)->finished() && (*engine)->exitCode() != 0 ? (*engine)->errorText() : "";
            queue_.giveBack((*engine)->takeConnection());
        }
        if (!problem.empty()) {
            const auto row = store_.settle(id, -1, problem);
            if (++part.tries >= kMostTries) {
                part.state = Part::State::Over;
                part.why = problem;
            }
            return row ? Error{problem} : row.error();
        }
        part.state = Part::State::InQueue;
        part.run = id;
        part.task = {};
        ++part.tries;
        return {};
    }

    // --- in the queue, and out of it
    void look() {
        if (Clock::now() < nextLook_) {
            return;
        }
        std::vector<std::string> runs;
        for (const Part& part : parts_) {
            if (part.state == Part::State::InQueue && (cancel_ || !isPending(part))) {
                runs.push_back(part.run);
            }
        }
        if (runs.empty()) {
            return;
        }
        std::string silent;
        const auto tasks = queue_.look(runs, silent, nullptr);
        trouble_ = tasks ? silent : tasks.error().message;
        if (!tasks) {
            waitLonger(nextLook_);
            return;
        }
        pause_ = std::chrono::seconds(1);
        nextLook_ = Clock::now() + kLookEvery;
        std::size_t next = 0;
        for (Part& part : parts_) {
            if (part.state == Part::State::InQueue && next < tasks->size() &&
                (*tasks)[next].run == part.run) {
                part.task = (*tasks)[next++];
            }
        }
        for (Part& part : parts_) {
            if (part.state == Part::State::InQueue && isToFetch(part.task) && !(cancel_ && wantsToLeave())) {
                fetch(part);
            }
        }
        if (!unneeded_.empty() && queue_.stop(unneeded_)) {
            unneeded_.clear();
        }
    }

    /// Brings the run home, which ends it there for good, and decides what becomes of its part.
    void fetch(Part& part) {
        auto connection = queue_.lend(nullptr);
        if (!connection) {
            trouble_ = connection.error().message;
            waitLonger(nextLook_);
            return;
        }
        const auto folder = store_.folder() / "runs" / part.run;
        const auto engine = hosts::RemoteEngine::follow(how_.host, std::move(*connection), folder);
        bool asked = false;
        while (!engine->finished()) {
            engine->wait(kPollMs);
            engine->read();
            if (cancel_ && !std::exchange(asked, true)) {
                engine->cancel();
            }
            if (!engine->connected() && cancel_ && wantsToLeave()) {
                return;
            }
        }
        queue_.giveBack(engine->takeConnection());
        if (!engine->node().empty()) {
            (void)store_.label(part.run, {.place = placeOf(engine->node(), how_.host)}).ok();
        }
        const bool ended = engine->exitCode() >= 0;
        const bool unbegun = isPending(part) || cancel_ || hosts::isFinal(part.task.word);
        const auto row = store_.settle(part.run,
                                       ended     ? engine->exitCode()
                                       : unbegun ? wire::kInterrupted
                                                 : -1,
                                       ended ? engine->errorText() : whyBroken(part.task));
        auto outcome = row ? outcomeOf(store_, part.run) : base::Result<RunOutcome>(row.error());
        if (!outcome) {
            part.state = Part::State::Over;
            part.why = outcome.error().message;
            return;
        }
        if (part.task.word == "PENDING" || !counts(outcome->result.status)) {
            unneeded_.push_back(part.run);  // it may wait there to be started again
        }
        decide(part, std::move(*outcome), *engine);
    }

    void decide(Part& part, RunOutcome outcome, const hosts::RemoteEngine& engine) {
        const wire::RunStatus status = outcome.result.status;
        part.outcome = std::move(outcome);
        part.state = Part::State::Over;
        if (counts(status)) {
            return;
        }
        if (engine.timedOut()) {
            part.why = "it reached its time limit";
            return;
        }
        if (status == wire::RunStatus::Failed && engine.exitCode() >= 0 &&
            engine.exitCode() <= kLastOwnExit) {
            return;  // by itself
        }
        if (cancel_ || hosts::isFinal(part.task.word)) {
            part.why = cancel_ ? "cancelled" : hosts::whyFinal(part.task.word);
            return;
        }
        if (part.tries >= kMostTries) {
            part.why = fmt::format("its task ended early {} times", part.tries);
            return;
        }
        part.state = Part::State::ToDo;
        part.outcome.reset();
        ++again_;
    }

    // --- the end
    bool wantsToLeave() const { return how_.leave && how_.leave(); }

    /// False: what is in the queue is left there.
    bool askedToStop() {
        if (wantsToLeave()) {
            return false;
        }
        if (stopped_ || Clock::now() < nextStop_) {
            return true;
        }
        std::vector<std::string> runs;
        for (const Part& part : parts_) {
            if (part.state == Part::State::InQueue) {
                runs.push_back(part.run);
            }
        }
        const auto done = queue_.stop(runs);
        stopped_ = done.ok();
        if (!done) {
            trouble_ = done.error().message;
            nextStop_ = Clock::now() + kLookEvery;
        }
        return true;
    }

    void waitLonger(Clock::time_point& next) {
        next = Clock::now() + pause_;
        pause_ = std::min<std::chrono::seconds>(2 * pause_, kLongestPause);
    }
    void pause() const { std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs)); }

    void say() const {
        if (how_.progress) {
            how_.progress(progressOf(parts_, trouble_));
        }
    }

    runs::RunStore& store_;
    const std::vector<Subject>& subjects_;
    const QueueRun& how_;
    const std::atomic<bool>& cancel_;
    hosts::Queue queue_;
    std::vector<Part> parts_;
    bool everSubmitted_ = false, stopped_ = false;
    struct Pending {
        std::string array;
        std::vector<std::string> runs;
    };
    std::optional<Pending> pending_;  ///< made ready there, and not yet in the queue
    std::string trouble_;
    std::vector<std::string> unneeded_;  ///< runs that are here, and whose tasks may still be in the queue
    std::chrono::seconds pause_{1};
    Clock::time_point nextLook_{}, nextSubmit_{}, nextStop_{};
    int again_ = 0;
};

QueueResult QueueSweep::result() {
    QueueResult result;
    for (std::size_t s = 0; s < subjects_.size(); ++s) {
        result.measured.push_back(measuredOf(subjects_[s], s, parts_, result.elsewhere));
    }
    result.again = again_;
    return result;
}

}  // namespace

base::Result<QueueResult> measureInQueue(runs::RunStore& store, const std::vector<Subject>& subjects,
                                         const QueueRun& how, const std::atomic<bool>& cancel) {
    auto connection = HIGHWATER_TRY(hosts::Connection::openAndWait(how.host, &cancel));
    QueueSweep sweep(store, subjects, how, std::move(connection), cancel);
    HIGHWATER_TRY(sweep.takeUp());
    HIGHWATER_TRY(sweep.run());
    return sweep.result();
}

}  // namespace highwater::study
