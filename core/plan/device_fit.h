#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/predict/predict.h"

/// Whether an experiment fits a device, and how much of it would.
namespace highwater::plan {

struct DeviceFit {
    /// What counts against `capacity`: on a GPU what the allocator reserves, on the CPU what is allocated.
    /// Bytes.
    predict::Estimate peak;
    base::Bytes capacity = 0;  ///< what this process may use on the device; 0 if unknown
    predict::Fits fits = predict::Fits::Uncertain;
    double odds = 0;  ///< probability of running out of memory, 0 to 1
    predict::TimeEstimate stepMs;
    /// The largest batch size that the prediction says fits (Fits::Yes), a multiple of the micro-batches; 0
    /// if not even the smallest does, -1 if the device's memory or an operator is unknown.
    std::int64_t largestBatch = -1;
    base::Bytes onHost = 0;  ///< what waits in the host's memory
    bool atLeast = false;    ///< not all is counted: `peak.low` is a bound from below
    bool atMost = false;     ///< checkpoints are not taken over: `peak.high` is a bound from above
    /// GPUs: convolution passes whose workspace is a guess, and those that rest on cuDNN's answer.
    std::size_t guessed = 0, asked = 0;
    bool exact = false;  ///< nothing of the memory is guessed or asked (predict::Prediction::exact())
    std::string basis;   ///< predict::Prediction::basis
};

/// What a prediction says; `gpu`: whether it is for one.
DeviceFit fitOf(const predict::Prediction& prediction, bool gpu);

/// The peak that counts against the capacity: on a GPU what the allocator reserves, on the CPU what is
/// allocated. Where it fits, it is no higher than the capacity: with less at hand the allocator and cuDNN
/// take less.
predict::Estimate countedPeak(const predict::Prediction& prediction, bool gpu);

/// How sizes are tried.
struct Trying {
    const std::atomic<bool>* cancel = nullptr;
    /// Adds what cuDNN answers to what the prediction leaves open to the target; false if there is nothing
    /// new (ask::Learner::teach). What fits is then judged with the answers, for every size that is decided
    /// by. Null: with those that the target has.
    std::function<bool(const predict::Prediction& prediction, predict::Target& target)> ask = {};
    std::size_t* predictions = nullptr;  ///< counts the sizes that are predicted
};

/// Predicts the experiment on `target`, and with other batch sizes: about 10 predictions, some milliseconds
/// each, more if the stack is deep or cuDNN is asked. Errors: the experiment is not valid or not possible
/// there; "cancelled".
base::Result<DeviceFit> fitOn(const stack::Experiment& experiment, const predict::Target& target,
                              const Trying& trying = {});

/// The same for the unchanged experiment alone: `largestBatch` stays -1.
base::Result<DeviceFit> needOn(const stack::Experiment& experiment, const predict::Target& target,
                               const Trying& trying = {});

/// An experiment at the largest size that the prediction says fits (Fits::Yes), and at the next larger one.
struct LargestFit {
    std::optional<stack::Experiment> fits;  ///< std::nullopt: not even the smallest size does
    std::optional<stack::Experiment> next;  ///< std::nullopt: the largest size that is tried fits (65,536)
};

/// Searches by bisection; where cuDNN is asked, from the size on that fits by guesses. `axis` is
/// "batch_size", whose sizes are multiples of the micro-batches, or "patch": all its axes grow together, each
/// in multiples of the stack's stride along it. Errors: another axis; the experiment is not valid or not
/// possible there; the device's memory is unknown; "cancelled".
base::Result<LargestFit> largestOn(const stack::Experiment& experiment, const predict::Target& target,
                                   std::string_view axis, const Trying& trying = {});

/// "fits", "does not fit", "12 % likely to run out", "its memory is not known".
std::string verdictText(const DeviceFit& fit);
/// "9.3 GiB", or where it is a bound "at least 8.9 GiB".
std::string needText(const predict::Estimate& peak, bool atLeast, bool atMost);

}  // namespace highwater::plan
