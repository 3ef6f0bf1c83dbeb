#include "core/script/changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/script/launch.h"

namespace highwater::script {
namespace {

constexpr double kPasses = 3;  // forward and both halves of backward take about the same work
constexpr int kAmpere = 80;

/// "BasicBlockD, StackedConvBlocks"
std::string classesOf(const ModuleSet& set) {
    std::vector<std::string> names;
    for (const ModuleCost* module : set.modules) {
        if (std::ranges::find(names, module->className) == names.end()) {
            names.push_back(module->className);
        }
    }
    constexpr std::size_t kMost = 3;
    const bool more = names.size() > kMost;
    names.resize(std::min(names.size(), kMost));
    return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

Change recomputing(const ModuleSet& set, double modelFlops) {
    Change change;
    change.kind = "recompute";
    change.name =
        fmt::format("recompute {} ({})",
                    base::counted(static_cast<std::int64_t>(set.modules.size()), "module"), classesOf(set));
    change.work = modelFlops > 0 ? set.flops / (kPasses * modelFlops) : 0;
    change.lines.push_back("MODULES = {");
    std::string line;
    for (const ModuleCost* module : set.modules) {
        change.modules.push_back(module->name);
        const std::string word = nlohmann::json(module->name).dump() + ",";
        if (line.size() + word.size() > 110) {
            change.lines.push_back("    " + line);
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    change.lines.insert(change.lines.end(), {"    " + line, "}"});
    change.model = {"for name, module in model.named_modules():", "    if name in MODULES:",
                    "        wrap(module, recompute)"};
    return change;
}

void addRecomputation(const ScriptNeed& need, const ModuleCost& model, std::vector<Change>& changes) {
    if (std::ranges::find(need.script.ownCheckpoints, model.root) != need.script.ownCheckpoints.end()) {
        Change own;
        own.kind = "recompute";
        own.name = "the model's own gradient_checkpointing_enable()";
        own.work = 1 / kPasses;
        own.model = {
            "model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={\"use_reentrant\": False})"};
        changes.push_back(std::move(own));
    }
    for (const ModuleSet& set : setsToRecompute(need.script, need.peak, need.target)) {
        changes.push_back(recomputing(set, model.flops));
    }
    constexpr std::int64_t kMostParts = 8;
    for (std::int64_t parts = 2; model.splits && parts <= std::min(model.batch, kMostParts); parts *= 2) {
        Change change;
        change.kind = "parts";
        change.name = fmt::format("the model computes the batch in {} parts", parts);
        change.results = model.batchNorm ? SameResults::Other : SameResults::Rounding;
        change.difference = model.batchNorm       ? "a batch norm normalizes each part by itself"
                            : need.script.dropout ? "dropout draws other random numbers"
                                                  : "gradients are summed in another order";
        change.results = need.script.dropout ? SameResults::Other : change.results;
        change.work = 1 / kPasses;
        change.model = {fmt::format("wrap(model, functools.partial(in_parts, {}))", parts)};
        changes.push_back(std::move(change));
    }
}

void addPrecision(const ScriptNeed& need, std::vector<Change>& changes) {
    if (!need.script.channelsLast) {
        changes.push_back({.kind = "channels_last",
                           .name = "channels last",
                           .results = SameResults::Rounding,
                           .difference = "other kernels round differently",
                           .model = {"for parameter in model.parameters():",
                                     "    parameter.data = channels_last(parameter.data)",
                                     "wrap(model, with_channels_last)"}});
    }
    if (!need.script.autocast && need.architecture >= kAmpere) {
        changes.push_back({.kind = "autocast",
                           .name = "autocast to bfloat16",
                           .results = SameResults::Other,
                           .difference = "the model computes in 16 bits",
                           .model = {"wrap(model, in_bfloat16)"}});
    }
}

void addOptimizers(const ScriptNeed& need, std::vector<Change>& changes) {
    const auto uses = [&](auto which) { return std::ranges::any_of(need.script.optimizers, which); };
    if (uses([](const OptimizerUse& use) { return use.foreach && !use.fused; })) {
        changes.push_back({.kind = "optimizer",
                           .name = "optimizers with foreach=False",
                           .results = SameResults::Rounding,
                           .difference = "other kernels round differently",
                           .lines = {"before_steps(foreach=False)"}});
    }
    if (uses([](const OptimizerUse& use) { return use.canFuse && !use.fused; })) {
        changes.push_back({.kind = "optimizer",
                           .name = "optimizers with fused=True",
                           .results = SameResults::Rounding,
                           .difference = "other kernels round differently",
                           .lines = {"before_steps(foreach=False, fused=True)"}});
    }
}

void addCompilation(const ScriptNeed& need, std::vector<Change>& changes) {
    Change compile{.kind = "compile",
                   .name = "torch.compile",
                   .results = SameResults::Rounding,
                   .difference = "compiled kernels round differently",
                   .compiles = true};
    if (!need.script.compiled) {
        compile.model = {"model.compile()"};
        changes.push_back(compile);
    }
    for (const char* budget : {"0.5", "0.2"}) {
        Change change = compile;
        const std::string set = fmt::format("activation_memory_budget = {}", budget);
        change.name = need.script.compiled ? set : compile.name + ", " + set;
        change.lines = {"import torch._functorch.config", "torch._functorch.config." + set};
        changes.push_back(std::move(change));
    }
}

/// The order in which changes are applied to the model: the last one is the outermost.
int rankOf(const Change& change) {
    static constexpr std::array kOrder{"expandable",    "set_to_none", "optimizer", "half_batch", "recompute",
                                       "channels_last", "autocast",    "parts",     "compile"};
    return static_cast<int>(std::ranges::find(kOrder, change.kind) - kOrder.begin());
}

std::vector<std::string> piecesOf(std::string_view text, std::string_view between) {
    std::vector<std::string> pieces;
    for (std::size_t end = 0; end != std::string_view::npos && !text.empty();) {
        end = text.find(between);
        pieces.emplace_back(base::trimmed(text.substr(0, end), "\n"));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + between.size());
    }
    return pieces;
}

/// changes.py: its imports, and its functions in order.
struct Parts {
    std::vector<std::string> imports, functions;
};

Parts partsOf(const std::string& text) {
    Parts parts;
    for (std::string& piece : piecesOf(text, "\n\n\n")) {
        if (piece.starts_with("def ") || piece.starts_with("@")) {
            parts.functions.push_back(std::move(piece));
            continue;
        }
        for (const std::string& line : piecesOf(piece, "\n")) {
            if (line.starts_with("import ") || line.starts_with("from ")) {
                parts.imports.push_back(line);
            }
        }
    }
    return parts;
}

bool usesWord(std::string_view text, std::string_view word) {
    const auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !inWord(text[at - 1])) && (end == text.size() || !inWord(text[end]))) {
            return true;
        }
    }
    return false;
}

std::string nameOf(const std::string& function) {
    const std::size_t begin = function.find("def ") + 4;
    return function.substr(begin, function.find('(', begin) - begin);
}

/// The functions that `text` uses, and those that they use.
std::string functionsFor(const std::string& text, const std::vector<std::string>& functions) {
    std::set<std::size_t> used;
    std::string all = text;
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < functions.size(); ++i) {
            if (!used.contains(i) && usesWord(all, nameOf(functions[i]))) {
                used.insert(i);
                all += "\n" + functions[i];
                more = true;
            }
        }
    }
    std::string wanted;
    for (const std::size_t i : used) {
        wanted += functions[i] + "\n\n\n";
    }
    return wanted;
}

