#include "core/report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/base/overloaded.h"
#include "core/base/paths.h"
#include "core/base/text.h"

namespace highwater::report {
namespace {

void list(const std::vector<stack::Layer>& stack, int depth, std::vector<ListedLayer>& out) {
    for (const stack::Layer& layer : stack) {
        out.push_back({&layer, depth});
        if (const auto* block = std::get_if<stack::Block>(&layer.op)) {
            list(block->layers, depth + 1, out);
        }
    }
}

std::string checkpointText(const stack::Checkpointing& c) {
    switch (c.kind) {
        case stack::Checkpointing::Kind::Blocks:
            return "checkpointing by block";
        case stack::Checkpointing::Kind::None:
            return "no checkpointing";
        case stack::Checkpointing::Kind::Sqrt:
            return "checkpointing in √n segments";
        case stack::Checkpointing::Kind::Segments:
            return fmt::format("checkpointing in {} segments", c.segments);
        case stack::Checkpointing::Kind::Plan:
            return fmt::format("checkpointing by a plan of {}",
                               base::counted(static_cast<std::int64_t>(c.plan.size()), "part"));
    }
    return "";
}

std::string targetText(const stack::Target& target) {
    switch (target.kind) {
        case stack::Target::Kind::Input:
            return "the input";
        case stack::Target::Kind::Threshold:
            return fmt::format("labels at {} and above", target.threshold);
        case stack::Target::Kind::Labels:
            return target.labels.empty() ? "each case's label map"
                                         : std::filesystem::path(target.labels).filename().string();
        case stack::Target::Kind::Classes:
            return fmt::format("{} random classes", target.classes);
    }
    return "";
}

std::string optimizerText(const stack::Optimizer& o) {
    constexpr std::array<const char*, 3> kNames = {"SGD", "Adam", "AdamW"};
    std::string text = fmt::format("{}, learning rate {}", kNames[static_cast<std::size_t>(o.kind)], o.lr);
    if (o.kind == stack::Optimizer::Kind::Sgd && o.momentum != 0) {
        text += fmt::format(", {}momentum {}", o.nesterov ? "Nesterov " : "", o.momentum);
    }
    if (o.weightDecay != 0) {
        text += fmt::format(", weight decay {}", o.weightDecay);
    }
    if (o.foreach) {
        text += ", all parameters together";
    }
    return text;
}

std::string patchText(const stack::Input& input) {
    if (const auto* scan = std::get_if<stack::ScanInput>(&input)) {
        return fmt::format("patches of {}", base::formatShape(scan->patch));
    }
    return fmt::format("inputs of {}", base::formatShape(std::get<stack::SyntheticInput>(input).shape));
}

}  // namespace

std::string optionsText(const stack::Layer& layer, stack::Checkpointing::Kind checkpointing) {
    stack::Words said;
    said.byBlock = checkpointing == stack::Checkpointing::Kind::Blocks;
    std::vector<std::string> words = stack::wordsOf(layer.op, said);
    if (!layer.id.empty()) {
        words.push_back("named " + layer.id);
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<ListedLayer> listed(const std::vector<stack::Layer>& stack) {
    std::vector<ListedLayer> out;
    list(stack, 0, out);
    return out;
}

std::string precisionText(stack::Precision precision) {
    const std::string name(stack::precisionName(precision));
    return stack::isTrueHalf(precision) ? name.substr(0, 4) + " throughout, parameters too" : name;
}

std::string setupText(const stack::Experiment& e) {
    constexpr std::array kLosses = {"mean squared error",
                                    "cross entropy",
                                    "dice",
                                    "dice and cross entropy",
                                    "binary cross entropy",
                                    "sigmoid dice",
                                    "sigmoid dice and binary cross entropy",
                                    "mean"};
    static_assert(kLosses.size() == stack::kLossNames.size());
    const stack::Step& s = e.step;
    std::string text = fmt::format("Batches of {}, {}; {}{}; {}.", s.batchSize, patchText(e.input),
                                   precisionText(s.precision), s.channelsLast ? ", channels last" : "",
                                   checkpointText(s.checkpoint));
    if (s.microBatches > 1) {
        text.insert(text.size() - 1, fmt::format("; {} micro-batches", s.microBatches));
    }
    if (s.train && s.keepOutput) {
        text.insert(text.size() - 1, "; outputs kept through backward");
    }
    if (s.train && s.clipGradients > 0) {
        text.insert(text.size() - 1, fmt::format("; gradients clipped at a norm of {}", s.clipGradients));
    }
    if (s.train && s.keepGradients) {
        text.insert(text.size() - 1, "; gradients kept between steps");
    }
    text += fmt::format(" {}; {}{}.", s.train ? optimizerText(e.optimizer) : "Forward only",
                        std::string("loss: ") + kLosses[static_cast<std::size_t>(e.loss)],
                        e.loss == stack::Loss::Mean ? ""
                                                    : " against " + targetText(e.target) +
                                                          (s.softTargets ? " as probabilities" : ""));
    return text + fmt::format(" Seed {}.", s.seed);
}

namespace {

std::string cohortText(const std::string& folder, std::int64_t cases) {
    const std::filesystem::path path = std::filesystem::path(folder + "/").parent_path();
    const std::string text = "the cohort " + path.filename().string();
    return cases == 0 ? text : text + ", " + base::counted(cases, "case");
}

}  // namespace

std::string inputText(const Facts& facts) {
    const auto* scan = std::get_if<stack::ScanInput>(&facts.run->experiment.input);
    if (!scan) {
        return "random values";
    }
    if (!scan->cohort.empty()) {
        return cohortText(scan->cohort, facts.result().cases);
    }
    std::vector<std::string> names;
    for (const stack::ScanSource& source : scan->scans) {
        names.push_back(source.path == base::kHeadPhantom
                            ? "the head phantom"
                            : std::filesystem::path(source.path).filename().string());
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string readableTime(const std::string& iso) {
    return iso.size() >= 17 && iso[10] == 'T' && iso.back() == 'Z'
               ? iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC"
               : iso;
}

std::string commandLine(const Facts& facts) {
    const wire::Environment& environment = facts.environment();
    std::string text = "highwater-cli run experiment.json";
    if (!environment.device.empty()) {
        text += " --device " + environment.device;
    }
    if (const std::string& host = facts.run->summary.host; !host.empty()) {
        text += " --host " + host;
    }
    if (facts.started) {
        text += fmt::format(" --steps {} --warmup {}", facts.started->steps, facts.started->warmup);
    }
    if (facts.budget) {
        text += fmt::format(" --budget {}", *facts.budget);
    }
    return text;
}

}  // namespace highwater::report
