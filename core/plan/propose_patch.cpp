#include "core/plan/propose_patch.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/plan/propose_search.h"

namespace highwater::plan {
namespace {

using base::Error;

constexpr double kShareOfCohort = 0.05;  // as in nnU-Net

base::Status check(const stack::Experiment& experiment, const std::vector<CaseShape>& cases,
                   const ProposeOptions& options) {
    if (cases.empty()) {
        return Error{"there is no case to propose a patch for"};
    }
    if (options.capacity <= 0) {
        return Error{"the available memory is unknown; give a budget"};
    }
    for (std::size_t c = 0; c < cases.size(); ++c) {
        const auto [low, high] = std::minmax_element(cases[c].size.begin(), cases[c].size.end());
        if (*low < 1 || *high > stack::kMostSize) {
            return Error{fmt::format("case {}: a size of {} is not possible", c + 1,
                                     base::formatShape(cases[c].size))};
        }
    }
    const auto* synthetic = std::get_if<stack::SyntheticInput>(&experiment.input);
    if (synthetic && synthetic->shape.size() != 4) {
        return Error{"the experiment's input is not a volume; a cohort needs a stack for 3D input"};
    }
    return {};
}

std::int64_t roundUp(std::int64_t value, std::int64_t unit) {
    return (value + unit - 1) / unit * unit;
}

/// Reverses i, j, k to D, H, W.
Three reversed(const Three& sizes) {
    return {sizes[2], sizes[1], sizes[0]};
}

/// Returns the largest patch that fits with the smallest batch: no axis can be one stride longer.
base::Result<Three> largestPatch(const Search& search) {
    auto patch = firstThatFits(search);
    while (patch) {
        const auto next = longer(search, *patch);
        if (!next) {
            break;
        }
        patch = *next;
    }
    return search.trials.cancelled() ? Error{"cancelled"} : patch;
}

double coveredShare(const Search& search, Three patch) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        patch[axis] = std::min(patch[axis], search.median[axis]);
    }
    return product(patch) / product(search.median);
}

}  // namespace

stack::Experiment withPatch(const stack::Experiment& experiment, const stack::Sizes& patch,
                            std::int64_t batch) {
    stack::Experiment out = experiment;
    out.step.batchSize = batch;
    if (auto* scan = std::get_if<stack::ScanInput>(&out.input)) {
        scan->patch = patch;
    } else if (auto& shape = std::get<stack::SyntheticInput>(out.input).shape; shape.size() > patch.size()) {
        std::copy(patch.begin(), patch.end(), shape.end() - static_cast<std::ptrdiff_t>(patch.size()));
    }
    return out;
}

base::Result<PatchProposal> proposePatch(const stack::Experiment& experiment,
                                         const std::vector<CaseShape>& cases, const Peak& peak,
                                         const ProposeOptions& options) {
    HIGHWATER_TRY(check(experiment, cases, options));
    const Median median = medianOf(cases);
    const std::int64_t unit = std::max<std::int64_t>(1, experiment.step.microBatches);
    Trials trials(experiment, peak, options);
    Search search{trials, reversed(median.size), strideOf(experiment), {}, 1};
    search.least = roundUp(std::max<std::int64_t>(1, options.leastBatch), unit);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        search.whole[axis] = roundUp(search.median[axis], search.stride[axis]);
    }
    const auto patch = HIGHWATER_TRY(largestPatch(search));
    const double share = kShareOfCohort * median.voxels / product(patch);
    const std::int64_t most = std::max(
        search.least, static_cast<std::int64_t>(std::min(share, static_cast<double>(stack::kMostSize))));
    PatchProposal proposal;
    proposal.spacing = median.spacing;
    proposal.medianSize = median.size;
    proposal.patch.assign(patch.begin(), patch.end());
    proposal.batch = largestBatch(search, patch, unit, most);
    proposal.coveredShare = coveredShare(search, patch);
    const Tried done = trials.at(patch, proposal.batch);
    ProposeFacts facts{cases.size(),
                       search.stride,
                       options.capacity,
                       trials.at(search.whole, search.least),
                       trials.at(patch, search.least),
                       nextLarger(search, patch),
                       std::nullopt};
    if (proposal.batch + unit <= most) {
        facts.largerBatch = trials.at(patch, proposal.batch + unit);
    }
    if (trials.cancelled() || !done.peak) {
        return Error{"cancelled"};
    }
    proposal.peak = *done.peak;
    proposal.why = reasons(proposal, facts);
    return proposal;
}

}  // namespace highwater::plan
