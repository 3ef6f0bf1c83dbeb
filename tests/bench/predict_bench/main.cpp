// How long predictions take: predict_bench [EXPERIMENT.json | PLANS.json] [REPEATS]. Prints the milliseconds
// of one prediction (including the target's profile and tables, as in the desktop at every edit) for this CPU
// and some GPUs. Default file: the U-Net preset. Asserts nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "core/predict/predict.h"
#include "core/stack/json/json.h"
#include "core/stack/nnunet/nnunet.h"
#include "core/stack/presets/presets.h"

namespace {

using namespace highwater;

base::Result<stack::Experiment> load(const std::string& file, stack::Precision precision) {
    if (file.empty()) {
        auto presets = stack::loadPresets();
        if (!presets) {
            return presets.error();
        }
        for (stack::Preset& preset : *presets) {
            if (preset.id == "unet-3d") {
                return std::move(preset.experiment);
            }
        }
        return base::Error{"there is no preset unet-3d"};
    }
    if (auto imported = stack::importNnunetFile(file, {.precision = precision})) {
        return std::move(imported->experiment);
    }
    return stack::loadExperiment(file);
}

base::Result<double> milliseconds(const stack::Experiment& experiment, const std::string& id) {
    const auto begin = std::chrono::steady_clock::now();
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return info.error();
    }
    const auto target = id == "cpu" ? predict::cpuTarget(experiment) : predict::gpuTarget(id, experiment);
    if (!target) {
        return target.error();
    }
    if (const auto prediction = predict::predict(experiment, *info, *target); !prediction) {
        return prediction.error();
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string file = argc > 1 ? argv[1] : "";
    const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 200;
    for (const char* id : {"cpu", "h100", "rtx4090", "rtx3060", "v100"}) {
        const bool cpu = std::string(id) == "cpu";
        const auto experiment = load(file, cpu ? stack::Precision::Fp32 : stack::Precision::Fp16);
        std::vector<double> all;
        for (int i = 0; i < repeats && experiment; ++i) {
            const auto ms = milliseconds(*experiment, id);
            if (!ms) {
                std::cerr << id << ": " << ms.error().message << '\n';
                return 2;
            }
            all.push_back(*ms);
        }
        if (!experiment) {
            std::cerr << experiment.error().message << '\n';
            return 2;
        }
        const double first = all.front();
        std::sort(all.begin(), all.end());
        std::printf("%-8s median %6.2f ms   p99 %6.2f ms   max %6.2f ms   first %6.2f ms   of %zu\n", id,
                    all[all.size() / 2], all[all.size() * 99 / 100], all.back(), first, all.size());
    }
}
