#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "core/study/trial.h"

namespace highwater::study {

/// Measures subjects on several machines at the same time, a thread and a runner each. All repeats of a
/// subject stay on one machine. With a single repeat each machine takes the next subject as soon as it is
/// free; else it has its share from the beginning, and its subjects take turns among themselves (measure()).
/// `progress` is called by one thread at a time. Errors as measure()'s, if no machine could make its first
/// run; a subject whose machine could not is Failed.
base::Result<std::vector<Measured>> measureShared(const std::vector<Subject>& subjects,
                                                  const std::vector<Runner>& runners,
                                                  const TrialOptions& options,
                                                  const std::atomic<bool>& cancel,
                                                  const std::function<void(const Progress&)>& progress = {});

}  // namespace highwater::study
