#include "core/engine/run/runner.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <new>
#include <utility>

#include "core/base/text.h"
#include "core/engine/device/backend.h"
#include "core/engine/device/device.h"
#include "core/engine/run/environment.h"
#include "core/engine/run/rank_results.h"
#include "core/engine/run/request_checks.h"
#include "core/engine/run/sampler.h"
#include "core/engine/run/samples.h"
#include "core/engine/run/target.h"
#include "core/engine/run/trace_drain.h"
#include "core/engine/step/trainer.h"
#include "core/predict/fitting.h"
#include "core/stack/shapes.h"
#include "core/volume/write_volume.h"

namespace highwater::engine {

namespace {

using base::Error;
using wire::RunResult;
using wire::RunStatus;

/// Limits events to one per period, so that a fast run does not flood its listeners.
class Rate {
public:
    explicit Rate(double seconds) : period_(seconds) {}
    bool due() {
        const auto now = Accounting::Clock::now();
        if (last_ && std::chrono::duration<double>(now - *last_).count() < period_) {
            return false;
        }
        last_ = now;
        return true;
    }

private:
    double period_;
    std::optional<Accounting::Clock::time_point> last_;
};

/// A step that the host has finished, and the device possibly not yet.
struct PendingStep {
    wire::StepDone done;
    StepLoss loss;
};

class Run {
public:
    Run(const RunRequest& request, const stack::StackInfo& info, Announcer& announcer, const Device& device)
        : request_(request),
          info_(info),
          announcer_(announcer),
          device_(device),
          samples_(info),
          books_(installBooks(device)),
          stream_(makeStreamClock(device, info.layers.size())),
          recorder_(books_, info.layers.size(), stream_.get()) {
        result_.runId = request.runId;
        result_.environment = environment(device.text());
        if (device.cuda) {
            describe(device, result_.environment);
        }
        result_.cases = static_cast<std::int64_t>(request.cases.size());
        if (request.predict) {
            result_.predicted = predictedFor(result_.environment, request.experiment, ranksOf(request));
        }
    }

    RunResult perform(const std::atomic<bool>& cancel) {
        cancel_ = &cancel;
        if (request_.ranks) {
            request_.ranks->link->watch(&cancel);
        }
        announcer_.say(wire::Started{request_.runId, result_.environment, emptyCosts(info_), request_.steps,
                                     request_.warmup, request_.budget});
        books_.start(device_.cuda ? -1 : hostLimit(), &cancel);
        startBooks(device_, allocatorSettings(request_.experiment));
        beginOnDevice(device_, request_.budget);
        {
            const LedgerSampler sampler(books_, announcer_, looks());
            std::unique_ptr<Trainer> trainer;
            const TraceDrain trace(books_, request_, announcer_);  // destroyed before the trainer
            guarded([&] {
                at::manual_seed(request_.ranks ? request_.ranks->seed : request_.experiment.step.seed);
                trainer = std::make_unique<Trainer>(request_, info_, device_, recorder_, books_);
                if (const auto warning = trainer->data().warning()) {
                    announcer_.say(wire::Warning{*warning});
                }
                expectResults(device_, trainer->resultSizes());
                for (int i = 0; i < request_.warmup + request_.steps; ++i) {
                    step(*trainer, i);
                }
                settle(0);
                warnOfSkippedSteps(trainer->skippedSteps());
                if (request_.ranks) {
                    weights_ = fingerprint(trainer->parameters());
                }
            });
            books_.stop();
            letGo(trainer);
            result_.atEnd = books_.ledger();
            measureDevice();
        }
        endOnDevice(device_);
        finish();
        return std::move(result_);
    }

private:
    void step(Trainer& trainer, int index) {
        const bool last = index + 1 == request_.warmup + request_.steps;
        const bool record = timelines_.due() || last;
        const bool first = index < request_.warmup + kFirstLayered;
        if (index == request_.warmup) {
            result_.before = conditions(device_);
        }
        recorder_.beginStep(index, record, stream_ == nullptr || first || record || layered_.due());
        trainer.data().next();
        PendingStep pending;
        pending.loss = trainer.pass();
        recorder_.endStep();
        const std::int64_t waits = sinkWaits(), waitsBefore = std::exchange(waits_, waits);
        wire::StepDone& done = pending.done;
        done.index = index;
        done.warmup = index < request_.warmup;
        done.waited = waits != waitsBefore;
        StepMemory memory = books_.endStep();
        done.peak = memory.peak;
        done.timeline = std::move(memory.timeline);
        done.marks = std::move(memory.marks);
        pending_.push_back(std::move(pending));
        settle(stream_ == nullptr ? 0 : 1);
        if (!request_.previewFolder.empty() && patches_.due()) {
            savePatch(trainer, index);
        }
    }

