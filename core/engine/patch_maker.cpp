#include "core/engine/patch_maker.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/volume/statistics.h"

namespace highwater::engine {

namespace {

using stack::Target;
using volume::Interpolation;
using volume::Volume;

constexpr volume::Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

std::uint64_t mixed(std::uint64_t z) {  // splitmix64
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

std::mt19937_64 randomOf(std::uint64_t seed, std::int64_t sample) {
    return std::mt19937_64(mixed(mixed(seed) ^ static_cast<std::uint64_t>(sample)));
}

std::vector<volume::Augmentation> augmentationsOf(const stack::Data& data) {
    std::vector<volume::Augmentation> list;
    for (const stack::Augmentation& each : data.augment)
        list.push_back({static_cast<volume::Augmentation::Kind>(each.kind), each.p, each.amount});
    return list;
}

}  // namespace

struct PatchMaker::Sample {
    const SampleMemory& memory;
    const Wait& wait;
    std::mt19937_64 random;
    volume::PatchBox box;
    volume::DrawnAugmentation drawn;
};

bool needsLabels(const RunRequest& request) {
    return request.experiment.target.kind == Target::Kind::Labels &&
           request.experiment.loss != stack::Loss::Mean;
}

PatchMaker::PatchMaker(const RunRequest& request, const stack::StackInfo& info)
    : request_(request),
      scan_(std::get_if<stack::ScanInput>(&request.experiment.input)),
      channels_(info.data[1]),
      augment_(augmentationsOf(request.experiment.data)) {
    for (std::size_t axis = 0; axis + 2 < info.data.size(); ++axis)
        extent_[axis] = info.data[info.data.size() - 1 - axis];
    if (scan_ == nullptr)
        return;
    for (const Volume& channel : request.channels)
        values_.push_back(channelValues(channel, scan_->normalize));
    spacing_ = request.channels[0].geometry().spacing;
    if (scan_->sampling == stack::ScanInput::Sampling::Foreground)
        foreground_ = needsLabels(request_) ? 0.5 : volume::histogram(request_.channels[0]).otsu();
}

volume::PatchBox PatchMaker::draw(std::mt19937_64& random) const {
    const Volume& first = request_.channels[0];
    if (scan_->sampling == stack::ScanInput::Sampling::Foreground)
        return volume::randomForegroundPatch(needsLabels(request_) ? *request_.labels : first, extent_,
                                             foreground_, random);
    return volume::randomPatch(first.geometry().size, extent_, random);
}

volume::PatchBox PatchMaker::make(std::int64_t n, const SampleMemory& memory, const Wait& wait) const {
    wait(request_.experiment.data.readDelayMs);
    Sample sample{memory, wait, randomOf(request_.experiment.step.seed, n), {}, {}};
    if (scan_ != nullptr)
        sample.box = draw(sample.random);
    sample.drawn = volume::drawAugmentation(augment_, extent_, spacing_, static_cast<std::size_t>(channels_),
                                            sample.random);
    if (scan_ != nullptr)
        makeFromScan(sample);
    else
        changeNoise(sample);
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    float* channel = memory.input;
    for (const std::vector<volume::Intensity>& changes : sample.drawn.values) {
        for (const volume::Intensity& change : changes) {
            wait(0);
            volume::applyIntensity(change, extent_, channel, memory.scratch);
        }
        channel += voxels;
    }
    return sample.box;
}

/// A patch of one volume, turned as the sample is.
void PatchMaker::read(const Sample& sample, const Volume& from, Interpolation interpolation, float outside,
                      float* out) const {
    sample.wait(0);
    const volume::DrawnAugmentation& drawn = sample.drawn;
    if (drawn.resampled)
        return volume::resamplePatch(from, volume::placementIn(sample.box, drawn.space), extent_,
                                     interpolation, outside, out);
    if (drawn.space == kIdentity)
        return volume::extractPatch(from, sample.box.start, extent_, outside, out);
    volume::extractPatch(from, sample.box.start, extent_, outside, sample.memory.scratch);
    volume::reorient(sample.memory.scratch, extent_, drawn.space, out);
}

void PatchMaker::makeFromScan(Sample& sample) const {
    const bool labels = sample.memory.wantsLabels();
    const bool byThreshold = labels && request_.experiment.target.kind == Target::Kind::Threshold;
    float* out = sample.memory.input;
    // Labels come first: until then the first channel's place is free.
    if (byThreshold)
        read(sample, request_.channels[0], Interpolation::Nearest, values_[0].outside, out);
    else if (labels)
        read(sample, *request_.labels, Interpolation::Nearest, 0, out);
    setLabels(sample, out);
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    for (std::size_t c = 0; c < values_.size(); ++c, out += voxels) {
        const bool isThere = c == 0 && byThreshold && !sample.drawn.resampled;
        if (!isThere)
            read(sample, request_.channels[c], Interpolation::Linear, values_[c].outside, out);
        normalizeValues(values_[c], out, voxels);
    }
}

/// Noise is turned in its place; where it is resampled its edge goes on outside.
void PatchMaker::changeNoise(Sample& sample) const {
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    const volume::Matrix3& space = sample.drawn.space;
    const volume::PatchBox whole{{}, extent_};
    const auto turn = [&](Interpolation interpolation, const float* from, float* to) {
        sample.wait(0);
        if (sample.drawn.resampled)
            volume::resampleArray(from, extent_, volume::placementIn(whole, space), extent_, interpolation,
                                  to);
        else
            volume::reorient(from, extent_, space, to);
    };
    const bool turned = sample.drawn.resampled || space != kIdentity;
    float* const scratch = sample.memory.scratch;
    if (!turned)
        setLabels(sample, sample.memory.input);
    else if (sample.memory.wantsLabels())
        turn(Interpolation::Nearest, sample.memory.input, scratch), setLabels(sample, scratch);
    for (std::int64_t c = 0; turned && c < channels_; ++c) {
        float* const channel = sample.memory.input + c * voxels;
        std::memcpy(scratch, channel, static_cast<std::size_t>(voxels) * sizeof(float));
        turn(Interpolation::Linear, scratch, channel);
    }
}

/// From label values, or the scan's own that a threshold divides.
void PatchMaker::setLabels(const Sample& sample, const float* from) const {
    const SampleMemory& memory = sample.memory;
    if (!memory.wantsLabels())
        return;
    const Target& target = request_.experiment.target;
    const auto limit = static_cast<float>(target.threshold);
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    for (std::int64_t i = 0; i < voxels; ++i) {
        const float value = from[i];
        const std::int64_t label = target.kind == Target::Kind::Threshold ? value >= limit
                                   : std::isfinite(value)                 ? std::llround(value)
                                                                          : 0;
        if (memory.classes != nullptr)
            memory.classes[i] = label;
        else
            memory.values[i] = static_cast<float>(label);
    }
}

}  // namespace highwater::engine
