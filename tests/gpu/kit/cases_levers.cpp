#include <fmt/format.h>

#include "tests/gpu/kit/build.h"
#include "tests/gpu/kit/case.h"

namespace highwater::kit {

namespace {

using stack::Experiment;
using stack::Precision;

std::vector<stack::Augmentation> everyAugmentation() {
    using Kind = stack::Augmentation::Kind;
    std::vector<stack::Augmentation> all;
    for (int kind = 0; kind <= static_cast<int>(Kind::Gamma); ++kind) {
        all.push_back({static_cast<Kind>(kind)});
    }
    return all;
}

/// One change to an experiment.
struct Lever {
    const char* name;
    void (*pull)(Experiment&);
};

/// Data of twice the length, with windows of its previous size.
void addWindows(Experiment& e, double overlap) {
    stack::Shape& shape = std::get<stack::SyntheticInput>(e.input).shape;
    e.windows.emplace();
    e.windows->size.assign(shape.begin() + 1, shape.end());
    e.windows->overlap = overlap;
    shape.back() *= 2;
}

constexpr Lever kLevers[] = {
    {"bf16", [](Experiment& e) { e.step.precision = Precision::Bf16; }},
    {"tf32", [](Experiment& e) { e.step.precision = Precision::Tf32; }},
    {"fp16", [](Experiment& e) { e.step.precision = Precision::Fp16; }},
    {"channels-last", [](Experiment& e) { e.step.channelsLast = true; }},
    {"benchmark", [](Experiment& e) { e.backend.benchmark = true; }},
    {"no-cudnn", [](Experiment& e) { e.backend.cudnn = false; }},
    {"workspace-16MiB", [](Experiment& e) { e.backend.workspaceLimit = 16 * base::kMiB; }},
    {"deterministic", [](Experiment& e) { e.backend.deterministic = true; }},
    {"bf16-channels-last",
     [](Experiment& e) {
         e.step.precision = Precision::Bf16;
         e.step.channelsLast = true;
     }},
    {"bf16-benchmark",
     [](Experiment& e) {
         e.step.precision = Precision::Bf16;
         e.backend.benchmark = true;
     }},
    {"pinned", [](Experiment& e) { e.data.pinned = true; }},
    {"augmented", [](Experiment& e) { e.data.augment = everyAugmentation(); }},
    {"workers-pinned-augmented",
     [](Experiment& e) {
         e.data.workers = 4;
         e.data.pinned = true;
         e.data.augment = everyAugmentation();
     }},
    {"workers-slow-disk",
     [](Experiment& e) {
         e.data.workers = 4;
         e.data.readDelayMs = 5;
         e.step.channelsLast = true;
     }},
    {"workspace-none", [](Experiment& e) { e.backend.workspaceLimit = 0; }},
    {"fp16-channels-last",
     [](Experiment& e) {
         e.step.precision = Precision::Fp16;
         e.step.channelsLast = true;
     }},
    {"windows", [](Experiment& e) { addWindows(e, 0.5); }},
    {"windows-inference",
     [](Experiment& e) {
         addWindows(e, 0);
         e.step.train = false;
     }},
    {"micro-batches", [](Experiment& e) { e.step.microBatches = 2; }},
    {"sqrt", [](Experiment& e) { e.step.checkpoint.kind = stack::Checkpointing::Kind::Sqrt; }},
    {"no-onednn", [](Experiment& e) { e.backend.onednn = false; }},
};

base::Result<Experiment> unet(Scale scale, std::string name) {
    const std::int64_t n = size3d(scale, 96);
    auto made = preset("unet-3d", std::move(name), {n, n, n}, 2);
    if (made) {
        made->step.checkpoint.kind = stack::Checkpointing::Kind::None;
    }
    return made;
}

}  // namespace

base::Result<std::vector<Case>> leverCases(Scale scale) {
    std::vector<Case> cases;
    auto without = unet(scale, "unet-3d-no-lever");
    if (!without) {
        return without.error();
    }
    cases.push_back({"levers", std::move(*without)});
    for (const Lever& lever : kLevers) {
        auto made = unet(scale, fmt::format("unet-3d-{}", lever.name));
        if (!made) {
            return made.error();
        }
        lever.pull(*made);
        cases.push_back({"levers", std::move(*made)});
    }
    return cases;
}

base::Result<std::vector<Case>> allocatorCases(Scale scale) {
    std::vector<Case> cases;
    for (const auto& [name, conf] : {std::pair{"expandable-segments", "expandable_segments:True"},
                                     std::pair{"max-split-128", "max_split_size_mb:128"},
                                     std::pair{"power2-divisions", "roundup_power2_divisions:4"}}) {
        auto made = unet(scale, fmt::format("unet-3d-{}", name));
        if (!made) {
            return made.error();
        }
        made->backend.allocConf = conf;
        const std::int64_t n = size3d(scale, 80);
        Experiment other =
            segmentation(fmt::format("plain-3d-{}", name), {1, n, n, n}, 3, unit(24) + unit(48) + unit(24));
        other.backend.allocConf = conf;
        cases.push_back({"allocator", std::move(*made)});
        cases.push_back({"allocator", std::move(other)});
    }
    return cases;
}

}  // namespace highwater::kit
