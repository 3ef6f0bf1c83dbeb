#include "core/stack/pytorch/pytorch.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/stack/json/json.h"
#include "core/stack/pytorch/archive.h"
#include "core/stack/pytorch/network.h"
#include "core/stack/shapes.h"

namespace highwater::stack {

namespace {

base::Error named(std::string_view name, std::string_view what) {
    return base::Error{base::oneLine(fmt::format("{}: {}", name, what), 900)};
}

struct Made {
    base::Json json;
    std::vector<std::string> notes;
};

base::Result<pytorch::Graph> readProgram(const base::Result<pytorch::ProgramFiles>& files,
                                         std::string_view name) {
    if (!files) {
        return files.error();
    }
    const auto program = base::parseJson(files->graph, name);
    if (!program) {
        return program.error();
    }
    auto graph = pytorch::readGraph(*program);
    if (!graph) {
        return named(name, graph.error().message);
    }
    if (!files->weights.empty()) {
        const auto weights = base::parseJson(files->weights, name);
        if (!weights) {
            return weights.error();
        }
        pytorch::readTies(*weights, *graph);
    }
    return graph;
}

base::Result<Made> makeExperiment(const base::Result<pytorch::Graph>& graph, std::string_view name,
                                  const PytorchOptions& options) {
    if (!graph) {
        return graph.error();
    }
    auto network = pytorch::convertGraph(*graph, options.output);
    if (!network) {
        return named(name, network.error().message);
    }
    if (network->name.empty()) {
        network->name = std::filesystem::path(name).stem().string();
    }
    auto json = pytorch::experimentOf(*network, options);
    if (!json) {
        return named(name, json.error().message);
    }
    return Made{*std::move(json), std::move(network->notes)};
}

}  // namespace

base::Result<PytorchImport> pytorch::importGraph(const base::Result<Graph>& graph, std::string_view name,
                                                 const PytorchOptions& options) {
    auto made = makeExperiment(graph, name, options);
    if (!made) {
        return made.error();
    }
    auto experiment = experimentFromJson(made->json, name);
    if (!experiment) {
        return experiment.error();
    }
    if (const auto info = inferShapes(*experiment); !info) {
        return named(name, info.error().message);
    }
    return PytorchImport{*std::move(experiment), pytorch::experimentText(made->json), std::move(made->notes)};
}

base::Result<PytorchImport> importPytorchFile(const std::filesystem::path& path,
                                              const PytorchOptions& options) {
    return pytorch::importGraph(readProgram(pytorch::programOfFile(path), path.string()), path.string(),
                                options);
}

base::Result<PytorchImport> importPytorch(std::string_view archive, std::string_view name,
                                          const PytorchOptions& options) {
    return pytorch::importGraph(readProgram(pytorch::programOfBytes(archive, name), name), name, options);
}

base::Result<PytorchText> pytorchExperimentText(const std::filesystem::path& path,
                                                const PytorchOptions& options) {
    auto made =
        makeExperiment(readProgram(pytorch::programOfFile(path), path.string()), path.string(), options);
    if (!made) {
        return made.error();
    }
    return PytorchText{pytorch::experimentText(made->json), std::move(made->notes)};
}

}  // namespace highwater::stack