/// The imports whose names `text` uses; of "from a import b, c" those names alone.
std::string importsFor(const std::string& text, const std::vector<std::string>& imports, bool ofTorch) {
    std::string wanted;
    for (const std::string& line : imports) {
        const std::size_t at = line.find("import ") + 7;
        if (line.find("torch") == std::string::npos ? ofTorch : !ofTorch) {
            continue;
        }
        std::vector<std::string> names;
        for (const std::string& name : piecesOf(line.substr(at), ",")) {
            if (usesWord(text, base::trimmed(name))) {
                names.emplace_back(base::trimmed(name));
            }
        }
        if (!names.empty()) {
            wanted += fmt::format("{}{}\n", line.substr(0, at), fmt::join(names, ", "));
        }
    }
    return wanted;
}

}  // namespace

std::string_view sameResultsKey(SameResults results) {
    return results == SameResults::Bit ? "equal" : results == SameResults::Rounding ? "rounding" : "other";
}

Change expandableSegments() {
    return {.kind = "expandable",
            .name = "expandable segments",
            .early = {"os.environ[\"PYTORCH_CUDA_ALLOC_CONF\"] = \"expandable_segments:True\""}};
}

std::vector<Change> changesFor(const ScriptNeed& need) {
    std::vector<Change> changes;
    if (need.peak <= need.target || need.everything) {  // it changes what is reserved, not what is allocated
        changes.push_back(expandableSegments());
    }
    if (need.inOptimizer || need.everything) {
        addOptimizers(need, changes);
    }
    if (need.script.keepsGradients) {
        changes.push_back({.kind = "set_to_none",
                           .name = "zero_grad() with set_to_none=True",
                           .difference = "a parameter without a gradient in a step is left as it is",
                           .lines = {"free_gradients()"}});
    }
    const ModuleCost* const model = need.script.model();
    if (model != nullptr && !need.script.compiled) {
        addRecomputation(need, *model, changes);
        addPrecision(need, changes);
    }
    if (need.script.loaderBatch > 1) {
        changes.push_back({.kind = "half_batch",
                           .name = fmt::format("half the batch of the DataLoader ({} instead of {})",
                                               need.script.loaderBatch / 2, need.script.loaderBatch),
                           .results = SameResults::Other,
                           .difference = "each step sees half the samples, unless you let two steps "
                                         "accumulate their gradients",
                           .lines = {"halve_batches()"}});
    }
    if (model != nullptr) {
        addCompilation(need, changes);
    }
    return changes;
}

