#include "core/engine/step/trainer.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <exception>
#include <functional>
#include <numeric>
#include <utility>

#include "core/engine/step/losses.h"
#include "core/step/training.h"

namespace highwater::engine {

namespace {

std::int64_t product(const stack::Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::optional<Windowed> makeWindowed(const stack::Experiment& e, const stack::StackInfo& info,
                                     const DataSource& data) {
    if (!e.windows) {
        return std::nullopt;
    }
    return std::make_optional<Windowed>(e, info, data, e.step.batchSize / e.step.microBatches);
}

/// From here on this rank uses its own random numbers.
std::unique_ptr<DataParallel> joinRanks(const RunRequest& request, const Network& network) {
    if (!request.ranks) {
        return nullptr;
    }
    auto made = std::make_unique<DataParallel>(*request.ranks->link, network.parameters(), network.buffers(),
                                               request.ranks->gradientAsBucketView);
    at::manual_seed(request.experiment.step.seed);
    return made;
}

}  // namespace

// On a lost device, LibTorch throws when pinned memory that a stream has used is freed: the memory is leaked.
StepLoss::~StepLoss() {
    if (!coming_.empty() && std::uncaught_exceptions() > 0 && deviceIsLost(device_)) {
        static_cast<void>(new std::vector<at::Tensor>(std::move(coming_)));
    }
}

void StepLoss::add(const at::Tensor& loss) {
    ++count_;
    if (!loss.is_cuda()) {
        sum_ += loss.item<double>();
        return;
    }
    const c10::AutoGradMode noGraph(false);
    at::Tensor here = at::empty({}, at::TensorOptions().dtype(loss.scalar_type()).pinned_memory(true));
    here.copy_(loss.detach(), true);
    coming_.push_back(std::move(here));
    device_ = {true, static_cast<int>(loss.get_device())};
}

double StepLoss::mean() const {
    double sum = sum_;
    for (const at::Tensor& loss : coming_) {
        sum += loss.item<double>();
    }
    return count_ > 0 ? sum / static_cast<double>(count_) : 0;
}

Trainer::Trainer(const RunRequest& request, const stack::StackInfo& info, const Device& device,
                 Recorder& recorder, Accounting& books)
    : experiment_(request.experiment),
      info_(info),
      recorder_(recorder),
      program_(makeProgram(experiment_, info)),
      network_(program_, info, books, device, experiment_.step.channelsLast,
               modelType(experiment_.step.precision)),
      ranks_(joinRanks(request, network_)),
      data_(request, info, device, [&books] { books.checkCancel(); }),
      windowed_(makeWindowed(experiment_, info, data_)),
      precision_(experiment_.step.precision, device),
      optimizer_(experiment_.optimizer, network_.parameters()),
      executor_(program_, network_, recorder, books, experiment_.step.train, device, &precision_) {}

/// The model's input, in its type, and the loss's target; new tensors count as input.
TrainingPart Trainer::asRead(TrainingPart part) const {
    const at::ScalarType type = modelType(experiment_.step.precision);
    const bool soft = experiment_.step.softTargets;
    if (type == at::kFloat && !soft) {
        return part;
    }
    const c10::AutoGradMode noGraph(false);
    const auto converted = [&](const at::Tensor& tensor) {
        if (!tensor.defined() || !tensor.is_floating_point() || tensor.scalar_type() == type) {
            return tensor;
        }
        at::Tensor made = tensor.to(type);
        retag(made, Category::Input);
        return made;
    };
    const at::Tensor given = part.input;
    part.input = converted(given);
    for (at::Tensor& target : part.targets) {
        if (soft) {
            target = softTarget(target, info_.targetClasses, type);
            retag(target, Category::Input);
        } else {
            target = target.is_same(given) ? part.input : converted(target);
        }
    }
    return part;
}

Trainer::Backend::Part Trainer::Backend::microBatch(std::int64_t first, std::int64_t samples) const {
    const DataSource& data = trainer_.data_;
    const auto slice = [&](const at::Tensor& t) {
        return !t.defined() || t.size(0) == samples ? t : t.narrow(0, first, samples);
    };
    Part part{slice(data.input()), data.targets()};
    for (at::Tensor& target : part.targets) {
        target = slice(target);
    }
    return trainer_.asRead(std::move(part));
}

Trainer::Backend::Part Trainer::Backend::window(std::int64_t first, std::int64_t number) {
    Windowed& windowed = *trainer_.windowed_;
    windowed.select(first, number);
    return trainer_.asRead({windowed.input(), windowed.targets()});
}

at::Tensor Trainer::Backend::jointLoss(std::vector<at::Tensor> outputs,
                                       const std::vector<at::Tensor>& targets) const {
    return computeLoss(trainer_.experiment_.loss, std::move(outputs), targets, trainer_.program_.weights);
}

void Trainer::Backend::update() {
    MixedPrecision& precision = trainer_.precision_;
    if (precision.unscale(trainer_.network_.parameters())) {
        if (trainer_.experiment_.step.clipGradients > 0) {
            clipGradients(trainer_.network_.parameters(), trainer_.experiment_.step.clipGradients);
        }
        trainer_.optimizer_.step();
    }
    precision.update();
    if (trainer_.experiment_.step.keepGradients) {
        trainer_.network_.zeroGradients();
    } else {
        trainer_.network_.dropGradients();
    }
}

StepLoss Trainer::pass() {
    StepLoss loss;
    Backend backend(*this, loss);
    step::runStep(experiment_.step, executor_, backend);
    return loss;
}

std::vector<std::vector<Bytes>> Trainer::resultSizes() const {
    std::vector<std::vector<Bytes>> sizes(info_.layers.size());
    const std::int64_t parts = experiment_.step.microBatches;
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
        const ProgramStep& step = program_.steps[i];
        const stack::LayerInfo& layer = info_.layers[static_cast<std::size_t>(step.layer)];
        std::vector<std::int64_t> elements{product(layer.input) / parts, product(layer.output) / parts};
        const std::vector<at::Tensor>& parameters = network_.tensors(static_cast<int>(i)).parameters;
        for (const at::Tensor& parameter : parameters) {
            elements.push_back(parameter.numel());
        }
        if (const auto* const separable =
                std::get_if<stack::SeparableConv>(step.op)) {  // the intermediate tensor
            elements.push_back(product(layer.output) / layer.output[1] * layer.input[1] *
                               separable->depthMultiplier / parts);
        }
        if (const auto* const custom =
                std::get_if<stack::CustomConv>(step.op)) {  // the intermediate tensor; the gradient of K
            elements.push_back(product(layer.input) / layer.input[1] * custom->transformChannels / parts);
            elements.push_back(network_.tensors(static_cast<int>(i)).kernel.numel() * layer.input[1]);
        }
        for (const std::int64_t count : elements) {
            for (const Bytes bytes : {2, 4}) {
                sizes[static_cast<std::size_t>(step.layer)].push_back(count * bytes);
            }
        }
    }
    return sizes;
}

void Trainer::abandon() {
    executor_.abandon();
    if (!experiment_.step.keepGradients) {
        network_.dropGradients();
    }
}

}  // namespace highwater::engine
