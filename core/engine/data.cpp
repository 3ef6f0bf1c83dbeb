#include "core/engine/data.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/engine/device.h"
#include "core/volume/statistics.h"

namespace highwater::engine {

namespace {

using stack::Normalize;
using stack::Target;
using volume::Volume;

std::int64_t below(std::mt19937_64& random, std::int64_t count) {
    return static_cast<std::int64_t>(
        (static_cast<unsigned __int128>(random()) * static_cast<std::uint64_t>(count)) >> 64);
}

/// The standard deviation of finite voxels, slice by slice.
double deviation(const Volume& v, double mean) {
    const auto& size = v.geometry().size;
    std::vector<float> slice(static_cast<std::size_t>(size[0] * size[1]));
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < size[2]; ++k) {
        volume::extractPatch(v, {0, 0, k}, {size[0], size[1], 1}, 0, slice.data());
        for (const float value : slice)
            if (std::isfinite(value))
                sum += (value - mean) * (value - mean), ++count;
    }
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

float inverse(double range) {
    return range > 0 && std::isfinite(range) ? static_cast<float>(1 / range) : 1.0F;
}

at::MemoryFormat formatOf(const stack::Shape& shape, bool channelsLast) {
    return channelsLast && shape.size() == 4   ? at::MemoryFormat::ChannelsLast
           : channelsLast && shape.size() == 5 ? at::MemoryFormat::ChannelsLast3d
                                               : at::MemoryFormat::Contiguous;
}

}  // namespace

DataSource::DataSource(const RunRequest& request, const stack::StackInfo& info, const Device& device)
    : request_(request),
      scan_(std::get_if<stack::ScanInput>(&request.experiment.input)),
      device_(device),
      classes_(info.targetClasses),
      random_(request.experiment.step.seed) {
    const stack::Step& step = request.experiment.step;
    input_ = zeroInput(info.data, at::TensorOptions(device.torch()), formatOf(info.data, step.channelsLast));
    makeTargets(info);
    const auto& spatial = info.data;
    extent_ = {spatial.back(), spatial.size() > 3 ? spatial[spatial.size() - 2] : 1,
               spatial.size() > 4 ? spatial[spatial.size() - 3] : 1};
    if (device_.cuda) {
        noise_ = defaultGenerator(device_).clone();
        noise_.set_current_seed(step.seed);
    } else if (scan_ == nullptr) {
        noise_ = at::detail::createCPUGenerator(step.seed);
    }
    makeHostSide();
    if (scan_ != nullptr)
        readChannels();
}

void DataSource::makeTargets(const stack::StackInfo& info) {
    const stack::Experiment& e = request_.experiment;
    const at::TensorOptions place(device_.torch());
    stack::Shape shape = info.data;
    if (classes_ > 0) {
        shape.erase(shape.begin() + 1);
        target_ = zeroInput(shape, place.dtype(at::kLong));
    } else if (e.loss == stack::Loss::Mse && e.target.kind != Target::Kind::Input) {
        shape[1] = 1;
        target_ = zeroInput(shape, place);
    } else if (e.loss == stack::Loss::Mse) {
        target_ = input_;
    }
    if (!e.windows)  // otherwise each window has its own
        targets_ = HeadTargets(info, target_);
}

void DataSource::makeHostSide() {
    const bool dense = input_.is_contiguous();
    if (!device_.cuda && dense)
        hostInput_ = input_;
    if (!device_.cuda)
        hostTarget_ = target_;
    if (scan_ == nullptr)
        return;
    if (!dense)
        hostInput_ = ordered_ = at::zeros(input_.sizes());
    if (!device_.cuda)
        return;
    std::vector<at::Tensor> staged{input_};
    const bool fromScan = request_.experiment.target.kind == Target::Kind::Threshold ||
                          request_.experiment.target.kind == Target::Kind::Labels;
    if (target_.defined() && fromScan)
        staged.push_back(target_);
    staging_ = std::make_unique<Staging>(std::move(staged), request_.experiment.data.pinned);
}

void DataSource::readChannels() {
    const Normalize& n = scan_->normalize;
    for (const Volume& v : request_.channels) {
        const volume::Header& h = v.header();
        Channel channel;
        channel.outside = static_cast<float>(h.min);
        if (n.kind == Normalize::Kind::Zscore)
            channel.offset = static_cast<float>(h.mean), channel.scale = inverse(deviation(v, h.mean));
        else if (n.kind == Normalize::Kind::Minmax)
            channel.offset = static_cast<float>(h.min), channel.scale = inverse(h.max - h.min);
        else if (n.kind == Normalize::Kind::Window)
            channel = {static_cast<float>(n.low), inverse(n.high - n.low), true, channel.outside};
        channels_.push_back(channel);
    }
    if (scan_->sampling == stack::ScanInput::Sampling::Foreground)
        foreground_ = needsLabels(request_) ? 0.5 : volume::histogram(request_.channels[0]).otsu();
    scratch_.resize(static_cast<std::size_t>(extent_[0] * extent_[1] * extent_[2]));
}

void DataSource::next() {
    if (scan_ == nullptr)
        input_.normal_(0, 1, noise_);
    else
        fillFromScan();
    if (!target_.defined())
        return;
    const Target& target = request_.experiment.target;
    if (target.kind == Target::Kind::Classes)
        fillRandomLabels(classes_ > 0 ? classes_ : target.classes);
    else if (target.kind == Target::Kind::Threshold && scan_ == nullptr)
        thresholdNoise();
    targets_.sample();
}

void DataSource::fillFromScan() {
    const std::vector<at::Tensor>* const staged = staging_ ? &staging_->next() : nullptr;
    if (staged != nullptr && !ordered_.defined())
        hostInput_ = staged->front();
    if (staged != nullptr && staged->size() > 1)
        hostTarget_ = staged->back();
    for (std::int64_t sample = 0; sample < input_.size(0); ++sample)
        fillScanSample(sample);
    if (ordered_.defined()) {
        at::Tensor batch = staged != nullptr ? staged->front() : input_;
        batch.copy_(ordered_);
    }
    if (staging_)
        staging_->send();
}

void DataSource::setLabel(std::int64_t index, std::int64_t label) {
    if (classes_ > 0)
        hostTarget_.data_ptr<std::int64_t>()[index] = label;
    else
        hostTarget_.data_ptr<float>()[index] = static_cast<float>(label);
}

void DataSource::fillRandomLabels(std::int64_t classes) {
    if (device_.cuda) {
        target_.random_(0, classes, noise_);
        return;
    }
    for (std::int64_t i = 0; i < target_.numel(); ++i)
        setLabel(i, below(random_, classes));
}

void DataSource::thresholdNoise() {
    if (!hostInput_.defined()) {
        at::ge_out(target_, classes_ > 0 ? input_.select(1, 0) : input_.narrow(1, 0, 1),
                   request_.experiment.target.threshold);
        return;
    }
    for (std::int64_t sample = 0; sample < input_.size(0); ++sample)
        fillLabels(sample, {});
}

volume::PatchBox DataSource::draw() {
    const Volume& first = request_.channels[0];
    if (scan_->sampling == stack::ScanInput::Sampling::Foreground)
        return volume::randomForegroundPatch(needsLabels(request_) ? *request_.labels : first, extent_,
                                             foreground_, random_);
    return volume::randomPatch(first.geometry().size, extent_, random_);
}

void DataSource::fillScanSample(std::int64_t sample) {
    const volume::PatchBox box = draw();
    if (sample == 0)
        firstPatch_ = box;
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    float* out = hostInput_.data_ptr<float>() + sample * voxels * input_.size(1);
    for (std::size_t c = 0; c < channels_.size(); ++c, out += voxels) {
        const Channel& channel = channels_[c];
        volume::extractPatch(request_.channels[c], box.start, box.extent, channel.outside, out);
        if (c == 0)
            fillLabels(sample, box);
        for (std::int64_t i = 0; i < voxels; ++i) {
            const float value = (out[i] - channel.offset) * channel.scale;
            out[i] = !std::isfinite(value) ? 0 : channel.clamp ? std::clamp(value, 0.0F, 1.0F) : value;
        }
    }
}

/// Called while the first channel still has the scan's own values.
void DataSource::fillLabels(std::int64_t sample, const volume::PatchBox& box) {
    const Target& target = request_.experiment.target;
    if (!target_.defined() || (target.kind != Target::Kind::Threshold && target.kind != Target::Kind::Labels))
        return;
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    const float* labels = hostInput_.data_ptr<float>() + sample * voxels * input_.size(1);
    if (target.kind == Target::Kind::Labels) {
        volume::extractPatch(*request_.labels, box.start, box.extent, 0, scratch_.data());
        labels = scratch_.data();
    }
    const auto limit = static_cast<float>(target.threshold);
    for (std::int64_t i = 0; i < voxels; ++i) {
        const float value = labels[i];
        const std::int64_t label = target.kind == Target::Kind::Threshold ? value >= limit
                                   : std::isfinite(value)                 ? std::llround(value)
                                                                          : 0;
        setLabel(sample * voxels + i, label);
    }
}

Volume DataSource::patchVolume() const {
    const auto voxels = static_cast<std::size_t>(extent_[0] * extent_[1] * extent_[2]);
    // A whole sample has no gaps, in whatever order: it comes back without memory on the device.
    const at::Tensor first =
        (hostInput_.defined() ? hostInput_ : input_).select(0, 0).to(at::kCPU).select(0, 0).contiguous();
    const auto values =
        std::make_shared<std::vector<float>>(first.data_ptr<float>(), first.data_ptr<float>() + voxels);
    volume::Header header;
    if (scan_ != nullptr)
        header.geometry = request_.channels[0].geometry();
    header.format = "patch";
    header.pixelType = "float32";
    header.type = volume::VoxelType::F32;
    header.spacingKnown = scan_ != nullptr && request_.channels[0].header().spacingKnown;
    header.geometry.size = extent_;
    if (scan_ != nullptr) {
        std::array<double, 3> corner{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            corner[axis] = static_cast<double>(firstPatch_.start[axis]);
        header.geometry.origin = request_.channels[0].geometry().toMillimetres(corner);
    }
    const auto [low, high] = std::minmax_element(values->begin(), values->end());
    header.min = *low;
    header.max = *high;
    double sum = 0;
    for (const float value : *values)
        sum += value;
    header.mean = sum / static_cast<double>(voxels);
    return {header,
            std::shared_ptr<const std::byte>(values, reinterpret_cast<const std::byte*>(values->data()))};
}

}  // namespace highwater::engine
