#include "app/cli/compare_snapshot.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/ask_cudnn.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/capture/capture.h"
#include "core/predict/recorded/recorded.h"
#include "core/predict/recorded/recorded_text.h"
#include "core/stack/json/json.h"
#include "core/stack/shapes.h"

namespace highwater::cli {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const predict::RecordedComparison& c, const stack::StackInfo& info) {
    Json kinds = Json::object();
    for (const predict::RecordedKind& kind : c.kinds) {
        kinds[std::string(memory::categoryKey(kind.category))] = {
            {"predicted", kind.predicted}, {"recorded", kind.recorded}, {"kept_longer", kind.keptLonger}};
    }
    Json others = Json::array();
    for (const predict::UnexplainedBlocks& other : c.others) {
        others.push_back({{"label", other.label}, {"blocks", other.blocks}, {"bytes", other.bytes}});
    }
    Json workspaces = Json::array();
    for (const predict::RecordedWorkspace& each : c.workspaces) {
        workspaces.push_back(
            {{"layer",
              each.layer >= 0 ? Json(info.layers[static_cast<std::size_t>(each.layer)].name) : Json()},
             {"part", predict::convPartKey(each.part)},
             {"predicted",
              {{"low", each.predicted.low},
               {"expected", each.predicted.expected},
               {"high", each.predicted.high}}},
             {"recorded", each.steps > 0 ? Json(each.recorded) : Json()},
             {"steps", each.steps},
             {"varies", each.varies}});
    }
    return {{"steps", c.steps},
            {"requests", c.requests},
            {"requests_found", c.found},
            {"peak",
             {{"predicted",
               {{"low", c.predictedPeak.low},
                {"expected", c.predictedPeak.expected},
                {"high", c.predictedPeak.high}}},
              {"recorded", c.recordedPeak},
              {"whole_recording", c.highest}}},
            {"at_peak", kinds},
            {"unexplained", {{"bytes", c.unexplained}, {"by_place", others}}},
            {"workspaces", workspaces}};
}

void print(const predict::RecordedComparison& comparison, const stack::StackInfo& info) {
    for (const std::string& line : predict::comparisonLines(comparison, info)) {
        fmt::print("{}\n", line);
    }
    fmt::print("\n{}", table(predict::kindRows(comparison), {1, 2, 3}));
    if (!comparison.workspaces.empty()) {
        fmt::print("\n{}", table(predict::workspaceRows(comparison, info), {2, 4}));
    }
}

}  // namespace

int compareSnapshot(const std::string& file, const std::string& snapshot, const SnapshotOptions& options) {
    const auto experiment = stack::loadExperiment(file);
    if (!experiment) {
        return complain(experiment.error().message);
    }
    const auto info = stack::inferShapes(*experiment);
    if (!info) {
        return complain(file + ": " + info.error().message);
    }
    if (options.target.target == "cpu") {
        return complain(
            "--target: a snapshot is of a GPU; name the one on which it was recorded, such as "
            "rtx4090 (see `highwater-cli devices`)");
    }
    auto target = chosenTarget(options.target, *experiment);
    if (!target) {
        return complain(target.error().message);
    }
    auto prediction = predict::predict(*experiment, *info, *target);
    if (!prediction) {
        return complain(file + ": " + prediction.error().message);
    }
    catchInterrupts();
    askCudnn(options.library, *experiment, *info, *target, *prediction);
    StatusLine status;
    const auto recording = capture::readSnapshot(snapshot, {}, [&](double done) {
        status.show(fmt::format("reading the snapshot: {:.0f} %", 100 * done));
        return interrupts() == 0;
    });
    status.clear();
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!recording) {
        return complain(recording.error().message);
    }
    const auto comparison =
        predict::compareWithRecording(*experiment, *info, *target, *recording, &interruptFlag());
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!comparison) {
        return complain(snapshot + ": " + comparison.error().message);
    }
    const predict::GpuTable rows = predict::measuredRows(*comparison, *target);
    const std::filesystem::path folder = predict::gpuTableFolders().front();
    if (options.learn && rows.size() > 0) {
        if (const base::Status kept = predict::keepMeasured(rows, folder); !kept) {
            return complain(kept.error().message);
        }
    }
    const std::string kept = (folder / predict::gpuTableFileName(rows.key())).string();
    if (options.json) {
        Json json = toJson(*comparison, *info);
        json["learned"] = options.learn ? Json(rows.size()) : Json();
        json["table"] = options.learn && rows.size() > 0 ? Json(kept) : Json();
        printJson(json);
        return kDone;
    }
    print(*comparison, *info);
    if (options.learn) {
        fmt::print("\n{} kept as measured on the {} with LibTorch {} and cuDNN {}, in {}\n",
                   base::counted(static_cast<std::int64_t>(rows.size()), "workspace"), target->gpu->name,
                   predict::toText(target->versions.libtorch), predict::toText(target->versions.cudnn), kept);
    }
    return kDone;
}

}  // namespace highwater::cli
