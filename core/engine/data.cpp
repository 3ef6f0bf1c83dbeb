#include "core/engine/data.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/engine/allocator.h"
#include "core/volume/statistics.h"

namespace highwater::engine {

namespace {

using base::Error;
using stack::Normalize;
using stack::Target;
using volume::Volume;

std::int64_t below(std::mt19937_64& random, std::int64_t count) {
    return static_cast<std::int64_t>(
        (static_cast<unsigned __int128>(random()) * static_cast<std::uint64_t>(count)) >> 64);
}

std::string sizeText(const Volume& v) {
    const auto& size = v.geometry().size;
    return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

bool needsLabels(const RunRequest& request) {
    return request.experiment.target.kind == Target::Kind::Labels &&
           request.experiment.loss != stack::Loss::Mean;
}

base::Status checkLabels(const RunRequest& request, const stack::StackInfo& info) {
    if (!request.labels)
        return Error{"/target/labels: the label map was not handed over with the scan"};
    const volume::Header& header = request.labels->header();
    if (header.geometry.size != request.channels[0].geometry().size)
        return Error{
            fmt::format("/target/labels: the label map has {} voxels, the scan {}; they must be equal",
                        sizeText(*request.labels), sizeText(request.channels[0]))};
    const auto classes = static_cast<double>(info.targetClasses);
    if (info.targetClasses > 0 && (header.min < 0 || header.max > classes - 1))
        return Error{
            fmt::format("/target/labels: labels reach from {:g} to {:g}, but the stack's output has {} "
                        "channels; labels must be 0 to {}",
                        header.min, header.max, info.targetClasses, info.targetClasses - 1)};
    return {};
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

/// Memory for the target at a head's size: the target itself where that is its own.
at::Tensor targetOfSize(const at::Tensor& target, const stack::Shape& head) {
    if (!target.defined())
        return target;
    stack::Shape shape = target.sizes().vec();
    std::copy(head.begin() + 2, head.end(), shape.end() - static_cast<std::ptrdiff_t>(head.size() - 2));
    if (target.sizes() == at::IntArrayRef(shape))
        return target;
    at::Tensor made = at::zeros(shape, target.options());
    retag(made, Category::Input);
    return made;
}

/// Where output place i of `to` lies among `from` places: the centre's, as nearest-exact of PyTorch.
std::int64_t nearest(std::int64_t i, std::int64_t from, std::int64_t to) {
    return (2 * i + 1) * from / (2 * to);
}

/// The last `dims` axes sampled by nearest neighbour; the ones before are equal.
template <class T>
void sample(const at::Tensor& from, const at::Tensor& to, std::int64_t dims) {
    std::array<std::int64_t, 3> in{1, 1, 1}, out{1, 1, 1};
    for (std::int64_t axis = 1; axis <= dims; ++axis) {
        in[static_cast<std::size_t>(3 - axis)] = from.size(-axis);
        out[static_cast<std::size_t>(3 - axis)] = to.size(-axis);
    }
    const std::int64_t each = in[0] * in[1] * in[2], count = from.numel() / each;
    const T* source = from.data_ptr<T>();
    T* target = to.data_ptr<T>();
    for (std::int64_t n = 0; n < count; ++n, source += each)
        for (std::int64_t z = 0; z < out[0]; ++z)
            for (std::int64_t y = 0; y < out[1]; ++y) {
                const T* const row =
                    source + (nearest(z, in[0], out[0]) * in[1] + nearest(y, in[1], out[1])) * in[2];
                for (std::int64_t x = 0; x < out[2]; ++x)
                    *target++ = row[nearest(x, in[2], out[2])];
            }
}

}  // namespace

base::Status checkVolumes(const RunRequest& request, const stack::StackInfo& info) {
    const auto* const scan = std::get_if<stack::ScanInput>(&request.experiment.input);
    if (scan == nullptr)
        return {};
    const auto wanted = static_cast<std::size_t>(info.input[1]);
    if (request.channels.size() != wanted)
        return Error{fmt::format("/input/scan: {} volume{} handed over, the experiment has {}",
                                 request.channels.size(), request.channels.size() == 1 ? " was" : "s were",
                                 wanted)};
    for (const Volume& channel : request.channels) {
        if (channel.empty() || channel.header().channels != 1)
            return Error{"/input/scan: each scan must have one value a voxel; a colour image has several"};
        if (channel.geometry().size != request.channels[0].geometry().size)
            return Error{fmt::format("/input/scan: channels must have equal sizes, not {} and {} voxels",
                                     sizeText(request.channels[0]), sizeText(channel))};
        if (!std::isfinite(channel.header().mean))
            return Error{"/input/scan: no voxel of the scan has a finite value"};
    }
    return needsLabels(request) ? checkLabels(request, info) : base::Status{};
}

std::vector<std::string> dataWarnings(const RunRequest& request) {
    std::vector<std::string> warnings;
    const auto* const scan = std::get_if<stack::ScanInput>(&request.experiment.input);
    if (scan == nullptr)
        return warnings;
    const auto& size = request.channels[0].geometry().size;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t patch = scan->patch.size() == 3 ? scan->patch[2 - axis] : scan->patch[0];
        if (patch > size[axis]) {
            warnings.push_back(
                fmt::format("the scan has {} voxels, less than the patch along one axis: patches are "
                            "padded with each channel's lowest value",
                            sizeText(request.channels[0])));
            break;
        }
    }
    return warnings;
}

DataSource::DataSource(const RunRequest& request, const stack::StackInfo& info)
    : request_(request),
      scan_(std::get_if<stack::ScanInput>(&request.experiment.input)),
      classes_(info.targetClasses),
      random_(request.experiment.step.seed) {
    const stack::Experiment& e = request.experiment;
    input_ = at::zeros(info.input);
    retag(input_, Category::Input);
    if (classes_ > 0) {
        stack::Shape shape = info.input;
        shape.erase(shape.begin() + 1);
        target_ = at::zeros(shape, at::kLong);
    } else if (e.loss == stack::Loss::Mse && e.target.kind != Target::Kind::Input) {
        stack::Shape shape = info.input;
        shape[1] = 1;
        target_ = at::zeros(shape);
    } else if (e.loss == stack::Loss::Mse) {
        target_ = input_;
    }
    if (target_.defined())
        retag(target_, Category::Input);
    for (const stack::LayerInfo& layer : info.layers)
        if (layer.type == "head")
            targets_.push_back(targetOfSize(target_, layer.output));
    targets_.push_back(target_);
    const auto& spatial = info.input;
    extent_ = {spatial.back(), spatial.size() > 3 ? spatial[spatial.size() - 2] : 1,
               spatial.size() > 4 ? spatial[spatial.size() - 3] : 1};
    if (scan_ == nullptr) {
        noise_ = at::detail::createCPUGenerator(e.step.seed);
        return;
    }
    const Normalize& n = scan_->normalize;
    for (const Volume& v : request.channels) {
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
        foreground_ = needsLabels(request) ? 0.5 : volume::histogram(request.channels[0]).otsu();
    scratch_.resize(static_cast<std::size_t>(extent_[0] * extent_[1] * extent_[2]));
}

void DataSource::next() {
    if (scan_ == nullptr) {
        input_.normal_(0, 1, noise_);
    } else {
        for (std::int64_t sample = 0; sample < input_.size(0); ++sample)
            fillScanSample(sample);
    }
    if (!target_.defined())
        return;
    const Target& target = request_.experiment.target;
    if (target.kind == Target::Kind::Classes)
        fillRandomLabels(classes_ > 0 ? classes_ : target.classes);
    else if (target.kind == Target::Kind::Threshold && scan_ == nullptr)
        for (std::int64_t sample = 0; sample < input_.size(0); ++sample)
            fillLabels(sample, {});
    sampleHeadTargets();
}

void DataSource::sampleHeadTargets() {
    for (const at::Tensor& head : targets_) {
        if (head.is_same(target_))
            continue;
        if (classes_ > 0)
            sample<std::int64_t>(target_, head, input_.dim() - 2);
        else
            sample<float>(target_, head, input_.dim() - 2);
    }
}

void DataSource::setLabel(std::int64_t index, std::int64_t label) {
    if (classes_ > 0)
        target_.data_ptr<std::int64_t>()[index] = label;
    else
        target_.data_ptr<float>()[index] = static_cast<float>(label);
}

void DataSource::fillRandomLabels(std::int64_t classes) {
    for (std::int64_t i = 0; i < target_.numel(); ++i)
        setLabel(i, below(random_, classes));
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
    float* out = input_.data_ptr<float>() + sample * voxels * input_.size(1);
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
    const float* labels = input_.data_ptr<float>() + sample * voxels * input_.size(1);
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
    const auto values =
        std::make_shared<std::vector<float>>(input_.data_ptr<float>(), input_.data_ptr<float>() + voxels);
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
