#include "core/cases/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/stack/shapes.h"

namespace highwater::cases {
namespace {

using base::Bytes;
using Way = CaseNeed::Way;

std::int64_t patchVoxels(const stack::NnunetInference& plan) {
    const stack::Sizes patch = stack::patchOf(plan.network.experiment);
    return std::accumulate(patch.begin(), patch.end(), std::int64_t{1}, std::multiplies());
}

/// Channels of the network's input.
std::int64_t channelsOf(const stack::NnunetInference& plan) {
    return std::get<stack::SyntheticInput>(plan.network.experiment.input).shape.at(0);
}

HostOptions hostOptions(const CasesRequest& request, bool onDevice) {
    HostOptions options;
    options.images = request.plan.images;
    options.channels = channelsOf(request.plan);
    options.heads = request.plan.heads;
    options.patch = patchVoxels(request.plan);
    options.regions = request.plan.regions;
    options.onDevice = onDevice;
    options.probabilities = request.probabilities;
    options.folds = request.folds;
    return options;
}

base::Result<PlaceNeed> placeNeed(const CasesRequest& request, const stack::StackInfo& info,
                                  const CaseSize& size, bool onDevice) {
    const auto& experiment = request.plan.network.experiment;
    const predict::InferenceCase its{{size.padded.begin(), size.padded.end()},
                                     size.windows,
                                     channelsOf(request.plan),
                                     request.plan.heads,
                                     request.mirror,
                                     onDevice};
    const auto gpu = predict::predictInference(experiment, info, request.target, its);
    if (!gpu) {
        return gpu.error();
    }
    PlaceNeed need;
    need.allocated = gpu->maxMemoryAllocated.expected;
    need.reserved = gpu->peakReserved;
    need.fits = gpu->fits;
    need.odds = gpu->oomProbability;
    need.outOfMemory = gpu->outOfMemory;
    need.host = hostMemory(size, hostOptions(request, onDevice));
    const Bytes weights = 4 * info.parameters;
    need.hostPeak = need.host.peak() + kProcess + request.folds * weights;
    return need;
}

Way wayOf(const CasesRequest& request, const CaseNeed& need) {
    using predict::Fits;
    if (request.onDevice && need.onDevice.fits == Fits::Yes) {
        return Way::OnDevice;
    }
    if (need.onHost.fits == Fits::No) {
        return Way::NoGpu;
    }
    return !request.onDevice                ? Way::OnHost
           : need.onDevice.fits == Fits::No ? Way::FallsBack
                                            : Way::MayFallBack;
}

Bytes hostPeakOf(const CaseNeed& need) {
    switch (need.way) {
        case Way::OnDevice:
            return need.onDevice.hostPeak;
        case Way::OnHost:
        case Way::FallsBack:
            return need.onHost.hostPeak;
        default:
            return std::max(need.onDevice.hostPeak, need.onHost.hostPeak);
    }
}

/// Fills in the row from the sizes; `info` is that of the plan's experiment.
void fill(const CasesRequest& request, const stack::StackInfo& info, const volume::Geometry& geometry,
          CaseNeed& need) {
    auto size = caseSize(request.plan, geometry, request.step);
    if (!size) {
        need.problem = size.error().message;
        return;
    }
    need.size = *size;
    for (const bool onDevice : {true, false}) {
        auto place = placeNeed(request, info, need.size, onDevice);
        if (!place) {
            need.problem = place.error().message;
            return;
        }
        (onDevice ? need.onDevice : need.onHost) = std::move(*place);
    }
    need.way = wayOf(request, need);
    need.hostPeak = hostPeakOf(need);
    need.hostSuffices = request.host <= 0 || need.hostPeak <= request.host;
}

std::vector<std::string> notesOf(const CasesRequest& request) {
    std::vector<std::string> notes;
    const stack::NnunetInference& plan = request.plan;
    for (const std::string& note :
         plan.network.notes) {  // of the others, which are about training, none matters
        if (note.find("assumed") != std::string::npos ||
            note.find("one for each normalization") != std::string::npos) {
            notes.push_back(note);
        }
    }
    if (plan.cascade) {
        notes.emplace_back(
            "this configuration needs the segmentation of a previous stage, whose own inference is not "
            "counted");
    }
    for (const auto* how : {&plan.data, &plan.probabilities}) {
        if (!how->known()) {
            notes.push_back(
                fmt::format("host memory is that of resample_data_or_seg_to_shape; the plans name {}, "
                            "which may need another amount",
                            base::oneLine(how->function, 80)));
            break;
        }
    }
    notes.emplace_back(
        "sizes are those of the headers: nnU-Net first removes borders in which all values are 0, so a case "
        "may "
        "need less");
    return notes;
}

}  // namespace

std::string_view wayText(Way way) {
    switch (way) {
        case Way::OnDevice:
            return "everything on the GPU";
        case Way::MayFallBack:
            return "may start again with the logits on the host";
        case Way::FallsBack:
            return "starts again with the logits on the host";
        case Way::OnHost:
            return "logits on the host";
        case Way::NoGpu:
            return "runs out of GPU memory";
        case Way::Problem:
            break;
    }
    return "unknown";
}

void learnWorkspaces(CasesRequest& request,
                     const std::function<bool(const predict::Prediction&, predict::Target&)>& ask) {
    const auto& experiment = request.plan.network.experiment;
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return;
    }
    const predict::InferenceCase window{stack::patchOf(experiment), 1,     channelsOf(request.plan),
                                        request.plan.heads,         false, false};
    for (bool asking = true; asking;) {
        const auto prediction = predict::predictInference(experiment, *info, request.target, window);
        asking = prediction && ask(*prediction, request.target);
    }
}

