#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/memory/caching_allocator.h"
#include "core/predict/ghost/walk.h"
#include "core/stack/json/json.h"

/// predict_epoch EXPERIMENT GPU LIBTORCH CUDNN LAST VALIDATED: the memory reserved by PyTorch's allocator in
/// a loop of equal steps, and in two epochs whose last batch has LAST samples and is followed by a validation
/// without gradients, in batches of the experiment's size and a last one of VALIDATED. Prints both in bytes,
/// one per line. Uses earlier answers of cuDNN, but asks no new questions.
namespace highwater::predict {
namespace {

using base::Bytes;

constexpr Bytes kNoLimit = Bytes{1} << 44;
constexpr int kSteps = 4;

bool isData(const WalkBlock& block) {
    return block.label == "data";
}

/// Walks of several batch sizes executed with one allocator. The parameters and the optimizer state are those
/// of the first; each batch is allocated for its step and freed after it.
class Loop {
public:
    explicit Loop(const memory::AllocatorConfig& config)
        : allocator_(memory::CachingAllocator::create(config, {kNoLimit, kNoLimit, {}})) {}

    Bytes reserved() const { return reserved_; }

    /// Executes the creation of the network and the first step.
    void begin(const Walk& walk) {
        Blocks blocks(walk.blocks.size(), memory::kNoBlock);
        play(walk, 0, walk.stepEvent[1], blocks);
        giveBack(walk, blocks, isData);
    }

    /// Like the second step of the walk.
    void step(const Walk& walk) {
        Blocks blocks(walk.blocks.size(), memory::kNoBlock);
        for (std::size_t i = 0; i < walk.stepEvent[0]; ++i) {
            if (isData(walk.blocks[walk.events[i].block])) {
                play(walk, i, i + 1, blocks);
            }
        }
        play(walk, walk.stepEvent[1], walk.events.size(), blocks);
        giveBack(walk, blocks, [](const WalkBlock&) { return true; });
    }

private:
    using Blocks = std::vector<memory::BlockIndex>;

    void play(const Walk& walk, std::size_t from, std::size_t to, Blocks& blocks) {
        for (std::size_t i = from; i < to; ++i) {
            const WalkEvent& event = walk.events[i];
            memory::BlockIndex& block = blocks[event.block];
            const WalkBlock& wanted = walk.blocks[event.block];
            if (event.kind == WalkEvent::Kind::Allocate && wanted.bytes.expected > 0) {
                block = allocator_->allocate(wanted.bytes.expected).value();
                reserved_ = std::max(reserved_, allocator_->stats().all.reservedBytes.current);
            } else if (event.kind == WalkEvent::Kind::Free) {
                giveBack(block);
                if (wanted.emptiesCache) {
                    allocator_->emptyCache();
                }
            }
        }
    }

    void giveBack(memory::BlockIndex& block) {
        if (block != memory::kNoBlock) {
            allocator_->free(block);
            block = memory::kNoBlock;
        }
    }
    void giveBack(const Walk& walk, Blocks& blocks, const std::function<bool(const WalkBlock&)>& which) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (which(walk.blocks[i])) {
                giveBack(blocks[i]);
            }
        }
    }

    base::Result<memory::CachingAllocator> allocator_;
    Bytes reserved_ = 0;
};

base::Result<Walk> walkOf(stack::Experiment experiment, const Target& target, std::int64_t batch,
                          bool train) {
    experiment.step.batchSize = batch;
    experiment.step.train = train;
    const auto info = stack::inferShapes(experiment);
    return info ? walk(experiment, *info, target) : base::Result<Walk>(info.error());
}

int run(const std::vector<std::string>& given) {
    const auto experiment = stack::loadExperiment(given[0]);
    if (!experiment) {
        fmt::print(stderr, "{}\n", experiment.error().message);
        return 2;
    }
    const auto target = gpuTarget(given[1], *experiment, parseTorchVersion(given[2]).value(),
                                  parseCudnnVersion(given[3]).value());
    const std::int64_t size = experiment->step.batchSize;
    const auto full = walkOf(*experiment, *target, size, true);
    const auto last = walkOf(*experiment, *target, std::stoll(given[4]), true);
    const auto validated = walkOf(*experiment, *target, size, false);
    const auto lastValidated = walkOf(*experiment, *target, std::stoll(given[5]), false);
    for (const auto* each : {&full, &last, &validated, &lastValidated}) {
        if (!*each) {
            fmt::print(stderr, "{}\n", each->error().message);
            return 2;
        }
    }
    Loop loop(target->allocator);
    loop.begin(*full);
    const auto steps = [&](const Walk& walk) {
        for (int i = 0; i < kSteps; ++i) {
            loop.step(walk);
        }
    };
    steps(*full);
    const Bytes equal = loop.reserved();
    for (int epoch = 0; epoch < 2; ++epoch) {
        steps(*full);
        loop.step(*last);
        steps(*validated);
        loop.step(*lastValidated);
    }
    fmt::print("{} {}\n", equal, loop.reserved());
    return 0;
}

}  // namespace
}  // namespace highwater::predict

int main(int argc, char** argv) {
    const std::vector<std::string> given(argv + 1, argv + argc);
    if (given.size() != 6) {
        std::fputs("predict_epoch EXPERIMENT GPU LIBTORCH CUDNN LAST VALIDATED\n", stderr);
        return 2;
    }
    return highwater::predict::run(given);
}