    /// Announces the steps that the device has finished. Waits while more than `most` are pending, so that
    /// the host runs at most one step ahead.
    void settle(std::size_t most) {
        while (!pending_.empty()) {
            const auto times = recorder_.takeStep(pending_.size() > most);
            if (!times) {
                return;
            }
            wire::StepDone done = std::move(pending_.front().done);
            done.loss = pending_.front().loss.mean();
            pending_.pop_front();
            if (done.timed()) {
                samples_.addStep(*times);
            } else if (!done.warmup) {
                ++waited_;
            }
            done.phases = times->phases;
            done.host = times->host;
            done.total = times->phases.total();
            result_.losses.push_back(done.loss);
            announcer_.say(done);
            warnOfLoss(done.index, done.loss);
            if (samples_.steps() > 0 && layerEvents_.due()) {
                sayLayers();
            }
        }
    }

    void warnOfLoss(int index, double loss) {
        if (std::isfinite(loss) || warned_) {
            return;
        }
        warned_ = true;
        announcer_.say(wire::Warning{fmt::format(
            "the loss is not a finite number since step {}; a smaller learning rate may help", index)});
    }

    std::int64_t sinkWaits() const { return request_.waits != nullptr ? request_.waits->load() : 0; }

    void warnOfWaits() {
        if (waited_ > 0) {
            announcer_.say(
                wire::Warning{fmt::format("{} of {} measured steps had to wait for the program that reads "
                                          "this run's events: their times do not count",
                                          waited_, waited_ + static_cast<std::int64_t>(samples_.steps()))});
        }
    }

    void letGo(std::unique_ptr<Trainer>& trainer) {
        if (stream_) {
            stream_->abandon();
        }
        if (trainer) {
            trainer->data().stop();
        }
        if (device_.cuda && deviceIsLost(device_)) {  // leaked: destructors must not use the lost device
            static_cast<void>(trainer.release());
            static_cast<void>(new std::deque<PendingStep>(std::move(pending_)));
        } else if (trainer) {
            trainer->abandon();
        }
        pending_.clear();
    }

    void warnOfSkippedSteps(std::int64_t skipped) {
        if (skipped > 0) {
            announcer_.say(wire::Warning{fmt::format(
                "{} of {} steps changed no weight: gradients in fp16 were not finite, and the loss scale was "
                "halved; the first steps of a training do so",
                skipped, request_.warmup + request_.steps)});
        }
    }

    LedgerSampler::DeviceLooks looks() const {
        if (!device_.cuda) {
            return {};
        }
        return [device = device_] { return deviceMemory(device); };
    }

    /// The ranks of a run share the machine; a budget applies to each rank.
    Bytes hostLimit() const {
        const Bytes share = machineMemory() / ranksOf(request_).count;
        return std::min(request_.budget.value_or(share), share);
    }

    void measureDevice() {
        if (!device_.cuda) {
            return;
        }
        result_.after = conditions(device_);
        result_.deviceAtEnd = deviceMemory(device_);
        result_.deviceAtPeak = deviceMemoryAtPeak(device_);
        const AllocatorNumbers numbers = allocatorNumbers(device_);
        result_.peakReserved = numbers.reservedPeak;
        result_.allocationRetries = numbers.retries;
        result_.peakDeviceUsed = peakDeviceUsed(device_);
        result_.workspaces = workspaces(device_);
        result_.workspacesRefused = workspacesRefused(device_);
    }

    void sayLayers() {
        const std::vector<wire::LayerCost> costs = samples_.layers(recorder_.activationBytes());
        for (std::size_t i = 0; i < costs.size(); ++i) {
            announcer_.say(wire::LayerEvent{static_cast<int>(i), costs[i]});
        }
    }

