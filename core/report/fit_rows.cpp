#include "core/report/fit_rows.h"

#include <fmt/format.h>

#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/plan/prediction_json.h"
#include "core/report/portable.h"
#include "core/report/words.h"
#include "core/stack/json/json.h"

namespace highwater::report {
namespace {

std::string sizesField(const stack::Sizes& sizes) {
    std::string text;
    for (const std::int64_t size : sizes) {
        text += (text.empty() ? "" : "x") + std::to_string(size);
    }
    return text;
}

std::string timeField(double ms) {
    return ms > 0 ? fmt::format("{}", ms) : "";
}

std::string boundField(const plan::DeviceFit& fit) {
    return fit.atLeast && fit.atMost ? "neither" : fit.atLeast ? "at_least" : fit.atMost ? "at_most" : "";
}

std::vector<std::pair<std::string, std::string>> fieldsOf(const FitRow& row) {
    const plan::DeviceFit& fit = row.fit;
    const bool known = row.error.empty(), rated = known && fit.capacity > 0;
    const bool undecided = (fit.atLeast || fit.atMost) && fit.fits == predict::Fits::Uncertain;
    const auto bytes = [known](base::Bytes value) {
        return known && value > 0 ? std::to_string(value) : std::string();
    };
    return {{"target", row.target},
            {"device_name", row.deviceName},
            {"libtorch", row.libtorch},
            {"cudnn", row.cudnn},
            {"name", row.experiment.name},
            {"batch_size", std::to_string(row.experiment.step.batchSize)},
            {"patch", sizesField(stack::patchOf(row.experiment))},
            {"precision", std::string(stack::precisionName(row.experiment.step.precision))},
            {"fits", rated ? std::string(plan::fitsKey(fit.fits)) : ""},
            {"verdict", known ? plan::verdictText(fit) : ""},
            {"oom_probability", rated && !undecided ? fmt::format("{}", fit.odds) : ""},
            {"need_bytes_low", bytes(fit.peak.low)},
            {"need_bytes", bytes(fit.peak.expected)},
            {"need_bytes_high", bytes(fit.peak.high)},
            {"bound", known ? boundField(fit) : ""},
            {"capacity_bytes", bytes(fit.capacity)},
            {"memory_exact", known ? (fit.exact ? "true" : "false") : ""},
            {"step_ms_low", known ? timeField(fit.stepMs.low) : ""},
            {"step_ms", known ? timeField(fit.stepMs.expected) : ""},
            {"step_ms_high", known ? timeField(fit.stepMs.high) : ""},
            {"host_bytes", bytes(fit.onHost)},
            {"largest_batch_size", known && fit.largestBatch >= 0 ? std::to_string(fit.largestBatch) : ""},
            {"changes", row.changes},
            {"error", row.error}};
}

}  // namespace

FitRow fitRow(const stack::Experiment& experiment, const predict::Target& target, const plan::DeviceFit& fit,
              std::string changes) {
    FitRow row{experiment, target.id, deviceOf(target), target.cpu.libtorch, {}, fit, std::move(changes), {}};
    if (target.gpu) {
        row.libtorch = predict::toText(target.versions.libtorch);
        row.cudnn = predict::toText(target.versions.cudnn);
    }
    return row;
}

std::string fitCsv(const std::vector<FitRow>& rows) {
    std::string names, lines;
    for (const FitRow& row : rows) {
        const bool first = names.empty();
        for (std::string comma; const auto& [name, value] : fieldsOf(row)) {
            names += first ? comma + name : "";
            lines += comma + base::csvField(value);
            comma = ",";
        }
        lines += '\n';
    }
    return names + '\n' + lines;
}

Tone fitTone(predict::Fits fits) {
    return fits == predict::Fits::Yes ? Tone::Good : fits == predict::Fits::No ? Tone::Bad : Tone::Warning;
}

std::string verdictWords(const plan::DeviceFit& fit) {
    return fit.capacity == 0 || fit.fits == predict::Fits::Uncertain
               ? fmt::format("Uncertain: {}", plan::verdictText(fit))
           : fit.fits == predict::Fits::Yes ? "Fits"
                                            : "Does not fit";
}

std::string titleOf(const stack::Experiment& experiment) {
    return experiment.name.empty() ? "Unnamed experiment" : experiment.name;
}

std::string deviceOf(const predict::Target& target) {
    return target.gpu ? target.gpu->name : "this CPU";
}

Card sizeCard(const stack::Experiment& experiment) {
    const bool scan = std::holds_alternative<stack::ScanInput>(experiment.input);
    Card card{scan ? "Batch and patch" : "Batch and input",
              fmt::format("{} of {}", experiment.step.batchSize,
                          base::formatShapeShort(stack::patchOf(experiment)))};
    card.notes = {std::string(stack::precisionName(experiment.step.precision))};
    if (experiment.step.microBatches > 1) {
        card.notes.push_back(fmt::format("as {} micro-batches", experiment.step.microBatches));
    }
    return card;
}

std::string orDash(std::string text) {
    return text.empty() ? "—" : text;
}

std::string estimatesFooter(const std::string& created) {
    return std::string("Nothing was executed or measured: all figures are predicted.") +
           (created.empty() ? "" : " Report made " + readableTime(created) + ".");
}

Parts experimentPart(const stack::Experiment& experiment, const std::string& command) {
    return {heading(2, "Open it again"),
            Paragraph{{{"Save the experiment below as "},
                       {.text = "experiment.json", .code = true},
                       {" and open it with Highwater, or:"}}},
            Code{command}, Code{stack::toText(portable(experiment)), "The experiment"}};
}

std::string targetOptions(const predict::Target& target) {
    std::string text = "--target " + target.id;
    if (target.gpu) {
        text += fmt::format(" --libtorch {} --cudnn {}", predict::toText(target.versions.libtorch),
                            predict::toText(target.versions.cudnn));
    }
    return target.others > 0 ? fmt::format("{} --others {}", text, target.others) : text;
}

}  // namespace highwater::report
