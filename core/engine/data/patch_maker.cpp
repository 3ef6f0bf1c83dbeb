#include "core/engine/data/patch_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace highwater::engine {

namespace {

using stack::Target;
using volume::Interpolation;
using volume::Volume;

constexpr volume::Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

std::vector<volume::Augmentation> augmentationsOf(const stack::Data& data) {
    std::vector<volume::Augmentation> list;
    for (const stack::Augmentation& each : data.augment) {
        list.push_back({static_cast<volume::Augmentation::Kind>(each.kind), each.p, each.amount});
    }
    return list;
}

}  // namespace

struct PatchMaker::Sample {
    const SampleMemory& memory;
    const Wait& wait;
    const Case* of;  ///< null for synthetic input
    DrawnSample drawn;
};

bool needsLabels(const RunRequest& request) {
    return request.experiment.target.kind == Target::Kind::Labels &&
           request.experiment.loss != stack::Loss::Mean;
}

std::vector<CaseVolumes> casesOf(const RunRequest& request) {
    if (!std::holds_alternative<stack::ScanInput>(request.experiment.input)) {
        return {};
    }
    return request.cases.empty() ? std::vector<CaseVolumes>{{request.channels, request.labels}}
                                 : request.cases;
}

const Volume& PatchMaker::Case::guide() const {
    return volumes.labels ? *volumes.labels : volumes.channels[0];
}

PatchMaker::PatchMaker(const RunRequest& request, const stack::StackInfo& info, const Wait& wait)
    : request_(request),
      scan_(std::get_if<stack::ScanInput>(&request.experiment.input)),
      channels_(info.data[1]),
      augment_(augmentationsOf(request.experiment.data)) {
    for (std::size_t axis = 0; axis + 2 < info.data.size(); ++axis) {
        extent_[axis] = info.data[info.data.size() - 1 - axis];
    }
    std::vector<CaseVolumes> cases = casesOf(request);
    for (CaseVolumes& each : cases) {
        cases_.push_back(caseOf(std::move(each), wait));
    }
    for (std::size_t n = 0; n < cases_.size(); ++n) {
        cases_[n].sampler.cases = static_cast<std::int64_t>(cases_.size());
        cases_[n].sampler.theCase = static_cast<std::int64_t>(n);
    }
}

PatchMaker::Case PatchMaker::caseOf(CaseVolumes volumes, const Wait& wait) const {
    Case made;
    made.volumes = std::move(volumes);
    if (!needsLabels(request_)) {
        made.volumes.labels.reset();
    }
    for (const Volume& channel : made.volumes.channels) {
        if (wait) {
            wait(0);
        }
        made.values.push_back(channelValues(channel, scan_->normalize));
    }
    made.sampler.extent = extent_;
    made.sampler.seed = request_.experiment.step.seed;
    made.sampler.foreground = scan_->sampling == stack::ScanInput::Sampling::Foreground;
    if (made.sampler.foreground) {
        made.sampler.findForeground(made.guide(), made.volumes.labels.has_value());
    }
    return made;
}

std::optional<std::string> PatchMaker::warning() const {
    const auto lacks = [](const Case& each) { return each.sampler.lacksForeground(); };
    const auto first = std::find_if(cases_.begin(), cases_.end(), lacks);
    if (first == cases_.end()) {
        return std::nullopt;
    }
    const char* const why = first->volumes.labels ? "all labels are 0" : "all values are equal";
    if (cases_.size() == 1) {
        return fmt::format("/input/sampling: no voxel is foreground ({}): patches lie anywhere", why);
    }
    const auto count = std::count_if(first, cases_.end(), lacks);
    return fmt::format(
        "/input/sampling: {} of the {} cases {} no foreground ({}), the first is case {}: patches lie "
        "anywhere there",
        count, cases_.size(), count == 1 ? "has" : "have", why, first - cases_.begin() + 1);
}

const Volume* PatchMaker::scanOf(std::int64_t theCase) const {
    return cases_.empty() ? nullptr : cases_[static_cast<std::size_t>(theCase)].volumes.channels.data();
}

DrawnSample PatchMaker::draw(std::int64_t n) const {
    std::mt19937_64 random = volume::sampleRandom(request_.experiment.step.seed, n);
    DrawnSample drawn;
    drawn.place.number = n;
    std::array<double, 3> spacing{1, 1, 1};
    if (scan_ != nullptr) {
        drawn.place.theCase = volume::drawCase(random, static_cast<std::int64_t>(cases_.size()));
        const Case& of = cases_[static_cast<std::size_t>(drawn.place.theCase)];
        drawn.place.box = of.sampler.draw(of.guide(), random);
        spacing = of.volumes.channels[0].geometry().spacing;
    }
    drawn.augmentation =
        volume::drawAugmentation(augment_, extent_, spacing, static_cast<std::size_t>(channels_), random);
    return drawn;
}

