#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"
#include "core/engine/data.h"

namespace highwater::engine {

namespace {

using base::Error;
using volume::Volume;

std::string sizeText(const Volume& v) {
    const auto& size = v.geometry().size;
    return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
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

}  // namespace

base::Status checkVolumes(const RunRequest& request, const stack::StackInfo& info) {
    const auto* const scan = std::get_if<stack::ScanInput>(&request.experiment.input);
    if (scan == nullptr)
        return {};
    const auto wanted = static_cast<std::size_t>(info.data[1]);
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

std::vector<std::string> dataWarnings(const RunRequest& request, const stack::StackInfo& info,
                                      const Device& device) {
    std::vector<std::string> warnings;
    const stack::Data& data = request.experiment.data;
    if (data.pinned && !device.cuda)
        warnings.push_back(
            "/data/pinned has no effect on the CPU: page-locked memory makes copies to a GPU faster");
    if (data.workers > 0 && !stack::dataPlan(request.experiment, info, device.cuda).onHost)
        warnings.push_back("/data/workers has no effect: this noise is drawn on the GPU");
    if (request.experiment.step.channelsLast && info.data.size() == 3)
        warnings.push_back(
            "/step/channels_last has no effect: tensors with one spatial axis have no such order");
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

}  // namespace highwater::engine
