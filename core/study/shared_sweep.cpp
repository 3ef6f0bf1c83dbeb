#include "core/study/shared_sweep.h"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace highwater::study {

namespace {

class Sharing {
public:
    Sharing(const std::vector<Subject>& subjects, std::size_t machines, const TrialOptions& options,
            const std::atomic<bool>& cancel, const std::function<void(const Progress&)>& progress)
        : subjects_(subjects),
          machines_(machines),
          options_(options),
          cancel_(cancel),
          progress_(progress),
          measured_(subjects.size()) {
        for (std::size_t s = 0; s < subjects.size(); ++s) {
            measured_[s].name = subjects[s].name;
            measured_[s].status = wire::RunStatus::Cancelled;
            measured_[s].why = "not run";
        }
    }

    /// What the thread of one machine does.
    void work(std::size_t machine, const Runner& runner) {
        const Runner saying = [&](const Subject& subject, int repeat) {
            say(subject, repeat);
            return runner(subject, repeat);
        };
        if (options_.repeatsMost > 1) {
            std::vector<std::size_t> share;
            for (std::size_t s = machine; s < subjects_.size(); s += machines_) {
                share.push_back(s);
            }
            measureThese(saying, share);
            return;
        }
        for (std::size_t s = next_++; s < subjects_.size() && !cancel_; s = next_++) {
            measureThese(saying, {s});
        }
    }

    base::Result<std::vector<Measured>> result() {
        if (!any_ && failure_) {
            return *failure_;
        }
        return std::move(measured_);
    }

private:
    void measureThese(const Runner& runner, const std::vector<std::size_t>& which) {
        if (which.empty()) {
            return;
        }
        std::vector<Subject> mine;
        for (const std::size_t s : which) {
            mine.push_back(subjects_[s]);
        }
        auto measured = measure(mine, runner, options_, cancel_);
        const std::scoped_lock lock(mutex_);
        any_ = any_ || measured.ok();
        for (std::size_t i = 0; i < which.size(); ++i) {
            if (measured) {
                measured_[which[i]] = std::move((*measured)[i]);
            } else if (!cancel_) {
                measured_[which[i]].status = wire::RunStatus::Failed;
                measured_[which[i]].why = measured.error().message;
            }
        }
        if (!measured && !failure_) {
            failure_ = measured.error();
        }
    }

    void say(const Subject& subject, int repeat) {
        const std::scoped_lock lock(mutex_);
        if (progress_) {
            progress_({begun_, static_cast<int>(subjects_.size()) * options_.repeatsMost,
                       fmt::format("{}, repeat {}", subject.name, repeat + 1)});
        }
        ++begun_;
    }

    const std::vector<Subject>& subjects_;
    std::size_t machines_;
    const TrialOptions& options_;
    const std::atomic<bool>& cancel_;
    const std::function<void(const Progress&)>& progress_;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;
    std::vector<Measured> measured_;
    int begun_ = 0;
    bool any_ = false;
    std::optional<base::Error> failure_;
};

}  // namespace

base::Result<std::vector<Measured>> measureShared(const std::vector<Subject>& subjects,
                                                  const std::vector<Runner>& runners,
                                                  const TrialOptions& options,
                                                  const std::atomic<bool>& cancel,
                                                  const std::function<void(const Progress&)>& progress) {
    if (runners.size() == 1) {
        return measure(subjects, runners.front(), options, cancel, progress);
    }
    Sharing sharing(subjects, runners.size(), options, cancel, progress);
    std::vector<std::thread> threads;
    for (std::size_t machine = 0; machine < runners.size(); ++machine) {
        threads.emplace_back([&, machine] { sharing.work(machine, runners[machine]); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return sharing.result();
}

}  // namespace highwater::study