CaseNeed caseNeed(const CasesRequest& request, const std::string& name, const volume::Geometry& geometry) {
    CaseNeed need;
    need.name = name;
    const auto info = stack::inferShapes(request.plan.network.experiment);
    if (!info) {
        need.problem = info.error().message;
        return need;
    }
    fill(request, *info, geometry, need);
    return need;
}

base::Result<CasesAnswer> casesOf(const CasesRequest& request, const std::filesystem::path& folder,
                                  const CasesProgress& progress) {
    const auto info = stack::inferShapes(request.plan.network.experiment);
    if (!info) {
        return info.error();
    }
    auto cohort = scan::findCases(folder);
    if (!cohort) {
        return cohort.error();
    }
    for (scan::Case& one : cohort->cases) {
        one.labels.clear();  // not needed, and must not be a problem
    }
    CasesAnswer answer;
    answer.weights = 4 * info->parameters;
    answer.notes = notesOf(request);
    answer.notes.insert(answer.notes.end(), cohort->notes.begin(), cohort->notes.end());
    scan::SurveyOptions survey;
    survey.values = false;
    survey.cancel = progress.cancel;
    survey.progress = [&](std::size_t done, const scan::CaseFacts& last) {
        CaseNeed& need = answer.cases.emplace_back();
        need.name = last.name;
        need.warnings = last.warnings;
        need.problem = last.problem;
        const auto channels = static_cast<std::int64_t>(last.channels.size());
        if (need.problem.empty() && channels != request.plan.images) {
            need.problem = fmt::format("has {}; the network takes {}", base::counted(channels, "channel"),
                                       request.plan.images);
        }
        if (need.problem.empty()) {
            fill(request, *info, last.channels.front().geometry, need);
        }
        if (progress.tell) {
            progress.tell(done, cohort->cases.size(), last.name);
        }
    };
    const auto surveyed = scan::surveyCohort(*cohort, survey);
    if (!surveyed) {
        return surveyed.error();
    }
    return answer;
}

std::vector<std::string> whatHelps(const CasesRequest& request, const CaseNeed& need) {
    std::vector<std::string> lines;
    if (!need.problem.empty()) {
        return lines;
    }
    if (need.way == Way::NoGpu) {
        lines.emplace_back(
            "the network alone does not fit: a GPU with more memory, or the CPU (-device cpu)");
    }
    if (need.way == Way::FallsBack || need.way == Way::MayFallBack) {
        lines.push_back(
            fmt::format("--not_on_device (perform_everything_on_device=False) avoids the attempt that fails: "
                        "{} of the GPU "
                        "instead of {}",
                        base::formatBytes(need.onHost.reserved.expected),
                        base::formatBytes(need.onDevice.reserved.expected)));
    }
    if (!need.hostSuffices) {
        const HostMemory& host = (need.way == Way::OnDevice ? need.onDevice : need.onHost).host;
        const bool exporting = host.phase() == std::string_view("export");
        lines.push_back(
            fmt::format("the host's peak is in {}: {}", host.phase(),
                        exporting ? "nnU-Net copies the logits of all classes there, to resample them or "
                                    "to compare them; fewer classes, or a scan cut into parts, need less"
                                  : "a scan cut into parts needs less"));
        if (request.probabilities) {
            lines.emplace_back("without --save_probabilities the export needs less");
        }
    }
    return lines;
}

}  // namespace highwater::cases
