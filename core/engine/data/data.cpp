#include "core/engine/data/data.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "core/engine/data/patch_volume.h"
#include "core/volume/uniform.h"

namespace highwater::engine {

namespace {

using stack::Target;

at::MemoryFormat formatOf(const stack::Shape& shape, bool channelsLast) {
    return channelsLast && shape.size() == 4   ? at::MemoryFormat::ChannelsLast
           : channelsLast && shape.size() == 5 ? at::MemoryFormat::ChannelsLast3d
                                               : at::MemoryFormat::Contiguous;
}

/// Copies sample `source` of one batch to sample `place` of another. Both are contiguous and have the same
/// shape except for the first axis.
void copySample(const at::Tensor& from, std::int64_t source, const at::Tensor& to, std::int64_t place) {
    const std::size_t bytes = from.nbytes() / static_cast<std::size_t>(from.size(0));
    std::memcpy(static_cast<char*>(to.data_ptr()) + static_cast<std::size_t>(place) * bytes,
                static_cast<const char*>(from.data_ptr()) + static_cast<std::size_t>(source) * bytes, bytes);
}

}  // namespace

DataSource::DataSource(const RunRequest& request, const stack::StackInfo& info, const Device& device,
                       std::function<void()> check)
    : request_(request),
      scan_(std::get_if<stack::ScanInput>(&request.experiment.input)),
      device_(device),
      check_(std::move(check)),
      classes_(info.targetClasses),
      plan_(stack::dataPlan(request.experiment, info, device.cuda)),
      maker_(request, info, [this](double ms) { waitHere(ms); }),
      labels_(request.experiment.step.seed) {
    const stack::Step& step = request.experiment.step;
    input_ = zeroInput(info.data, at::TensorOptions(device.torch()), formatOf(info.data, step.channelsLast));
    makeTargets(info);
    makeGenerator();
    makeHostSide();
    startWorkers();
}

void DataSource::makeTargets(const stack::StackInfo& info) {
    if (plan_.targetIsInput) {
        target_ = input_;
    } else if (!plan_.target.empty()) {
        target_ =
            zeroInput(plan_.target,
                      at::TensorOptions(device_.torch()).dtype(plan_.classLabels ? at::kLong : at::kFloat));
    }
    if (!request_.experiment.windows) {  // otherwise each window has its own
        targets_ = HeadTargets(info, target_);
    }
}

void DataSource::makeGenerator() {
    const std::uint64_t seed = request_.experiment.step.seed;
    if (scan_ == nullptr && plan_.onHost) {
        noise_ = at::detail::createCPUGenerator(seed);
    }
    if (!device_.cuda) {
        return;
    }
    drawnThere_ = defaultGenerator(device_).clone();
    drawnThere_.set_current_seed(seed);
}

void DataSource::makeHostSide() {
    const bool dense = input_.is_contiguous();
    if (!device_.cuda && dense) {
        hostInput_ = input_;
    }
    if (!device_.cuda) {
        hostTarget_ = target_;
    }
    if (!plan_.onHost) {
        return;
    }
    if (!dense) {
        hostInput_ = ordered_ = at::zeros(input_.sizes());
    }
    if (!device_.cuda) {
        return;
    }
    std::vector<at::Tensor> staged{input_};
    if (plan_.madeTarget) {
        staged.push_back(target_);
    }
    staging_ = std::make_unique<Staging>(std::move(staged), request_.experiment.data.pinned);
}

void DataSource::startWorkers() {
    const auto make = [](const stack::Shape& shape, at::ScalarType type) {
        return shape.empty() ? at::Tensor() : zeroInput(shape, at::TensorOptions().dtype(type));
    };
    noiseBatch_ = make(plan_.noise, at::kFloat);
    ringInput_ = make(plan_.ringInput, at::kFloat);
    ringTarget_ = make(plan_.ringTarget, plan_.classLabels ? at::kLong : at::kFloat);
    scratch_ = make(plan_.scratch, at::kFloat);
    if (!ringInput_.defined()) {
        return;
    }
    places_.resize(static_cast<std::size_t>(ringInput_.size(0)));
    Prefetcher::Work work;
    if (noiseBatch_.defined()) {
        work.begin = [this](std::int64_t sample, std::size_t slot) {
            const std::int64_t place = sample % noiseBatch_.size(0);
            if (place == 0) {
                drawNoise(noiseBatch_);
            }
            copySample(noiseBatch_, place, ringInput_, static_cast<std::int64_t>(slot));
        };
    }
    work.make = [this](std::int64_t sample, std::size_t slot, std::size_t worker, const Wait& wait) {
        places_[slot] = maker_.make(
            sample, memoryOf(ringInput_, ringTarget_, static_cast<std::int64_t>(slot), worker), wait);
    };
    prefetcher_ = std::make_unique<Prefetcher>(static_cast<std::size_t>(request_.experiment.data.workers),
                                               places_.size(), std::move(work));
}

SampleMemory DataSource::memoryOf(const at::Tensor& input, const at::Tensor& target, std::int64_t sample,
                                  std::size_t maker) const {
    const std::int64_t voxels = input.numel() / input.size(0) / input.size(1);
    SampleMemory memory;
    memory.input = input.data_ptr<float>() + sample * voxels * input.size(1);
    if (plan_.madeTarget && plan_.classLabels) {
        memory.classes = target.data_ptr<std::int64_t>() + sample * voxels;
    } else if (plan_.madeTarget) {
        memory.values = target.data_ptr<float>() + sample * voxels;
    }
    if (scratch_.defined()) {
        memory.scratch = scratch_.data_ptr<float>() + static_cast<std::int64_t>(maker) * scratch_.size(1);
    }
    return memory;
}

void DataSource::next() {
    if (plan_.onHost) {
        fillOnHost();
    } else {
        input_.normal_(0, 1, drawnThere_);
    }
    if (!target_.defined()) {
        return;
    }
    const Target& target = request_.experiment.target;
    if (target.kind == Target::Kind::Classes) {
        fillRandomLabels(classes_ > 0 ? classes_ : target.classes);
    } else if (target.kind == Target::Kind::Threshold && !plan_.onHost) {
        at::ge_out(target_, classes_ > 0 ? input_.select(1, 0) : input_.narrow(1, 0, 1), target.threshold);
    }
    targets_.sample();
}

void DataSource::stop() {
    if (prefetcher_) {
        prefetcher_->stop();
    }
}

void DataSource::fillOnHost() {
    const std::vector<at::Tensor>* const staged = staging_ ? &staging_->next() : nullptr;
    if (staged != nullptr && !ordered_.defined()) {
        hostInput_ = staged->front();
    }
    if (staged != nullptr && staged->size() > 1) {
        hostTarget_ = staged->back();
    }
    if (prefetcher_) {
        takeSamples();
    } else {
        makeSamples();
    }
    if (ordered_.defined()) {
        at::Tensor batch = staged != nullptr ? staged->front() : input_;
        batch.copy_(ordered_);
    }
    if (staging_) {
        staging_->send();
    }
}

/// Makes the batch's samples on the calling thread.
void DataSource::makeSamples() {
    if (scan_ == nullptr) {
        drawNoise(hostInput_);
    }
    for (std::int64_t sample = 0; sample < hostInput_.size(0); ++sample) {
        const SamplePlace place = maker_.make(made_++, memoryOf(hostInput_, hostTarget_, sample, 0),
                                              [this](double ms) { waitHere(ms); });
        if (sample == 0) {
            first_ = place;
        }
    }
}

void DataSource::takeSamples() {
    const auto check = [this] { waitHere(0); };
    for (std::int64_t sample = 0; sample < hostInput_.size(0); ++sample) {
        const std::size_t slot = prefetcher_->take(check);
        copySample(ringInput_, static_cast<std::int64_t>(slot), hostInput_, sample);
        if (ringTarget_.defined()) {
            copySample(ringTarget_, static_cast<std::int64_t>(slot), hostTarget_, sample);
        }
        if (sample == 0) {
            first_ = places_[slot];
        }
        prefetcher_->giveBack();
    }
}

void DataSource::drawNoise(at::Tensor& batch) {
    const c10::AutoGradMode noGraph(false);
    batch.normal_(0, 1, noise_);
}

void DataSource::waitHere(double ms) const {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::duration<double, std::milli> kLook{20};
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double, std::milli>(ms));
    for (;;) {
        if (check_) {
            check_();
        }
        const std::chrono::duration<double, std::milli> left = end - Clock::now();
        if (left.count() <= 0) {
            return;
        }
        std::this_thread::sleep_for(std::min(left, kLook));
    }
}

void DataSource::fillRandomLabels(std::int64_t classes) {
    if (device_.cuda) {
        target_.random_(0, classes, drawnThere_);
        return;
    }
    const auto fill = [&]<class T>(T* labels) {
        for (std::int64_t i = 0; i < target_.numel(); ++i) {
            labels[i] = static_cast<T>(volume::below(labels_, classes));
        }
    };
    if (classes_ > 0) {
        fill(target_.data_ptr<std::int64_t>());
    } else {
        fill(target_.data_ptr<float>());
    }
}

volume::Volume DataSource::patchVolume() const {
    const volume::Index3& extent = maker_.extent();
    const auto voxels = static_cast<std::size_t>(extent[0] * extent[1] * extent[2]);
    // A whole sample is dense in any memory format, so the copy to the host allocates nothing on the device.
    const at::Tensor first =
        (hostInput_.defined() ? hostInput_ : input_).select(0, 0).to(at::kCPU).select(0, 0).contiguous();
    std::vector<float> values(first.data_ptr<float>(), first.data_ptr<float>() + voxels);
    return engine::patchVolume(maker_.scanOf(first_.theCase), {first_.box.start, extent}, std::move(values));
}

}  // namespace highwater::engine
