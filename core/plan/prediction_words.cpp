#include "core/plan/prediction_words.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/memory/phase.h"

namespace highwater::plan {

using base::formatBytes;
using predict::Prediction;

std::string bandText(const predict::Estimate& e) {
    const std::string expected = formatBytes(e.expected);
    return e.exact() ? expected
                     : fmt::format("{}, from {} to {}", expected, formatBytes(e.low), formatBytes(e.high));
}

std::string needText(const Prediction& p, const predict::Estimate& e) {
    if (!p.atLeast() && !p.atMost()) {
        return bandText(e);
    }
    const std::string need = needText(e, p.atLeast(), p.atMost());
    return e.exact() ? need : fmt::format("{} (with what is known: {})", need, bandText(e));
}

std::string rangeText(const predict::Estimate& e) {
    const std::string low = formatBytes(e.low), high = formatBytes(e.high);
    return e.exact() ? "" : low == high ? "about " + low : fmt::format("{} to {}", low, high);
}

std::string estimateText(const DeviceFit& fit) {
    const std::string range = rangeText(fit.peak);
    return fit.exact                             ? "exact"
           : !range.empty() || fit.peak.low <= 0 ? range
                                                 : "about " + formatBytes(fit.peak.low);
}

std::string stepText(const predict::TimeEstimate& time) {
    constexpr double kMeasured = 4;  // the widest high/low ratio of a time based on measurements
    if (time.expected <= 0) {
        return "";
    }
    const std::string expected = base::formatMillis(time.expected);
    return time.high <= kMeasured * time.low
               ? expected
               : fmt::format("about {} ({} to {})", expected, base::formatMillis(time.low),
                             base::formatMillis(time.high));
}

std::string whereText(const Prediction& p, const stack::StackInfo& info) {
    std::string text = fmt::format("in {}", memory::phaseKey(p.peakPhase));
    if (p.peakLayer >= 0) {
        text += ", at " + info.layers[static_cast<std::size_t>(p.peakLayer)].name;
    }
    return text + (p.peakInFirstStep ? ", in the first step" : "");
}

std::string oddsText(const Prediction& p) {
    const double probability = p.oomProbability;
    if ((p.atLeast() || p.atMost()) && p.fits == predict::Fits::Uncertain) {
        return fmt::format("not known, as {} than this may be needed", !p.atMost()    ? "more"
                                                                       : !p.atLeast() ? "less"
                                                                                      : "more or less");
    }
    if (probability < 0.01) {
        return "under 1 %";
    }
    if (probability > 0.99) {
        return "over 99 %";
    }
    return fmt::format("about {:.0f} %", 100 * probability);
}

std::string besideText(const predict::Target& target) {
    const bool several = target.ranks.count > 1;
    const std::string others =
        target.others > 0 ? fmt::format("the {} of others", formatBytes(target.others)) : "";
    if (!target.gpu) {
        return (others.empty() ? "" : " beside " + others) + (several          ? " for each rank"
                                                              : others.empty() ? " on this machine"
                                                                               : "");
    }
    return fmt::format(" beside the CUDA context{}{}{}", several ? " and NCCL's buffers" : "",
                       others.empty() ? "" : " and ", others);
}

std::string targetText(const predict::Target& target) {
    if (target.gpu) {
        return fmt::format("{} ({}), LibTorch {}, cuDNN {}", target.gpu->name, target.id,
                           predict::toText(target.versions.libtorch), predict::toText(target.versions.cudnn));
    }
    const predict::CpuKey& cpu = target.cpu;
    return fmt::format("cpu, {}, {}{}", base::counted(cpu.threads, "thread"), cpu.isa,
                       cpu.libtorch.empty() ? "" : ", LibTorch " + cpu.libtorch);
}

}  // namespace highwater::plan