    /// Writes the preview patch. It always replaces the same file: the disk does not fill, and a reader that
    /// has mapped the old file keeps it.
    void savePatch(Trainer& trainer, int index) {
        constexpr const char* kName = "patch.hwvol";
        const std::filesystem::path folder = request_.previewFolder;
        const auto written = volume::writeVolumeFile(folder / kName, trainer.data().patchVolume());
        if (!written) {
            if (!patchFailed_) {
                announcer_.say(wire::Warning{"the patch could not be saved: " + written.error().message});
            }
            patchFailed_ = true;
            return;
        }
        const SamplePlace& first = trainer.data().firstSample();
        wire::PatchSaved event{(folder.filename() / kName).string(), {}, index, first.number, first.theCase};
        if (first.box.extent[0] > 0) {
            event.start.assign(first.box.start.begin(), first.box.start.end());
        }
        announcer_.say(event);
    }

    /// Runs `work`. An exception that ends it becomes the result's status and failure.
    template <class Work>
    void guarded(Work work) {
        try {
            work();
        } catch (const Cancelled&) {
            result_.status = RunStatus::Cancelled;
        } catch (const std::exception& error) {
            if (request_.ranks && request_.ranks->link->stopped() && !books_.refusal()) {
                result_.status = RunStatus::Cancelled;
                stoppedByOthers_ = !cancel_->load();
            } else {
                failed(error);
            }
        }
        if (request_.ranks && result_.status != RunStatus::Done) {
            request_.ranks->link->stop();
        }
    }

    void failed(const std::exception& error) {
        const Accounting& books = books_;
        const auto refusal = books.refusal();
        const bool full = device_.cuda && isDeviceFull(error);
        const bool outOfMemory =
            device_.cuda ? full || isOutOfMemory(error) || noPlanFits(error, refusal) : refusal.has_value();
        if (full) {
            fail(RunStatus::OutOfMemory,
                 deviceErrorText(error).value_or(
                     "out of memory: a CUDA library could not get the memory that it needs"),
                 books.place(), 0, books.ledger());
        } else if (outOfMemory && refusal) {
            fail(RunStatus::OutOfMemory, refusalText(*refusal), refusal->place, refusal->requested,
                 refusal->ledger);
        } else if (outOfMemory || dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
            fail(RunStatus::OutOfMemory, "the machine has no memory left", books.place(), 0, books.ledger());
        } else if (dynamic_cast<const DataFailed*>(&error) != nullptr) {
            fail(RunStatus::Failed, error.what(), books.place(), 0, books.ledger());
        } else {
            fail(RunStatus::Failed,
                 deviceIsLost(device_) ? lostText(device_, error)
                                       : deviceErrorText(error).value_or("LibTorch: " + briefError(error)),
                 books.place(), 0, books.ledger());
        }
    }

    /// True if the error is LibTorch's "unable to find an engine" and an allocation was refused in the same
    /// step and layer: no plan of cuDNN could get its workspace.
    bool noPlanFits(const std::exception& error, const std::optional<Refusal>& refusal) const {
        const Place now = std::as_const(books_).place();
        return refusal && refusal->place.step == now.step && refusal->place.layer == now.layer &&
               briefError(error).find("unable to find an engine") != std::string::npos;
    }

    std::string layerName(int layer) const {
        return layer < 0 ? std::string() : info_.layers[static_cast<std::size_t>(layer)].name;
    }

    std::string refusalText(const Refusal& refusal) const {
        const std::string where =
            refusal.place.layer < 0 ? "" : " of layer " + layerName(refusal.place.layer);
        const std::string asked = fmt::format(
            "out of memory: {}{} requested {} with {} in use", wire::phaseKey(refusal.place.phase), where,
            base::formatBytes(refusal.requested), base::formatBytes(refusal.ledger.total()));
        if (device_.cuda) {
            return asked + (request_.budget ? ", over the budget of " + base::formatBytes(*request_.budget)
                                            : ", and the GPU had no more to give");
        }
        if (refusal.bySystem) {
            return asked + ", and the system had no more to give this process";
        }
        const std::string limit = request_.budget && *request_.budget <= machineMemory()
                                      ? "the budget of " + base::formatBytes(*request_.budget)
                                      : "the machine's memory of " + base::formatBytes(machineMemory());
        return asked + ", over " + limit;
    }

    void fail(RunStatus status, std::string why, const Place& place, Bytes requested, const Ledger& ledger) {
        result_.status = status;
        result_.failure =
            wire::Failed{status,    std::move(why), place.step, place.phase, layerName(place.layer),
                         requested, ledger,         {},         {}};
        result_.failure->device =
            status == RunStatus::OutOfMemory ? deviceMemoryAtRefusal(device_) : std::nullopt;
        if (!result_.failure->device) {
            result_.failure->device = deviceMemory(device_);
        }
        if (status == RunStatus::OutOfMemory && request_.predict) {
            sayWhatFits(*result_.failure);
        }
    }