SamplePlace PatchMaker::make(std::int64_t n, const SampleMemory& memory, const Wait& wait) const {
    wait(request_.experiment.data.readDelayMs);
    Sample sample{memory, wait, nullptr, draw(n)};
    if (scan_ != nullptr) {
        sample.of = &cases_[static_cast<std::size_t>(sample.drawn.place.theCase)];
        makeFromScan(sample);
    } else {
        changeNoise(sample);
    }
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    float* channel = memory.input;
    for (const std::vector<volume::Intensity>& changes : sample.drawn.augmentation.values) {
        for (const volume::Intensity& change : changes) {
            wait(0);
            volume::applyIntensity(change, extent_, channel, memory.scratch);
        }
        channel += voxels;
    }
    return sample.drawn.place;
}

/// Writes the sample's patch of one volume to `out`, applying the sample's spatial augmentation.
void PatchMaker::read(const Sample& sample, const Volume& from, Interpolation interpolation, float outside,
                      float* out) const {
    sample.wait(0);
    const volume::DrawnAugmentation& drawn = sample.drawn.augmentation;
    const volume::PatchBox& box = sample.drawn.place.box;
    if (drawn.resampled) {
        return volume::resamplePatch(from, volume::placementIn(box, drawn.space), extent_, interpolation,
                                     outside, out);
    }
    if (drawn.space == kIdentity) {
        return volume::extractPatch(from, box.start, extent_, outside, out);
    }
    volume::extractPatch(from, box.start, extent_, outside, sample.memory.scratch);
    volume::reorient(sample.memory.scratch, extent_, drawn.space, out);
}

void PatchMaker::makeFromScan(Sample& sample) const {
    const auto& [volumes, values, sampler] = *sample.of;
    const bool labels = sample.memory.wantsLabels();
    const bool byThreshold = labels && request_.experiment.target.kind == Target::Kind::Threshold;
    float* out = sample.memory.input;
    // Labels come first: the memory of the first channel serves as temporary space until that channel is
    // read.
    if (byThreshold) {
        read(sample, volumes.channels[0], Interpolation::Nearest, values[0].outside, out);
    } else if (labels) {
        read(sample, *volumes.labels, Interpolation::Nearest, 0, out);
    }
    setLabels(sample, out);
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    for (std::size_t c = 0; c < values.size(); ++c, out += voxels) {
        const bool isThere = c == 0 && byThreshold && !sample.drawn.augmentation.resampled;
        if (!isThere) {
            read(sample, volumes.channels[c], Interpolation::Linear, values[c].outside, out);
        }
        normalizeValues(values[c], out, voxels);
    }
}

/// Applies the spatial augmentation to noise in place. Beyond the edges of the noise, resampling repeats its
/// edge values.
void PatchMaker::changeNoise(Sample& sample) const {
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    const volume::DrawnAugmentation& drawn = sample.drawn.augmentation;
    const volume::Matrix3& space = drawn.space;
    const volume::PatchBox whole{{}, extent_};
    const auto turn = [&](Interpolation interpolation, const float* from, float* to) {
        sample.wait(0);
        if (drawn.resampled) {
            volume::resampleArray(from, extent_, volume::placementIn(whole, space), extent_, interpolation,
                                  to);
        } else {
            volume::reorient(from, extent_, space, to);
        }
    };
    const bool turned = drawn.resampled || space != kIdentity;
    float* const scratch = sample.memory.scratch;
    if (!turned) {
        setLabels(sample, sample.memory.input);
    } else if (sample.memory.wantsLabels()) {
        turn(Interpolation::Nearest, sample.memory.input, scratch), setLabels(sample, scratch);
    }
    for (std::int64_t c = 0; turned && c < channels_; ++c) {
        float* const channel = sample.memory.input + c * voxels;
        std::memcpy(scratch, channel, static_cast<std::size_t>(voxels) * sizeof(float));
        turn(Interpolation::Linear, scratch, channel);
    }
}

/// Writes the target from label values, or from the scan's values if the target is a threshold.
void PatchMaker::setLabels(const Sample& sample, const float* from) const {
    const SampleMemory& memory = sample.memory;
    if (!memory.wantsLabels()) {
        return;
    }
    const Target& target = request_.experiment.target;
    const auto limit = static_cast<float>(target.threshold);
    const std::int64_t voxels = extent_[0] * extent_[1] * extent_[2];
    for (std::int64_t i = 0; i < voxels; ++i) {
        const float value = from[i];
        const std::int64_t label = target.kind == Target::Kind::Threshold ? value >= limit
                                   : std::isfinite(value)                 ? std::llround(value)
                                                                          : 0;
        if (memory.classes != nullptr) {
            memory.classes[i] = label;
        } else {
            memory.values[i] = static_cast<float>(label);
        }
    }
}

}  // namespace highwater::engine
