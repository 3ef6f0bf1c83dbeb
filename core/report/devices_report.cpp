#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/plan/prediction_json.h"
#include "core/plan/prediction_words.h"
#include "core/report/fit_rows.h"
#include "core/report/portable.h"
#include "core/report/prediction_report.h"
#include "core/report/words.h"
#include "core/stack/json/json.h"

namespace highwater::report {
namespace {

using base::formatBytes;
using Device = DevicesInput::Device;

std::string largestText(const plan::DeviceFit& fit) {
    return fit.largestBatch < 0 ? "—" : fit.largestBatch == 0 ? "none" : std::to_string(fit.largestBatch);
}

/// "LibTorch 2.4, cuDNN 9.1"; empty if it is not known.
std::string softwareText(const Device& device) {
    return device.libtorch.empty()
               ? ""
               : "LibTorch " + device.libtorch + (device.cudnn.empty() ? "" : ", cuDNN " + device.cudnn);
}

/// The software that all GPUs of the list have; empty if it differs.
std::string commonSoftware(const DevicesInput& input) {
    std::string common;
    for (const Device& device : input.devices) {
        const std::string text = softwareText(device);
        if (!text.empty() && !common.empty() && text != common) {
            return "";
        }
        common = text.empty() ? common : text;
    }
    return common;
}

TableRow deviceRow(const Device& device, const std::string& note) {
    const Cell name{.text = device.name, .note = note, .fit = Fit::Name};
    if (!device.fit) {
        return {name,  {"—"}, {"—"}, {"—"}, {.text = device.fit.error().message, .fit = Fit::Wide},
                {"—"}, {"—"}};
    }
    const plan::DeviceFit& fit = *device.fit;
    return {name,
            {fit.capacity > 0 ? formatBytes(fit.capacity) : "—"},
            {plan::needText(fit.peak, fit.atLeast, fit.atMost)},
            {orDash(plan::estimateText(fit))},
            {.text = plan::verdictText(fit), .tone = fit.capacity > 0 ? fitTone(fit.fits) : Tone::Muted},
            {orDash(plan::stepText(fit.stepMs))},
            {largestText(fit)}};
}

Cards countCards(const DevicesInput& input) {
    const auto count = [&](predict::Fits fits) {
        return std::count_if(input.devices.begin(), input.devices.end(), [fits](const Device& device) {
            return device.fit && device.fit->capacity > 0 && device.fit->fits == fits;
        });
    };
    return {{{"Fits",
              fmt::format("{} of {}", count(predict::Fits::Yes), input.devices.size()),
              {"devices"},
              Tone::Good},
             {"Uncertain", std::to_string(count(predict::Fits::Uncertain)), {}, Tone::Warning},
             {"Does not fit", std::to_string(count(predict::Fits::No)), {}, Tone::Bad}}};
}

Parts changesPart(const DevicesInput& input) {
    if (input.changes.empty()) {
        return {};
    }
    std::vector<TableRow> rows;
    for (const DevicesInput::Change& change : input.changes) {
        rows.push_back({{.text = change.title, .note = change.what, .fit = Fit::Wide},
                        {plan::needText(change.fit.peak, change.fit.atLeast, change.fit.atMost)},
                        {.text = plan::verdictText(change.fit), .tone = fitTone(change.fit.fits)},
                        {orDash(plan::stepText(change.fit.stepMs))}});
    }
    return {heading(2, fmt::format("Changes that need less on {}", input.changesOn)),
            Table{{{"change"}, {"needs", true}, {"verdict"}, {"per step", true}}, std::move(rows)}};
}

List assumptions(const DevicesInput& input) {
    List list{
        {"Times are estimates, and so is memory where it is not called exact.",
         "Each device is compared with its memory, less the CUDA context and what other programs use.",
         "cuDNN uses different kernels on each generation of GPUs, so the same experiment needs different "
         "amounts of memory."}};
    list.items.insert(list.items.end(), input.remarks.begin(), input.remarks.end());
    return list;
}

Document devicesDocument(const DevicesInput& input) {
    Document document;
    const std::string common = commonSoftware(input);
    document.title = titleOf(input.experiment);
    document.created = input.created;
    document.head = {paragraph("Highwater report · where does it fit?", Paragraph::Kind::Eyebrow),
                     heading(1, document.title),
                     paragraph(common.empty() ? "Predicted for each device; nothing was executed"
                                              : "Predicted for each device, GPUs with " + common +
                                                    "; nothing was executed",
                               Paragraph::Kind::Meta),
                     countCards(input),
                     paragraph(setupText(input.experiment)),
                     heading(2, "Assumptions"),
                     assumptions(input),
                     heading(2, "Devices")};
    std::vector<TableRow> rows;
    for (const Device& device : input.devices) {
        rows.push_back(deviceRow(device, common.empty() ? softwareText(device) : ""));
    }
    document.head.push_back(Table{{{"device"},
                                   {"available", true},
                                   {"needs", true},
                                   {"range", true},
                                   {"verdict"},
                                   {"per step", true},
                                   {"largest batch", true}},
                                  std::move(rows)});
    add(document.head, changesPart(input));
    add(document.head, experimentPart(input.experiment, "highwater-cli predict experiment.json --all"));
    document.footer = estimatesFooter(input.created);
    return document;
}

std::string devicesCsv(const DevicesInput& input) {
    std::vector<FitRow> rows;
    for (const Device& device : input.devices) {
        rows.push_back({input.experiment,
                        device.id,
                        device.name,
                        device.libtorch,
                        device.cudnn,
                        device.fit ? *device.fit : plan::DeviceFit{},
                        {},
                        device.fit ? "" : device.fit.error().message});
    }
    return fitCsv(rows);
}

std::string devicesText(const DevicesInput& input) {
    nlohmann::ordered_json devices = nlohmann::ordered_json::array();
    for (const Device& device : input.devices) {
        nlohmann::ordered_json entry = {{"target", device.id}, {"device_name", device.name}};
        if (device.fit) {
            entry.update(plan::fitJson(*device.fit));
        } else {
            entry["error"] = device.fit.error().message;
        }
        devices.push_back(std::move(entry));
    }
    const nlohmann::ordered_json document = {{"schema", "highwater.report/1"},
                                             {"experiment", stack::toJson(portable(input.experiment))},
                                             {"devices", std::move(devices)}};
    return base::jsonText(document, 2) + "\n";
}

}  // namespace

Content contentOf(const DevicesInput& input) {
    return {[&] { return devicesDocument(input); }, [&] { return devicesCsv(input); },
            [&] { return devicesText(input); }};
}

}  // namespace highwater::report