    /// Adds to `failure` what would have fit according to the prediction. A budget limits the allocator's
    /// reserved memory, without the CUDA context.
    void sayWhatFits(wire::Failed& failure) const {
        auto target = targetOf(result_.environment, request_.experiment, ranksOf(request_));
        if (!target) {
            return;
        }
        Bytes capacity = device_.cuda ? result_.environment.memoryBytes : hostLimit();
        if (device_.cuda && failure.device) {
            capacity -= failure.device->others;
        }
        if (device_.cuda && request_.budget && target->gpu) {
            target->gpu->context = {};
            capacity = *request_.budget;
        }
        if (const auto fits = predict::whatFits(request_.experiment, *target, capacity)) {
            failure.wouldFit = fits->text();
            failure.fittingBatch = fits->batch;
        }
    }

    void finish() {
        result_.peak = books_.peak();
        result_.peakByCategory = result_.peak.ledger;
        result_.peakAllocated = result_.peak.ledger.total();
        result_.peakRss = peakResident();
        result_.layers = samples_.layers(recorder_.activationBytes());
        result_.stepMs = samples_.stepMs();
        result_.phasesMs = samples_.phases();
        result_.hostMs = samples_.host();
        if (result_.stepMs.median > 0) {
            const int ranks = request_.ranks ? request_.ranks->link->count() : 1;
            result_.throughput = static_cast<double>(request_.experiment.step.batchSize * ranks) /
                                 result_.stepMs.median * 1000;
        }
        if (!result_.losses.empty()) {
            result_.lossFirst = result_.losses.front();
            result_.lossLast = result_.losses.back();
        }
        if (samples_.steps() > 0) {
            sayLayers();
        }
        if (request_.ranks) {
            const Place place = std::as_const(books_).place();
            const std::string warning = addRanks(*request_.ranks, weights_, stoppedByOthers_, place, result_);
            if (!warning.empty()) {
                announcer_.say(wire::Warning{warning});
            }
        }
        warnOfWaits();
        if (result_.failure) {
            announcer_.say(*result_.failure);
        }
        announcer_.say(wire::Finished{result_});
    }

    const RunRequest& request_;
    const stack::StackInfo& info_;
    Announcer& announcer_;
    Device device_;
    Samples samples_;
    Accounting& books_;
    std::unique_ptr<StreamClock> stream_;
    Recorder recorder_;
    std::deque<PendingStep> pending_;
    RunResult result_;
    static constexpr int kFirstLayered = 5;  ///< this many first measured steps always time their layers
    Rate timelines_{0.1}, layered_{0.05}, layerEvents_{1}, patches_{1};
    bool warned_ = false, patchFailed_ = false;
    const std::atomic<bool>* cancel_ = nullptr;
    bool stoppedByOthers_ = false;  ///< another rank ended, and the run was not cancelled
    std::string weights_;           ///< fingerprint of the parameters after the last step, with several ranks
    std::int64_t waits_ = sinkWaits();  ///< sinkWaits() at the end of the last step
    std::int64_t waited_ = 0;           ///< measured steps that were marked as waited
};

}  // namespace

base::Result<RunResult> run(const RunRequest& request, const EventSink& sink,
                            const std::atomic<bool>& cancel) {
    const auto info = HIGHWATER_TRY(stack::inferShapes(request.experiment));
    auto device = HIGHWATER_TRY(parseDevice(request.device));
    const auto why = unusable(device);
    if (why) {
        device = {};
    }
    HIGHWATER_TRY(checkRequest(request, info, device));
    Announcer announcer(sink);
    if (why) {
        announcer.say(wire::Warning{request.device + " was requested, but the run is on the CPU: " + *why});
    }
    const auto notes = HIGHWATER_TRY(configure(request.experiment, device));
    for (const std::string& note : notes) {
        announcer.say(wire::Warning{note});
    }
    for (const std::string& warning : dataWarnings(request, info, device)) {
        announcer.say(wire::Warning{warning});
    }
    return Run(request, info, announcer, device).perform(cancel);
}

}  // namespace highwater::engine
