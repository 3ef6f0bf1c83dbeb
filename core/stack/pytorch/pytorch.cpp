#include "core/stack/pytorch/pytorch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/file_kind.h"
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

/// An archive may contain its graph compressed to a twentieth.
base::MemoryBudget budgetOf(std::uintmax_t fileBytes) {
    constexpr std::uintmax_t kLeast = 8 * base::kMiB;
    return base::MemoryBudget(static_cast<base::Bytes>(std::max(fileBytes, kLeast)));
}

/// What the Python package passes: a graph without its archive.
base::Result<pytorch::Graph> readJsonProgram(std::string_view text, std::string_view name,
                                             base::MemoryBudget& budget) {
    const auto json = base::parseJson(text, name, budget);
    if (!json) {
        return json.error();
    }
    if (!json->contains("program")) {
        const std::string what = base::whatItIs(text);
        return named(name, what.empty() || what == "is JSON"
                               ? "has no \"program\", the graph that torch.export.save writes as JSON"
                               : base::wrongKind(what, "a program that torch.export.save wrote"));
    }
    auto graph = pytorch::readGraph((*json)["program"], budget);
    if (!graph) {
        return named(name, graph.error().message);
    }
    if (json->contains("ties")) {
        pytorch::readOtherNames((*json)["ties"], *graph);
    }
    return graph;
}

base::Result<pytorch::Graph> readArchive(const base::Result<pytorch::ProgramFiles>& read,
                                         std::string_view name, base::MemoryBudget& budget) {
    if (!read) {
        return read.error();
    }
    const pytorch::ProgramFiles& files = *read;
    budget.take(files.graph.size() + files.weights.size());
    const auto program = base::parseJson(files.graph, name, budget);
    if (!program) {
        return program.error();
    }
    auto graph = pytorch::readGraph(*program, budget);
    if (!graph) {
        return named(name, graph.error().message);
    }
    if (!files.weights.empty()) {
        const auto weights = base::parseJson(files.weights, name, budget);
        if (!weights) {
            return weights.error();
        }
        pytorch::readTies(*weights, *graph);
    }
    return graph;
}

}  // namespace

base::Result<PytorchImport> pytorch::importGraph(const base::Result<Graph>& graph, std::string_view name,
                                                 const PytorchOptions& options, base::MemoryBudget& budget) {
    if (!graph) {
        return graph.error();
    }
    if (const auto known = pytorch::checkOptions(options); !known) {
        return known.error();
    }
    auto network = pytorch::convertGraph(*graph, options, budget);
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
    auto experiment = experimentFromJson(*json, name);
    if (!experiment) {
        return experiment.error();
    }
    if (const auto info = inferShapes(*experiment); !info) {
        return named(name, info.error().message);
    }
    return PytorchImport{*std::move(experiment), pytorch::experimentText(*json), std::move(network->notes),
                         std::move(network->parameters)};
}

namespace {

bool beginsLikeJson(const std::filesystem::path& path) {
    const auto file = base::openRegular(path);
    char first = 0;
    return file && ::read(file->get(), &first, 1) == 1 && first == '{';
}

}  // namespace

base::Result<PytorchImport> importPytorchFile(const std::filesystem::path& path,
                                              const PytorchOptions& options) {
    const std::string name = path.string();
    std::error_code ignored;
    const auto size = std::filesystem::file_size(path, ignored);
    base::MemoryBudget budget = budgetOf(ignored ? 0 : size);
    if (beginsLikeJson(path)) {
        const auto text = base::readFile(path, pytorch::kMostGraphBytes);
        return pytorch::importGraph(text ? readJsonProgram(*text, name, budget) : text.error(), name, options,
                                    budget);
    }
    return pytorch::importGraph(readArchive(pytorch::programOfFile(path), name, budget), name, options,
                                budget);
}

base::Result<PytorchImport> importPytorch(std::string_view bytes, std::string_view name,
                                          const PytorchOptions& options) {
    base::MemoryBudget budget = budgetOf(bytes.size());
    return pytorch::importGraph(bytes.starts_with("{")
                                    ? readJsonProgram(bytes, name, budget)
                                    : readArchive(pytorch::programOfBytes(bytes, name), name, budget),
                                name, options, budget);
}

}  // namespace highwater::stack
