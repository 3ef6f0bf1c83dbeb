#include <fmt/format.h>

#include "core/base/text.h"
#include "core/plan/propose_search.h"

namespace highwater::plan {
namespace {

using base::formatBytes;

std::string medianReason(const PatchProposal& p, const ProposeFacts& facts) {
    return fmt::format(
        "Resampled to the median spacing, {:.3g} × {:.3g} × {:.3g} mm, the median of {} is {} voxels "
        "(i × j × k).",
        p.spacing[0], p.spacing[1], p.spacing[2], base::counted(facts.cases, "case"),
        base::formatShape(p.medianSize));
}

std::string strideReason(const ProposeFacts& facts) {
    if (facts.stride == std::array<std::int64_t, 3>{1, 1, 1}) {
        return "The stack scales nothing down, so any patch size will do.";
    }
    return fmt::format("The stack scales down by {}, so patches are multiples of that.",
                       patchText(facts.stride));
}

std::string patchReason(const ProposeFacts& facts) {
    const std::string chosen = fmt::format("patch {} with batch {} needs {}", patchText(facts.chosen.patch),
                                           facts.chosen.batch, peakText(facts.chosen, facts.capacity));
    if (facts.chosen.patch == facts.first.patch) {
        return fmt::format("The whole median volume fits: {}.", chosen);
    }
    return fmt::format(
        "The whole median volume, patch {} with batch {}, does not fit: {}. Shortened along the axis that is "
        "longest relative to the median until it fits: {}.",
        patchText(facts.first.patch), facts.first.batch, peakText(facts.first, facts.capacity), chosen);
}

std::string largerReason(const ProposeFacts& facts) {
    return fmt::format("The next larger patch, {}, does not fit: {}.", patchText(facts.larger->patch),
                       peakText(*facts.larger, facts.capacity));
}

std::string batchReason(const PatchProposal& p, const ProposeFacts& facts) {
    if (facts.largerBatch) {
        return fmt::format(
            "Batch {} is the most that fits, with an estimated {}: batch {} does not, with {}.", p.batch,
            formatBytes(p.peak), facts.largerBatch->batch, peakText(*facts.largerBatch, facts.capacity));
    }
    if (p.batch == facts.chosen.batch) {
        return fmt::format(
            "Batch {}, the least that was asked for, already takes 5 % or more of the cohort's voxels per "
            "step.",
            p.batch);
    }
    return fmt::format(
        "Batch {} is 5 % of the cohort's voxels per step, with an estimated {}; a larger batch would fit, "
        "but would only use the same voxels more often.",
        p.batch, formatBytes(p.peak));
}

}  // namespace

std::string patchText(const std::array<std::int64_t, 3>& patch) {
    return base::formatShape(patch) + " (D × H × W)";
}

std::string peakText(const Tried& tried, base::Bytes capacity) {
    return tried.peak ? fmt::format("an estimated {} of {}", formatBytes(*tried.peak), formatBytes(capacity))
                      : tried.peak.error().message;
}

std::vector<std::string> reasons(const PatchProposal& proposal, const ProposeFacts& facts) {
    std::vector<std::string> why{medianReason(proposal, facts), strideReason(facts), patchReason(facts)};
    if (facts.larger && facts.larger->patch != facts.first.patch) {
        why.push_back(largerReason(facts));
    }
    why.push_back(batchReason(proposal, facts));
    why.push_back(
        fmt::format("A patch covers {:.3g} % of this resampled median.", 100 * proposal.coveredShare));
    return why;
}

}  // namespace highwater::plan