Change together(std::vector<Change> changes) {
    std::ranges::stable_sort(changes, {}, rankOf);
    Change all;
    std::vector<std::string> kinds, names, differences;
    for (const Change& each : changes) {
        kinds.push_back(each.kind);
        names.push_back(each.name);
        if (!each.difference.empty() &&
            std::ranges::find(differences, each.difference) == differences.end()) {
            differences.push_back(each.difference);
        }
        all.results = std::max(all.results, each.results);
        all.work += each.work;
        all.compiles = all.compiles || each.compiles;
        for (const auto list : {&Change::modules, &Change::early, &Change::model, &Change::lines}) {
            (all.*list).insert((all.*list).end(), (each.*list).begin(), (each.*list).end());
        }
    }
    all.kind = fmt::format("{}", fmt::join(kinds, "+"));
    all.name = fmt::format("{}", fmt::join(names, " + "));
    all.difference = fmt::format("{}", fmt::join(differences, "; "));
    return all;
}

base::Result<std::string> changedScript(const Change& change, const wire::ScriptSource& source,
                                        const std::string& modelClass, const std::string& remark) {
    const auto folder = deviceFolder();
    if (!folder) {
        return folder.error();
    }
    const auto library = base::readFile(*folder / "changes.py");
    if (!library) {
        return library.error();
    }
    const bool module = source.command[0] == "-m";
    std::string script = module ? source.command[1] : source.command[0];
    if (!module) {
        const auto python = findPython(source.python, script);
        const auto found = python ? findScript(script, *python) : python.error();
        if (!found) {
            return found.error();
        }
        std::error_code ignored;
        script = std::filesystem::absolute(*found, ignored).lexically_normal().string();
    }
    const std::string quoted = nlohmann::json(script).dump();
    const std::string shown = module ? "-m " + script : std::filesystem::path(script).filename().string();
    std::string body;
    if (!change.model.empty()) {
        body += "def change(model):\n";
        for (const std::string& line : change.model) {
            body += "    " + line + "\n";
        }
        body += "\n\n";
    }
    const auto isImport = [](const std::string& line) { return line.starts_with("import "); };
    std::string constants, imports, calls;
    bool inConstant = false;
    for (const std::string& line : change.lines) {
        inConstant = inConstant || line.ends_with(" = {");
        (isImport(line) ? imports
         : inConstant   ? constants
                        : calls) += (isImport(line) || inConstant ? "" : "    ") + line + "\n";
        inConstant = inConstant && line != "}";
    }
    const Parts parts = partsOf(*library);
    const std::string functions =
        functionsFor(body + calls + (change.model.empty() ? "" : "when_called"), parts.functions);
    const std::string used = functions + body + calls;
    std::string text = fmt::format(
        "\"\"\"Runs {} with a change, from outside of it: {}.\n\n{}Arguments are those "
        "of the script. Needs only PyTorch; written by highwater-cli script --try.\n\"\"\"\n",
        shown, change.name, remark.empty() ? "" : remark + "\n\n");
    std::set<std::string> plain{"import runpy\n", "import sys\n"};
    if (!module || !change.early.empty()) {
        plain.insert("import os\n");
    }
    for (const std::string& line : piecesOf(importsFor(used, parts.imports, false), "\n")) {
        plain.insert(line + "\n");
    }
    for (const std::string& line : plain) {
        text += line;
    }
    for (const std::string& line : change.early) {
        text += "\n" + line + "  # before PyTorch is imported\n";
    }
    if (const std::string torch = importsFor(used, parts.imports, true) + imports; !torch.empty()) {
        text += "\n" + torch;
    }
    text += fmt::format("\nSCRIPT = {}\n{}\n\n{}{}if __name__ == \"__main__\":\n{}", quoted, constants,
                        functions, body, calls);
    if (!change.model.empty()) {
        text += fmt::format("    when_called({}, change)\n", nlohmann::json(modelClass).dump());
    }
    text += module ? "    sys.path[0] = \"\"\n    sys.argv[0] = SCRIPT\n"
                     "    runpy.run_module(SCRIPT, run_name=\"__main__\", alter_sys=True)\n"
                   : "    sys.path[0] = os.path.dirname(SCRIPT)\n    runpy.run_path(SCRIPT, "
                     "run_name=\"__main__\")\n";
    return text;
}

}  // namespace highwater::script
