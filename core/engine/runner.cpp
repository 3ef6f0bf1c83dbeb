#include "core/engine/runner.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <new>

#include "core/base/text.h"
#include "core/engine/allocator.h"
#include "core/engine/data.h"
#include "core/engine/environment.h"
#include "core/engine/executor.h"
#include "core/engine/losses.h"
#include "core/engine/optimizers.h"
#include "core/engine/sampler.h"
#include "core/engine/samples.h"
#include "core/engine/trace_drain.h"
#include "core/stack/support.h"
#include "core/volume/write_volume.h"

namespace highwater::engine {

namespace {

using base::Error;
using wire::RunResult;
using wire::RunStatus;

/// At most one in this time, so that a fast run does not drown its listeners.
class Rate {
public:
    explicit Rate(double seconds) : period_(seconds) {}
    bool due() {
        const auto now = Accounting::Clock::now();
        if (last_ && std::chrono::duration<double>(now - *last_).count() < period_)
            return false;
        last_ = now;
        return true;
    }

private:
    double period_;
    std::optional<Accounting::Clock::time_point> last_;
};

/// Everything that a run allocates tensors for. Its order is the order of allocation.
struct Trainer {
    Trainer(const RunRequest& request, const stack::StackInfo& info, Recorder& recorder, Accounting& books)
        : experiment(request.experiment),
          program(makeProgram(experiment, info)),
          network(program, info, books),
          data(request, info),
          optimizer(experiment.optimizer, network.parameters()),
          executor(program, network, recorder, books, experiment.step.train) {}

    const stack::Experiment& experiment;
    Program program;
    Network network;
    DataSource data;
    Optimizer optimizer;
    Executor executor;
};

class Run {
public:
    Run(const RunRequest& request, const stack::StackInfo& info, Announcer& announcer,
        const std::string& device)
        : request_(request),
          info_(info),
          announcer_(announcer),
          samples_(info),
          books_(installAllocator()),
          recorder_(books_, info.layers.size()) {
        result_.runId = request.runId;
        result_.predicted = request.predicted;
        result_.environment = environment(device);
    }

    RunResult perform(const std::atomic<bool>& cancel) {
        announcer_.say(wire::Started{request_.runId, result_.environment, emptyCosts(info_), request_.steps,
                                     request_.warmup, request_.budget});
        books_.start(std::min(request_.budget.value_or(machineMemory()), machineMemory()), &cancel);
        {
            const LedgerSampler sampler(books_, announcer_);
            std::unique_ptr<Trainer> trainer;
            const TraceDrain trace(books_, request_, announcer_);  // ends before the trainer does
            guarded([&] {
                at::manual_seed(request_.experiment.step.seed);
                trainer = std::make_unique<Trainer>(request_, info_, recorder_, books_);
                for (int i = 0; i < request_.warmup + request_.steps; ++i)
                    step(*trainer, i);
            });
            books_.stop();
            if (trainer) {
                trainer->executor.abandon();
                trainer->network.dropGradients();
            }
            result_.atEnd = books_.ledger();
        }
        finish();
        return std::move(result_);
    }

private:
    void step(Trainer& trainer, int index) {
        const bool last = index + 1 == request_.warmup + request_.steps;
        const bool record = timelines_.due() || last;
        recorder_.beginStep(index, record);
        trainer.data.next();
        wire::StepDone done;
        done.index = index;
        done.warmup = index < request_.warmup;
        done.loss = pass(trainer);
        const Recorder::StepTimes& times = recorder_.endStep();
        StepMemory memory = books_.endStep();
        if (!done.warmup)
            samples_.addStep(times);
        done.phases = times.phases;
        done.total = times.phases.total();
        done.peak = memory.peak;
        done.timeline = std::move(memory.timeline);
        done.marks = std::move(memory.marks);
        result_.losses.push_back(done.loss);
        announcer_.say(done);
        afterStep(trainer, index, done.loss);
    }

    /// Forward, loss, backward and update; the loss.
    double pass(Trainer& trainer) {
        const stack::Experiment& e = trainer.experiment;
        const std::int64_t parts = e.step.microBatches, size = e.step.batchSize / parts;
        const bool train = e.step.train;
        const c10::AutoGradMode mode(train);
        double loss = 0;
        for (std::int64_t part = 0; part < parts; ++part) {
            const auto slice = [&](const at::Tensor& t) {
                return parts == 1 || !t.defined() ? t : t.narrow(0, part * size, size);
            };
            std::vector<at::Tensor> targets = trainer.data.targets();
            for (at::Tensor& target : targets)
                target = slice(target);
            const at::Tensor value =
                computeLoss(e.loss, trainer.executor.forward(slice(trainer.data.input())), targets,
                            trainer.program.weights);
            if (train)
                trainer.executor.backward(value, 1.0 / static_cast<double>(parts));
            loss += value.item<double>() / static_cast<double>(parts);
        }
        if (train) {
            recorder_.enter(Phase::Optimizer);
            trainer.optimizer.step();
            trainer.network.dropGradients();
        }
        return loss;
    }

    void afterStep(Trainer& trainer, int index, double loss) {
        if (!std::isfinite(loss) && !warned_) {
            warned_ = true;
            announcer_.say(wire::Warning{fmt::format(
                "the loss is not a finite number since step {}; a smaller learning rate may help", index)});
        }
        if (samples_.steps() > 0 && layerEvents_.due())
            sayLayers();
        if (!request_.previewFolder.empty() && patches_.due())
            savePatch(trainer, index);
    }

    void sayLayers() {
        const std::vector<wire::LayerCost> costs = samples_.layers(recorder_.activationBytes());
        for (std::size_t i = 0; i < costs.size(); ++i)
            announcer_.say(wire::LayerEvent{static_cast<int>(i), costs[i]});
    }

