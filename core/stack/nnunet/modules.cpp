#include "core/stack/nnunet/modules.h"

#include <fmt/format.h>

#include <variant>

namespace highwater::stack {

namespace {

bool isBranch(const Layer& layer) {
    const auto* const merge = std::get_if<Merge>(&layer.op);
    return merge != nullptr && merge->kind == Merge::Kind::Branch;
}

/// The number of layers that are executed, as PlanPart counts them.
std::int64_t countOf(const Layer& layer) {
    const auto* const block = std::get_if<Block>(&layer.op);
    if (block == nullptr) {
        return isBranch(layer) ? 0 : 1;
    }
    std::int64_t count = 0;
    for (const Layer& inner : block->layers) {
        count += countOf(inner);
    }
    return count;
}

/// Follows the layers as network.cpp arranges them.
class ModuleList {
public:
    explicit ModuleList(NnunetGrain grain) : grain_(grain) {}

    std::vector<NnunetModule> of(const Experiment& experiment) {
        int encoder = 0, decoder = 0;
        for (const Layer& layer : experiment.stack) {
            const auto* const block = std::get_if<Block>(&layer.op);
            if (block == nullptr) {
                at_ += countOf(layer);
            } else if (block->name == "stem") {
                addUnits(*block, "encoder.stem");
            } else if (block->name.starts_with("encoder")) {
                addEncoder(*block, fmt::format("encoder.stages.{}", encoder++));
            } else {
                addUnits(*block, fmt::format("decoder.stages.{}", decoder++));
            }
        }
        return std::move(all_);
    }

private:
    void addEncoder(const Block& stage, const std::string& name) {
        if (!std::holds_alternative<Block>(stage.layers.front().op)) {
            // A torch.nn.Sequential with one StackedConvBlocks.
            addUnits(stage, grain_ == NnunetGrain::Stages ? name : name + ".0");
            return;
        }
        const std::int64_t first = at_;
        int block = 0;
        for (const Layer& residual : stage.layers) {
            const std::int64_t begin = at_;
            at_ += countOf(residual);
            if (grain_ == NnunetGrain::Blocks) {
                all_.push_back({fmt::format("{}.blocks.{}", name, block++), begin, at_});
            }
        }
        if (grain_ == NnunetGrain::Stages) {
            all_.push_back({name, first, at_});
        }
    }

    /// A StackedConvBlocks: it begins at the first convolution, and ends before a head.
    void addUnits(const Block& stage, const std::string& name) {
        std::vector<NnunetModule> units;
        bool open = false;
        for (const Layer& layer : stage.layers) {
            if (std::holds_alternative<Conv>(layer.op)) {
                units.push_back({fmt::format("{}.convs.{}", name, units.size()), at_, at_});
                open = true;
            } else if (std::holds_alternative<Head>(layer.op)) {
                open = false;
            }
            at_ += countOf(layer);
            if (open) {
                units.back().last = at_;
            }
        }
        if (grain_ == NnunetGrain::Blocks) {
            all_.insert(all_.end(), units.begin(), units.end());
        } else if (!units.empty()) {
            all_.push_back({name, units.front().first, units.back().last});
        }
    }

    NnunetGrain grain_;
    std::int64_t at_ = 0;  ///< the layers so far
    std::vector<NnunetModule> all_;
};

}  // namespace

std::vector<NnunetModule> nnunetModules(const Experiment& experiment, NnunetGrain grain) {
    return ModuleList(grain).of(experiment);
}

}  // namespace highwater::stack
