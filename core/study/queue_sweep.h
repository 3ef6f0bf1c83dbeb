#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/hosts/queue.h"
#include "core/runs/run_store.h"
#include "core/study/recorded.h"

namespace highwater::study {

/// How the parts of a sweep are doing in the queue of a cluster.
struct QueueProgress {
    int done = 0, of = 0;               ///< runs
    std::map<std::string, int> states;  ///< those that are not done, by plain words ("waiting for resources")
    std::string trouble;                ///< the host or its queue does not answer; empty: it does
};

/// How subjects are run as tasks of Slurm: job arrays, one run a task, each recorded in the store here.
struct QueueRun : HowToRun {
    hosts::Host host = {};
    std::string node = {};                       ///< the only one that may run them; empty: any
    int repeats = 1;                             ///< of each subject, no more and no fewer
    std::int64_t timeLimit = hosts::kTimeLimit;  ///< of each run, in seconds
    std::function<bool()> leave = {};  ///< asked after a cancel: whether to leave what is in the queue
    std::function<void(const QueueProgress&)> progress = {};
};

struct QueueResult {
    std::vector<Measured> measured;  ///< of each subject
    int again = 0;                   ///< runs that the cluster ended early, and that were measured again
    int elsewhere = 0;  ///< repeats that another device measured than most of their cell's: left out
};

/// A runner through the queue, for subjects that take turns: each run is an array of one task. All but the
/// first wait for the node that ran the first, so that they can be compared. `store` and `cancel` must
/// outlive it.
Runner queueRunner(runs::RunStore& store, QueueRun how, const std::atomic<bool>& cancel);

/// Measures what is not yet in the store of the study `how.study`, whose subjects are cells. A run whose task
/// was killed or lost its node is recorded as it ended, and its repeat is measured again as a new run, at
/// most three times; a task that was cancelled in the queue is not submitted again. Runs that an earlier
/// program has left in the queue are taken over. After a cancel the tasks are taken from the queue, and what
/// they measured is fetched. While the host or its queue does not answer, it waits. Errors: the host cannot
/// be reached at the beginning; Slurm refuses the array; another program is at work on the study;
/// "cancelled": nothing was begun.
base::Result<QueueResult> measureInQueue(runs::RunStore& store, const std::vector<Subject>& subjects,
                                         const QueueRun& how, const std::atomic<bool>& cancel);

}  // namespace highwater::study
