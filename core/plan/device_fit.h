#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/predict/predict.h"

/// Whether an experiment fits a device, and the largest size that would.
namespace highwater::plan {

struct DeviceFit {
    /// The peak that counts against `capacity`: reserved memory on a GPU, allocated memory on the CPU. Bytes.
    predict::Estimate peak;
    base::Bytes capacity = 0;  ///< memory that this process may use on the device; 0 if unknown
    predict::Fits fits = predict::Fits::Uncertain;
    double odds = 0;  ///< probability of running out of memory, 0 to 1
    predict::TimeEstimate stepMs;
    /// The largest batch size that fits according to the prediction (Fits::Yes), a multiple of the
    /// micro-batches; 0 if not even the smallest fits, -1 if the device's memory or an operator is unknown.
    std::int64_t largestBatch = -1;
    base::Bytes onHost = 0;  ///< offloaded to host memory
    bool atLeast = false;    ///< not everything is counted: `peak.low` is a lower bound
    bool atMost = false;     ///< checkpoints are not simulated: `peak.high` is an upper bound
    /// GPUs: convolution passes whose workspace is a guess, and those whose workspace is cuDNN's answer.
    std::size_t guessed = 0, asked = 0;
    bool exact = false;  ///< no part of the memory is guessed or asked (predict::Prediction::exact())
    std::string basis;   ///< predict::Prediction::basis
};

/// Summarizes a prediction; `gpu`: whether it is for a GPU.
DeviceFit fitOf(const predict::Prediction& prediction, bool gpu);

/// The peak that counts against the capacity: reserved memory on a GPU, allocated memory on the CPU. If it
/// fits, it is capped at the capacity: with less memory available, the allocator and cuDNN use less.
predict::Estimate countedPeak(const predict::Prediction& prediction, bool gpu);

/// Options for trying sizes.
struct Trying {
    const std::atomic<bool>* cancel = nullptr;
    /// Adds cuDNN's answers to the questions that the prediction leaves open to the target; false if there is
    /// nothing new (ask::Learner::teach). The result is then decided with these answers, for every size that
    /// determines it. Null: only the target's existing answers are used.
    std::function<bool(const predict::Prediction& prediction, predict::Target& target)> ask = {};
    std::size_t* predictions = nullptr;  ///< counts the predictions made
};

/// Predicts the experiment on `target`, and with other batch sizes: about 10 predictions, some milliseconds
/// each, more if the stack is deep or cuDNN is asked. Errors: the experiment is not valid or not possible on
/// the target; "cancelled".
base::Result<DeviceFit> fitOn(const stack::Experiment& experiment, const predict::Target& target,
                              const Trying& trying = {});

/// The same for the unchanged experiment only: `largestBatch` stays -1.
base::Result<DeviceFit> needOn(const stack::Experiment& experiment, const predict::Target& target,
                               const Trying& trying = {});

/// An experiment at the largest size that fits according to the prediction (Fits::Yes), and at the next
/// larger one.
struct LargestFit {
    std::optional<stack::Experiment> fits;  ///< std::nullopt: not even the smallest size fits
    std::optional<stack::Experiment> next;  ///< std::nullopt: the largest size tried fits (65,536)
};

/// Searches by bisection; if cuDNN is asked, starting at the size that fits by guesses. `axis` is
/// "batch_size", whose sizes are multiples of the micro-batches, or "patch": all its axes grow together, each
/// in multiples of the stack's stride along it. Errors: another axis; the experiment is not valid or not
/// possible on the target; the device's memory is unknown; "cancelled".
base::Result<LargestFit> largestOn(const stack::Experiment& experiment, const predict::Target& target,
                                   std::string_view axis, const Trying& trying = {});

/// "fits", "does not fit", "12 % likely to run out", "its memory is not known".
std::string verdictText(const DeviceFit& fit);
/// "9.3 GiB", or for a bound "at least 8.9 GiB".
std::string needText(const predict::Estimate& peak, bool atLeast, bool atMost);

}  // namespace highwater::plan
