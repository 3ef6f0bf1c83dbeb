#include "tests/gpu/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/statistics.h"

namespace highwater::reference {

namespace {

using base::Bytes;
using base::Error;
/// cuDNN's answers; `alone`: used in place of all measurements.
struct Answers {
    std::shared_ptr<const predict::AskedTable> table;
    bool alone = false;
};

std::string version(const wire::Environment& environment, const char* name) {
    const auto at = environment.versions.find(name);
    return at == environment.versions.end() ? "" : at->second;
}

/// The device that the file was measured on, independent of this machine.
base::Result<predict::Target> gpuOf(const File& file, const stack::Experiment& experiment) {
    predict::GpuPresent gpu;
    gpu.name = file.environment.deviceName;
    gpu.memory = file.environment.memoryBytes;
    gpu.architecture = file.environment.architecture;
    const auto torch = predict::parseTorchVersion(version(file.environment, "libtorch"));
    if (!torch) {
        return torch.error();
    }
    gpu.libtorch = *torch;
    if (const std::string text = version(file.environment, "cudnn"); !text.empty()) {
        const auto cudnn = predict::parseCudnnVersion(text);
        if (!cudnn) {
            return cudnn.error();
        }
        gpu.cudnn = *cudnn;
    }
    return predict::gpuTarget(gpu, experiment);
}

base::Result<predict::Target> cpuOf(const File& file, const stack::Experiment& experiment,
                                    const wire::Environment& environment) {
    predict::Target target;
    target.memory = file.environment.memoryBytes;
    target.cpu = {version(file.environment, "libtorch"),
                  experiment.backend.onednn ? version(file.environment, "onednn") : "off", environment.isa,
                  environment.threads};
    auto table = predict::loadCalibration(target.cpu, predict::calibrationFolders());
    if (!table) {
        return table.error();
    }
    target.calibration = std::make_shared<predict::Calibration>(std::move(*table));
    return target;
}

struct Asked {
    stack::Experiment experiment;
    stack::StackInfo info;
    predict::Target target;
};

base::Result<Asked> ask(const File& file, const stack::Experiment& experiment,
                        const wire::Environment& environment, const Answers& answers) {
    Asked asked{experiment, {}, {}};
    if (file.kind == Kind::Standin) {
        asked.experiment.backend.workspaceLimit = 0;
    }
    auto info = stack::inferShapes(asked.experiment);
    if (!info) {
        return info.error();
    }
    auto target =
        file.kind == Kind::Cpu ? cpuOf(file, asked.experiment, environment) : gpuOf(file, asked.experiment);
    if (!target) {
        return target.error();
    }
    if (answers.table) {
        target->asked = answers.table;
    }
    if (answers.alone) {
        target->gpuTable = nullptr;
    }
    asked.info = std::move(*info);
    asked.target = std::move(*target);
    return asked;
}

bool isCalibrated(const predict::Target& target) {
    return target.gpu ? target.gpuTable && target.gpuTable->size() > 0
                      : target.calibration && target.calibration->size() > 0;
}

base::Result<Compared> compareOne(const File& file, const Measured& measured, const Answers& answers) {
    const wire::RunResult& result = *measured.result;
    const auto asked = ask(file, measured.experiment, result.environment, answers);
    if (!asked) {
        return asked.error();
    }
    predict::PredictOptions options;
    options.timeline = false;
    const auto prediction = predict::predict(asked->experiment, asked->info, asked->target, options);
    if (!prediction) {
        return prediction.error();
    }
    Compared compared;
    compared.name = measured.name;
    compared.family = measured.family;
    compared.allocated = result.peakAllocated;
    compared.reserved = result.peakReserved;
    compared.predictedAllocated = prediction->peakAllocated;
    compared.predictedReserved = prediction->peakReserved;
    compared.ledger = result.peakByCategory;
    compared.predictedLedger = prediction->peakByCategory;
    compared.stepMs = result.stepMs.median;
    compared.predictedMs = prediction->stepMs;
    compared.exact = prediction->withoutRow == 0;
    compared.calibrated = isCalibrated(asked->target);
    return compared;
}

/// Whether it is more likely than not that the experiment does not run within the budget. A budget limits the
/// memory reserved by the allocator, without context and other programs.
base::Result<bool> runsOut(const File& file, const Rung& rung, const Answers& answers) {
    auto asked = ask(file, rung.experiment, file.environment, answers);
    if (!asked) {
        return asked.error();
    }
    predict::Target& target = asked->target;
    target.memory = rung.budget;
    if (target.gpu) {
        target.gpu->memory = rung.budget;
        target.gpu->memorySource = predict::DeviceProfile::Source::Measured;
        target.gpu->context = {};
        target.others = 0;
    }
    predict::PredictOptions options;
    options.timeline = options.time = false;
    const auto prediction = predict::predict(asked->experiment, asked->info, target, options);
    if (!prediction) {
        return prediction.error();
    }
    return prediction->oomProbability > 0.5;
}

double relative(Bytes predicted, Bytes measured) {
    return measured > 0 ? static_cast<double>(predicted - measured) / static_cast<double>(measured) : 0;
}

/// A smaller underestimate would not be noticed by anyone.
constexpr double kUnder = 0.001;

double quantile(std::vector<double> values, double share) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::ceil(at))];
}

