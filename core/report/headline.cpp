#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"
#include "core/report/predicted_step.h"
#include "core/report/run_sections.h"
#include "core/report/words.h"
#include "core/runs/compare.h"

namespace highwater::report {
namespace {

std::string peakNote(const Facts& facts) {
    const wire::PeakMoment& peak = facts.result().peak;
    const std::string layer = facts.layerName(peak.layer);
    std::string text =
        fmt::format("Reached in {}{}", wire::phaseKey(peak.phase), layer.empty() ? "" : ", " + layer);
    if (facts.budget) {
        text += "; budget " + base::formatBytes(*facts.budget);
    }
    if (facts.result().peakReserved > 0) {
        text += "; " + base::formatBytes(facts.result().peakReserved) + " reserved by the allocator";
    }
    if (facts.result().peakRss > 0) {
        text += "; " + base::formatBytes(facts.result().peakRss) + " for the whole process";
    }
    return text;
}

Tone statusTone(wire::RunStatus status) {
    switch (status) {
        case wire::RunStatus::Done:
            return Tone::Good;
        case wire::RunStatus::OutOfMemory:
        case wire::RunStatus::Failed:
            return Tone::Bad;
        default:
            return Tone::Warning;
    }
}

std::string lossNote(const Facts& facts) {
    const wire::RunResult& r = facts.result();
    return r.losses.empty() ? "" : fmt::format("loss {:.3g} → {:.3g}", r.lossFirst, r.lossLast);
}

std::string stepsNote(const Facts& facts) {
    if (facts.pretended()) {
        return base::counted(std::ssize(facts.steps), "pretended step");
    }
    const int measured = facts.measuredSteps(), warmup = facts.warmupSteps();
    return fmt::format("{}, {} warm-up", base::counted(measured, "measured step"), warmup);
}

std::string failedLedger(const memory::Ledger& ledger) {
    std::string text;
    for (const memory::Category c : memory::kCategories) {
        if (ledger[c] > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", categoryText(c),
                                base::formatBytes(ledger[c]));
        }
    }
    return text;
}

Banner banner(bool bad, std::string title, std::vector<std::string> lines) {
    std::erase(lines, "");
    return {bad, std::move(title), std::move(lines)};
}

}  // namespace

std::string stepTimeText(const base::Interval& interval) {
    return interval.n > 0 ? base::formatMillis(interval.median) : "not measured";
}

std::string intervalText(const base::Interval& interval) {
    if (interval.n <= 0) {
        return "no measured step";
    }
    if (interval.n < runs::kFewestSteps) {
        return fmt::format("{} to {}, {}", base::formatMillis(interval.low),
                           base::formatMillis(interval.high), base::counted(interval.n, "step"));
    }
    return fmt::format("{} to {} (95 %), {} steps", base::formatMillis(interval.low),
                       base::formatMillis(interval.high), interval.n);
}

Parts metaLine(const Facts& facts) {
    const runs::RunSummary& s = facts.run->summary;
    const wire::Environment& e = facts.environment();
    std::string device = e.device.empty() ? s.device : e.device;
    if (!e.deviceName.empty()) {
        device = device.empty() ? e.deviceName : fmt::format("{} ({})", device, e.deviceName);
    }
    if (!s.host.empty()) {
        device += " on " + s.host;
    }
    const std::string kind = facts.pretended() ? "Pretended run" : facts.watched() ? "Watched run" : "Run";
    std::string text = s.number > 0 ? fmt::format("{} #{}", kind, s.number) : kind;
    for (const std::string& part : {s.id, readableTime(s.created), device}) {
        if (!part.empty()) {
            text += " · " + part;
        }
    }
    std::string labels = s.note;
    for (const std::string& tag : s.tags) {
        labels += (labels.empty() ? "#" : " · #") + tag;
    }
    Parts out = {paragraph(text, Paragraph::Kind::Meta)};
    if (!labels.empty()) {
        out.push_back(paragraph(labels, Paragraph::Kind::Meta));
    }
    return out;
}

