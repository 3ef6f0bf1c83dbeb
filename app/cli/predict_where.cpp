#include "app/cli/predict_where.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/ask_cudnn.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/predict_json.h"
#include "core/base/text.h"
#include "core/plan/device_fit.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;
using base::formatBytes;
using plan::DeviceFit;

Place placeOf(const std::string& id, const stack::Experiment& experiment, TargetOptions options) {
    options.target = id;
    options.keepsContext = false;  // a single context would not apply to all these GPUs
    const bool cpu = id == "cpu";
    if (cpu) {  // the options for GPUs do not apply
        options = {};
        options.target = id;
    }
    const auto target = chosenTarget(options, experiment);
    Place place{id, cpu ? "this CPU" : id, {}, {}};
    if (!target) {
        place.fit = target.error();
        return place;
    }
    if (target->gpu) {
        place.name = target->gpu->name;
        place.libtorch = predict::toText(target->versions.libtorch);
        place.cudnn = predict::toText(target->versions.cudnn);
    }
    place.fit = plan::fitOn(experiment, *target, {&interruptFlag(), {}});
    return place;
}

Json placeJson(const Place& place) {
    Json json = {{"target", place.id}, {"device_name", place.name}};
    if (place.fit) {
        json.update(fitJson(*place.fit));
    } else {
        json["error"] = place.fit.error().message;
    }
    return json;
}

std::vector<std::string> rowOf(const Place& place) {
    if (!place.fit) {
        return {place.name, place.id, "", "", "", place.fit.error().message, "", ""};
    }
    const DeviceFit& fit = *place.fit;
    return {place.name,
            place.id,
            fit.capacity > 0 ? formatBytes(fit.capacity) : "",
            plan::needText(fit.peak, fit.atLeast, fit.atMost),
            plan::estimateText(fit),
            plan::verdictText(fit),
            stepText(fit.stepMs),
            fit.largestBatch < 0    ? ""
            : fit.largestBatch == 0 ? "none"
                                    : fmt::format("{}", fit.largestBatch)};
}

/// The size along the axis: the batch size, or the patch as "96x96x64".
std::string axisText(const stack::Experiment& experiment, std::string_view axis) {
    return axis == "batch_size" ? fmt::format("{}", experiment.step.batchSize)
                                : base::formatShapeShort(stack::patchOf(experiment));
}

Json sizeJson(const stack::Experiment& experiment, const predict::Target& target,
              const plan::Trying& trying) {
    Json json = {{"batch_size", experiment.step.batchSize}, {"patch", stack::patchOf(experiment)}};
    const auto need = plan::needOn(experiment, target, trying);
    if (need) {
        json.update(fitJson(*need));
    } else {
        json["error"] = need.error().message;  // the stack does not accept this size
    }
    return json;
}

std::vector<std::string> sizeRow(const stack::Experiment& experiment, const predict::Target& target,
                                 std::string_view axis, const plan::Trying& trying) {
    const auto need = plan::needOn(experiment, target, trying);
    if (!need) {
        return {axisText(experiment, axis), "", "", need.error().message, ""};
    }
    return {axisText(experiment, axis), plan::needText(need->peak, need->atLeast, need->atMost),
            plan::estimateText(*need), plan::verdictText(*need), stepText(need->stepMs)};
}

}  // namespace

std::string titleOf(const stack::Experiment& experiment) {
    return experiment.name.empty() ? "(no name)" : experiment.name;
}

std::vector<Place> placesOf(const stack::Experiment& experiment, const TargetOptions& options) {
    catchInterrupts();
    std::vector<Place> places;
    StatusLine status;
    for (const std::string& id : predict::targetsByMemory()) {
        status.show("predicting for " + id);
        places.push_back(placeOf(id, experiment, options));
        if (interrupts() > 0) {
            break;
        }
    }
    return places;
}

int predictEverywhere(const stack::Experiment& experiment, const TargetOptions& options, bool json) {
    Json devices = Json::array();
    std::vector<std::vector<std::string>> rows = {
        {"device", "--target", "memory", "needs", "estimate", "", "per step", "largest batch"}};
    for (const Place& place : placesOf(experiment, options)) {
        devices.push_back(placeJson(place));
        rows.push_back(rowOf(place));
    }
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (json) {
        printJson({{"devices", std::move(devices)}});
    } else {
        printText("estimates · {}\n", titleOf(experiment));
        printLines(table(rows, {2, 3, 4, 6, 7}));
    }
    return kDone;
}

int predictLargest(const stack::Experiment& experiment, const predict::Target& target,
                   const std::string& axis, const std::string& library, bool json) {
    catchInterrupts();
    std::optional<CudnnQuestions> questions;
    plan::Trying trying{&interruptFlag(), {}};
    if (target.asked && questions.emplace(library).asks()) {
        trying.ask = [&](const predict::Prediction& prediction, predict::Target& taught) {
            return questions->ask(prediction, taught);
        };
    }
    const auto found = plan::largestOn(experiment, target, axis, trying);
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!found) {
        return complain("--largest: " + found.error().message);
    }
    if (json) {
        Json printed = {{"target", target.id}, {"axis", axis}};
        printed["largest"] = found->fits ? sizeJson(*found->fits, target, trying) : Json();
        printed["next"] = found->next ? sizeJson(*found->next, target, trying) : Json();
        printJson(printed);
        return kDone;
    }
    std::vector<std::vector<std::string>> rows = {{axis, "needs", "estimate", "", "per step"}};
    for (const auto& size : {found->fits, found->next}) {
        if (size) {
            rows.push_back(sizeRow(*size, target, axis, trying));
        }
    }
    printText("estimates · {} · {}\n", titleOf(experiment), target.gpu ? target.gpu->name : "this CPU");
    printLines((found->fits ? "" : "Not even the smallest size fits.\n") + table(rows, {0, 1, 2, 4}));
    if (const std::string why = questions ? questions->why() : ""; !why.empty()) {
        printText("{}\n", why);
    }
    return kDone;
}

}  // namespace highwater::cli