base::Result<Answers> answersFor(const File& file, const std::filesystem::path& folder) {
    if (file.experiments.empty()) {
        return Error{file.name + " holds no experiment"};
    }
    const auto target = gpuOf(file, file.experiments.front().experiment);
    if (!target) {
        return Error{file.name + ": " + target.error().message};
    }
    const auto profile = predict::loadProfile(target->gpu->id);
    if (!profile) {
        return profile.error();
    }
    const std::filesystem::path folders[] = {folder};
    return Answers{std::make_shared<const predict::AskedTable>(
                       predict::loadAskedTable(predict::askedKey(*profile, target->versions.cudnn), folders)),
                   false};
}

base::Result<Comparison> compareWith(const File& file, const Answers& answers) {
    Comparison comparison;
    comparison.file = file.name;
    comparison.kind = file.kind;
    comparison.environment = file.environment;
    comparison.when = file.when;
    comparison.oom = file.oom;
    comparison.overhead = file.overhead;
    for (const Measured& measured : file.experiments) {
        if (!measured.result || measured.result->status != wire::RunStatus::Done) {
            ++comparison.notRun;
            continue;
        }
        auto compared = compareOne(file, measured, answers);
        if (compared) {
            comparison.calibrated = comparison.calibrated || compared->calibrated;
            comparison.experiments.push_back(std::move(*compared));
        } else {
            comparison.refused.push_back(measured.name + ": " + compared.error().message);
        }
    }
    for (const Rung& rung : file.ladder) {
        const auto predicted = runsOut(file, rung, answers);
        if (predicted) {
            comparison.ladder.push_back({rung.name, rung.outOfMemory, *predicted});
        } else {
            comparison.refused.push_back(rung.name + ": " + predicted.error().message);
        }
    }
    if (comparison.experiments.empty() && !comparison.refused.empty()) {
        return Error{file.name +
                     ": nothing of it can be predicted; the first: " + comparison.refused.front()};
    }
    return comparison;
}

}  // namespace

double Compared::allocatedError() const {
    return relative(predictedAllocated.expected, allocated);
}
double Compared::reservedError() const {
    return relative(predictedReserved.expected, reserved);
}

base::Result<Comparison> compare(const File& file, const std::filesystem::path& answers) {
    auto found = file.kind == Kind::Gpu && !answers.empty() ? answersFor(file, answers)
                                                            : base::Result<Answers>(Answers());
    return found ? compareWith(file, *found) : base::Result<Comparison>(found.error());
}

base::Result<Comparison> compareAsked(const File& file, const std::filesystem::path& answers) {
    auto found = answersFor(file, answers);
    if (!found) {
        return found.error();
    }
    if (found->table->size() == 0) {
        return Error{
            fmt::format("{}: {} has no answers of its cuDNN about its GPU; docs/make-gpu-accuracy asks",
                        file.name, answers.string())};
    }
    found->alone = true;
    auto comparison = compareWith(file, *found);
    if (comparison) {
        comparison->asked = true;
    }
    return comparison;
}

base::Result<std::vector<predict::Prediction>> predictUnanswered(const File& file) {
    std::vector<predict::Prediction> predictions;
    const auto add = [&](const std::string& name, const stack::Experiment& experiment) -> base::Status {
        const auto asked =
            ask(file, experiment, file.environment, {std::make_shared<const predict::AskedTable>(), true});
        auto prediction = asked ? predict::predict(asked->experiment, asked->info, asked->target)
                                : base::Result<predict::Prediction>(asked.error());
        if (!prediction) {
            return Error{name + ": " + prediction.error().message};
        }
        predictions.push_back(std::move(*prediction));
        return {};
    };
    for (const Measured& measured : file.experiments) {
        if (const auto status = add(measured.name, measured.experiment); !status) {
            return status.error();
        }
    }
    for (const Rung& rung : file.ladder) {
        if (const auto status = add(rung.name, rung.experiment); !status) {
            return status.error();
        }
    }
    return predictions;
}

Figures figuresOf(const Comparison& comparison, Quantity quantity, const std::string& family) {
    std::vector<double> errors;
    std::size_t under = 0;
    for (const Compared& each : comparison.experiments) {
        if (!family.empty() && each.family != family) {
            continue;
        }
        if (quantity == Quantity::Reserved && each.reserved == 0) {
            continue;
        }
        const double error = quantity == Quantity::Allocated ? each.allocatedError() : each.reservedError();
        errors.push_back(100 * std::abs(error));
        under += error < -kUnder ? 1 : 0;
    }
    if (errors.empty()) {
        return {};
    }
    return {errors.size(), base::median(errors), quantile(errors, 0.95), quantile(errors, 1),
            100 * static_cast<double>(under) / static_cast<double>(errors.size())};
}

double rightlyPredicted(const Comparison& comparison) {
    if (comparison.ladder.empty()) {
        return 0;
    }
    const auto right =
        std::count_if(comparison.ladder.begin(), comparison.ladder.end(),
                      [](const LadderStep& step) { return step.outOfMemory == step.predicted; });
    return 100 * static_cast<double>(right) / static_cast<double>(comparison.ladder.size());
}

}  // namespace highwater::reference