    /// One file, replaced as the run goes on: the disk does not fill, and whoever has it mapped keeps what
    /// they have.
    void savePatch(const Trainer& trainer, int index) {
        constexpr const char* kName = "patch.hwvol";
        const std::filesystem::path folder = request_.previewFolder;
        const auto written = volume::writeVolumeFile(folder / kName, trainer.data.patchVolume());
        if (!written) {
            if (!patchFailed_)
                announcer_.say(wire::Warning{"the patch could not be saved: " + written.error().message});
            patchFailed_ = true;
            return;
        }
        const volume::PatchBox& box = trainer.data.firstPatch();
        wire::PatchSaved event{(folder.filename() / kName).string(), {}, index};
        if (!request_.channels.empty())
            event.start.assign(box.start.begin(), box.start.end());
        announcer_.say(event);
    }

    /// Runs `work`; whatever ends it early becomes the result's status and failure.
    template <class Work>
    void guarded(Work work) {
        const Accounting& books = books_;
        try {
            work();
        } catch (const Cancelled&) {
            result_.status = RunStatus::Cancelled;
        } catch (const std::exception& error) {
            if (const auto refusal = books.refusal())
                fail(RunStatus::OutOfMemory, refusalText(*refusal), refusal->place, refusal->requested,
                     refusal->ledger);
            else if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
                fail(RunStatus::OutOfMemory, "the machine has no memory left", books.place(), 0,
                     books.ledger());
            else
                fail(RunStatus::Failed, "LibTorch: " + briefError(error), books.place(), 0, books.ledger());
        }
    }

    std::string layerName(int layer) const {
        return layer < 0 ? std::string() : info_.layers[static_cast<std::size_t>(layer)].name;
    }

    std::string refusalText(const Refusal& refusal) const {
        const std::string where =
            refusal.place.layer < 0 ? "" : " of layer " + layerName(refusal.place.layer);
        const std::string asked = fmt::format(
            "out of memory: {}{} asked for {} with {} in use", wire::phaseKey(refusal.place.phase), where,
            base::formatBytes(refusal.requested), base::formatBytes(refusal.ledger.total()));
        if (refusal.bySystem)
            return asked + ", and the system had no more to give this process";
        const std::string limit = request_.budget && *request_.budget <= machineMemory()
                                      ? "the budget of " + base::formatBytes(*request_.budget)
                                      : "the machine's memory of " + base::formatBytes(machineMemory());
        return asked + ", over " + limit;
    }

    void fail(RunStatus status, std::string why, const Place& place, Bytes requested, const Ledger& ledger) {
        result_.status = status;
        result_.failure = wire::Failed{
            status, std::move(why), place.step, place.phase, layerName(place.layer), requested, ledger};
    }

    void finish() {
        result_.peak = books_.peak();
        result_.peakByCategory = result_.peak.ledger;
        result_.peakAllocated = result_.peak.ledger.total();
        result_.peakRss = peakResident();
        result_.layers = samples_.layers(recorder_.activationBytes());
        result_.stepMs = samples_.stepMs();
        result_.phasesMs = samples_.phases();
        if (result_.stepMs.median > 0)
            result_.throughput =
                static_cast<double>(request_.experiment.step.batchSize) / result_.stepMs.median * 1000;
        if (!result_.losses.empty()) {
            result_.lossFirst = result_.losses.front();
            result_.lossLast = result_.losses.back();
        }
        if (samples_.steps() > 0)
            sayLayers();
        if (result_.failure)
            announcer_.say(*result_.failure);
        announcer_.say(wire::Finished{result_});
    }

    const RunRequest& request_;
    const stack::StackInfo& info_;
    Announcer& announcer_;
    Samples samples_;
    Accounting& books_;
    Recorder recorder_;
    RunResult result_;
    Rate timelines_{0.1}, layerEvents_{1}, patches_{1};
    bool warned_ = false, patchFailed_ = false;
};

base::Status checkRequest(const RunRequest& request, const stack::StackInfo& info) {
    const bool known =
        request.device == "cpu" || request.device == "cuda" || request.device.rfind("cuda:", 0) == 0;
    if (!known)
        return Error{
            fmt::format("device \"{}\": choose cpu, cuda or cuda:N", base::oneLine(request.device, 40))};
    if (request.steps < 1)
        return Error{fmt::format("steps must be at least 1, not {}", request.steps)};
    if (request.warmup < 0)
        return Error{fmt::format("warmup must be at least 0, not {}", request.warmup)};
    if (request.budget && *request.budget < 1)
        return Error{fmt::format("the budget must be at least 1 B, not {}", *request.budget)};
    if (auto status = stack::checkSupported(request.experiment, info); !status)
        return status;
    return checkVolumes(request, info);
}

void configure(const stack::Backend& backend) {
    if (backend.threads > 0)
        at::set_num_threads(static_cast<int>(backend.threads));
    at::globalContext().setUserEnabledMkldnn(backend.onednn);
    at::globalContext().setDeterministicAlgorithms(backend.deterministic, true);
}

}  // namespace

base::Result<RunResult> run(const RunRequest& request, const EventSink& sink,
                            const std::atomic<bool>& cancel) {
    const auto info = stack::inferShapes(request.experiment);
    if (!info)
        return info.error();
    if (const auto status = checkRequest(request, *info); !status)
        return status.error();
    configure(request.experiment.backend);
    Announcer announcer(sink);
    if (request.device != "cpu")
        announcer.say(wire::Warning{"this build runs on the CPU only: " + request.device + " was asked for"});
    for (const std::string& warning : dataWarnings(request))
        announcer.say(wire::Warning{warning});
    return Run(request, *info, announcer, "cpu").perform(cancel);
}

}  // namespace highwater::engine
