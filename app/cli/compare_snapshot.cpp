#include "app/cli/compare_snapshot.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/ask_cudnn.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/text.h"
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
        printText("{}\n", line);
    }
    printLines("\n" + table(predict::kindRows(comparison), {1, 2, 3}));
    if (!comparison.workspaces.empty()) {
        printLines("\n" + table(predict::workspaceRows(comparison, info), {2, 4}));
    }
}

struct Setup {
    stack::Experiment experiment;
    stack::StackInfo info;
    predict::Target target;
};

/// Loads the experiment and the GPU, with cuDNN's answers. The message of an Error names the file or the
/// option.
base::Result<Setup> makeSetup(const std::string& file, const SnapshotOptions& options) {
    auto experiment = HIGHWATER_TRY(stack::loadExperiment(file));
    auto info = HIGHWATER_TRY(base::prefixed(file, stack::inferShapes(experiment)));
    if (options.target.target == "cpu") {
        return base::Error{
            "--target: a snapshot is of a GPU; name the one on which it was recorded, such as rtx4090 (see "
            "`highwater-cli devices`)"};
    }
    auto target = HIGHWATER_TRY(chosenTarget(options.target, experiment));
    auto prediction = HIGHWATER_TRY(base::prefixed(file, predict::predict(experiment, info, target)));
    askCudnn(options.library, experiment, info, target, prediction);
    return Setup{std::move(experiment), std::move(info), std::move(target)};
}

base::Result<memory::Trace> readWithProgress(const std::string& snapshot) {
    StatusLine status;
    return capture::readSnapshot(snapshot, {}, [&](double done) {
        status.show(fmt::format("reading the snapshot: {:.0f} %", 100 * done));
        return interrupts() == 0;
    });
}

/// What was done with the workspaces that were found.
struct Learned {
    std::size_t rows = 0;
    std::string file;  ///< the table; empty if nothing was kept
};

base::Result<Learned> learn(const predict::RecordedComparison& comparison, const predict::Target& target) {
    const predict::GpuTable rows = predict::measuredRows(comparison, target);
    if (rows.size() == 0) {
        return Learned{};
    }
    const std::filesystem::path folder = predict::gpuTableFolders().front();
    HIGHWATER_TRY(predict::keepMeasured(rows, folder));
    return Learned{rows.size(), (folder / predict::gpuTableFileName(rows.key())).string()};
}

void printLearned(const Learned& learned, const predict::Target& target) {
    const std::string count = base::counted(static_cast<std::int64_t>(learned.rows), "workspace");
    if (learned.rows == 0) {
        printText("\nNothing was learned: no workspace was found that is the same in all steps.\n");
        return;
    }
    printText("\n{} kept as measured on the {} with LibTorch {} and cuDNN {}, in {}\n", count,
              target.gpu->name, predict::toText(target.versions.libtorch),
              predict::toText(target.versions.cudnn), learned.file);
}

}  // namespace

int compareSnapshot(const std::string& file, const std::string& snapshot, const SnapshotOptions& options) {
    catchInterrupts();
    const auto setup = HIGHWATER_TRY_OR_COMPLAIN(makeSetup(file, options));
    const auto recording = readWithProgress(snapshot);
    if (!recording && interrupts() == 0) {
        return complain(recording.error().message);
    }
    const auto comparison = recording
                                ? predict::compareWithRecording(setup.experiment, setup.info, setup.target,
                                                                *recording, &interruptFlag())
                                : base::Result<predict::RecordedComparison>(recording.error());
    if (interrupts() > 0) {
        return complain("interrupted", kInterrupted);
    }
    if (!comparison) {
        return complain(snapshot + ": " + comparison.error().message);
    }
    const auto learned = HIGHWATER_TRY_OR_COMPLAIN(options.learn ? learn(*comparison, setup.target)
                                                                 : base::Result<Learned>(Learned()));
    if (options.json) {
        Json json = toJson(*comparison, setup.info);
        json["learned"] = options.learn ? Json(learned.rows) : Json();
        json["table"] = learned.file.empty() ? Json() : Json(learned.file);
        printJson(json);
        return kDone;
    }
    print(*comparison, setup.info);
    if (options.learn) {
        printLearned(learned, setup.target);
    }
    return kDone;
}

}  // namespace highwater::cli
