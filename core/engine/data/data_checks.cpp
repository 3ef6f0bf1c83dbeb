#include "core/engine/data/data_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/engine/data/patch_maker.h"

namespace highwater::engine {

namespace {

using base::Error;
using volume::Volume;

std::string sizeText(const Volume& v) {
    const auto& size = v.geometry().size;
    return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

base::Status checkLabels(const CaseVolumes& of, const stack::StackInfo& info, stack::Loss loss) {
    if (!of.labels) {
        return Error{"the label map was not handed over with the scan"};
    }
    const volume::Header& header = of.labels->header();
    if (header.geometry.size != of.channels[0].geometry().size) {
        return Error{fmt::format("the label map has {} voxels, the scan {}; they must be equal",
                                 sizeText(*of.labels), sizeText(of.channels[0]))};
    }
    const auto classes = static_cast<double>(info.targetClasses);
    if (info.targetClasses > 0 && (header.min < 0 || header.max > classes - 1)) {
        return Error{
            fmt::format("labels reach from {:g} to {:g}, but the stack's output has {} "
                        "channels; labels must be 0 to {}",
                        header.min, header.max, info.targetClasses, info.targetClasses - 1)};
    }
    if (stack::comparesProbabilities(loss) && (header.min < 0 || header.max > 1)) {
        return Error{
            fmt::format("labels reach from {:g} to {:g}, but the loss {} compares with 0 and 1; choose a "
                        "loss of classes, such as dice_cross_entropy",
                        header.min, header.max, stack::lossName(loss))};
    }
    return {};
}

base::Status checkChannels(const std::vector<Volume>& channels, std::size_t wanted) {
    if (channels.size() != wanted) {
        return Error{fmt::format("{} volume{} handed over, the experiment has {}", channels.size(),
                                 channels.size() == 1 ? " was" : "s were", wanted)};
    }
    for (const Volume& channel : channels) {
        if (channel.empty() || channel.header().channels != 1) {
            return Error{"each scan must have one value a voxel; a color image has several"};
        }
        if (channel.geometry().size != channels[0].geometry().size) {
            return Error{fmt::format("channels must have equal sizes, not {} and {} voxels",
                                     sizeText(channels[0]), sizeText(channel))};
        }
        if (!std::isfinite(channel.header().mean)) {
            return Error{"no voxel of the scan has a finite value"};
        }
    }
    return {};
}

bool isLarger(const volume::Index3& patch, const Volume& scan) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (patch[axis] > scan.geometry().size[axis]) {
            return true;
        }
    }
    return false;
}

std::optional<std::string> paddingWarning(const RunRequest& request, const stack::ScanInput& scan) {
    volume::Index3 patch{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        patch[axis] = scan.patch.size() == 3 ? scan.patch[2 - axis] : scan.patch[0];
    }
    const std::vector<CaseVolumes> cases = casesOf(request);
    const auto padded = std::count_if(cases.begin(), cases.end(), [&](const CaseVolumes& each) {
        return isLarger(patch, each.channels[0]);
    });
    if (padded == 0) {
        return std::nullopt;
    }
    const std::string which =
        cases.size() == 1 ? fmt::format("the scan has {} voxels, less", sizeText(cases[0].channels[0]))
                          : fmt::format("{} of the {} cases have fewer voxels", padded, cases.size());
    return which + " than the patch along one axis: patches are padded with each channel's lowest value";
}

}  // namespace

base::Status checkVolumes(const RunRequest& request, const stack::StackInfo& info) {
    const auto* const scan = std::get_if<stack::ScanInput>(&request.experiment.input);
    if (scan == nullptr) {
        return {};
    }
    if (!scan->cohort.empty() && request.cases.empty()) {
        return Error{"/input/cohort: no case was handed over"};
    }
    const std::vector<CaseVolumes> cases = casesOf(request);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        const std::string which = scan->cohort.empty() ? "" : fmt::format("case {}: ", n + 1);
        const char* const input = scan->cohort.empty() ? "/input/scan: " : "/input/cohort: ";
        if (const auto good = checkChannels(cases[n].channels, static_cast<std::size_t>(info.data[1]));
            !good) {
            return Error{input + which + good.error().message};
        }
        if (!needsLabels(request)) {
            continue;
        }
        if (const auto good = checkLabels(cases[n], info, request.experiment.loss); !good) {
            return Error{"/target/labels: " + which + good.error().message};
        }
    }
    return {};
}

std::vector<std::string> dataWarnings(const RunRequest& request, const stack::StackInfo& info,
                                      const Device& device) {
    std::vector<std::string> warnings;
    const stack::Data& data = request.experiment.data;
    if (data.pinned && !device.cuda) {
        warnings.emplace_back(
            "/data/pinned has no effect on the CPU: page-locked memory makes copies to a GPU faster");
    }
    if (data.workers > 0 && !stack::dataPlan(request.experiment, info, device.cuda).onHost) {
        warnings.emplace_back("/data/workers has no effect: this noise is drawn on the GPU");
    }
    if (request.experiment.step.channelsLast && info.data.size() == 3) {
        warnings.emplace_back(
            "/step/channels_last has no effect: tensors with one spatial axis have no such order");
    }
    const auto* const scan = std::get_if<stack::ScanInput>(&request.experiment.input);
    if (scan == nullptr) {
        return warnings;
    }
    if (auto warning = paddingWarning(request, *scan)) {
        warnings.emplace_back(std::move(*warning));
    }
    return warnings;
}

}  // namespace highwater::engine