Parts failureBanner(const Facts& facts) {
    const wire::RunStatus status = facts.run->summary.status;
    if (status == wire::RunStatus::Done) {
        return {};
    }
    if (status == wire::RunStatus::Running) {
        return {banner(false, "Still running",
                       {fmt::format("This report contains what had been {} when it was written.",
                                    facts.pretended() ? "recorded" : "measured")})};
    }
    if (status == wire::RunStatus::Cancelled) {
        return {banner(false, "Cancelled", {"The figures are from the completed steps."})};
    }
    if (!facts.failure) {
        return {banner(true, status == wire::RunStatus::OutOfMemory ? "Out of memory" : "The run failed",
                       {facts.run->summary.message})};
    }
    const wire::Failed& f = *facts.failure;
    const std::string ledger = failedLedger(f.ledger);
    const std::string inUse = ledger.empty() ? "" : "In use at that moment: " + ledger + ".";
    const std::string wouldFit = f.wouldFit.empty() ? "" : "An estimate: " + f.wouldFit + ".";
    constexpr std::string_view kRefused = "out of memory: ";  // as the title says
    if (f.status == wire::RunStatus::OutOfMemory && f.why.starts_with(kRefused)) {
        return {banner(true, "Out of memory",
                       {fmt::format("In {}: {}.", facts.stepName(f.step), f.why.substr(kRefused.size())),
                        inUse, wouldFit})};
    }
    std::string where = fmt::format("Where: {}, {}{}.", facts.stepName(f.step), wire::phaseKey(f.phase),
                                    f.layer.empty() ? "" : ", layer " + f.layer);
    if (f.requested > 0) {
        where = fmt::format(
            "Requested {} with {} in use{}. {}", base::formatBytes(f.requested),
            base::formatBytes(f.ledger.total()),
            facts.budget ? fmt::format(" of a budget of {}", base::formatBytes(*facts.budget)) : "", where);
    }
    return {banner(true, f.status == wire::RunStatus::OutOfMemory ? "Out of memory" : "The run failed",
                   {f.why, where, inUse, wouldFit})};
}

Cards headlineCards(const Facts& facts) {
    const wire::RunResult& r = facts.result();
    const bool peaked = r.peakAllocated > 0;
    Card peak{facts.pretended() ? "Peak memory, pretended" : "Peak memory",
              peaked              ? base::formatBytes(r.peakAllocated)
              : facts.pretended() ? "not known"
                                  : "not measured"};
    peak.wide = true;
    if (peaked) {
        peak.split = ledgerSplit(r.peakByCategory);
        peak.notes = {peakNote(facts)};
    }
    const bool timed = r.stepMs.n > 0 && std::isfinite(r.throughput) && r.throughput > 0;
    Card throughput{"Throughput", timed ? base::formatNumber(r.throughput) + " /s" : "not measured"};
    if (timed) {
        throughput.notes = {"samples per second"};
    }
    Card status{"Status", statusText(facts.run->summary.status), {stepsNote(facts)}};
    status.tone = statusTone(facts.run->summary.status);
    if (!r.losses.empty()) {
        status.notes.push_back(lossNote(facts));
    }
    if (facts.pretended()) {  // nothing was executed
        return {{std::move(peak), std::move(status)}};
    }
    return {{std::move(peak),
             {"Step time, median", stepTimeText(r.stepMs), {intervalText(r.stepMs)}},
             std::move(throughput),
             std::move(status)}};
}

Paragraph setupParagraph(const Facts& facts) {
    if (const auto& script = facts.run->script; script && !script->pretended()) {
        return paragraph(
            fmt::format("The script \"{}\", watched while it trained: peaks are those of PyTorch's "
                        "allocator, on a CPU those of the traced steps.",
                        wire::commandText(*script)));
    } else if (script) {
        return paragraph(
            fmt::format("The script \"{}\", run on a pretended GPU, {}: nothing was executed. Memory is "
                        "what PyTorch's own allocator gave out; there are no times and no results.",
                        wire::commandText(*script), script->gpu));
    }
    std::int64_t parameters = 0;
    for (const wire::LayerCost& layer : facts.result().layers) {
        parameters += layer.type == "block" ? 0 : layer.parameters;
    }
    std::int64_t layers = 0;
    for (const ListedLayer& l : listed(facts.run->experiment.stack)) {
        layers += std::holds_alternative<stack::Block>(l.layer->op) ? 0 : 1;
    }
    std::string text = base::counted(layers, "layer");
    if (parameters > 0) {
        text += fmt::format(" with {} parameters", base::formatCount(parameters));
    }
    text += fmt::format(", trained on {}. {}", inputText(facts), setupText(facts.run->experiment));
    if (const auto& python = facts.run->python) {
        text += fmt::format(" The exported program ran with {}{}, not with Highwater's engine.",
                            wire::pythonText(*python),
                            python->pretended() ? " on a pretended GPU, which executes nothing" : "");
        if (python->share) {
            text += fmt::format(" Of its time, {}.", wire::shareText(*python->share));
        }
    }
    return paragraph(text);
}

}  // namespace highwater::report
