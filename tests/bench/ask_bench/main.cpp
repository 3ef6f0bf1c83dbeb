// How long cuDNN takes to answer for a network that it has not seen: ask_bench [EXPERIMENT.json [GPU
// [REPEATS]]]. Prints the seconds from loading cuDNN to the last answer, for every part of every convolution,
// as `predict` and a script's run ask; answers are not stored, and stored answers are not used. Default file:
// the residual 3D preset. $HIGHWATER_CUDNN is the folder of libcudnn.so.9. The goal is at most 3 s. Asserts
// nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "core/ask/ask.h"
#include "core/ask/find_cudnn.h"
#include "core/predict/predict.h"
#include "core/stack/json/json.h"
#include "core/stack/presets/presets.h"

namespace {

using namespace highwater;

base::Result<stack::Experiment> load(const std::string& file) {
    if (!file.empty()) {
        return stack::loadExperiment(file);
    }
    auto presets = stack::loadPresets();
    if (!presets) {
        return presets.error();
    }
    for (stack::Preset& preset : *presets) {
        if (preset.id == "residual-3d") {
            return std::move(preset.experiment);
        }
    }
    return base::Error{"there is no preset residual-3d"};
}

/// The questions to a cuDNN that has not answered any yet.
base::Result<ask::Request> requestOf(const stack::Experiment& experiment, const std::string& gpu) {
    const auto info = stack::inferShapes(experiment);
    if (!info) {
        return info.error();
    }
    auto target = predict::gpuTarget(gpu, experiment);
    if (!target) {
        return target.error();
    }
    target->asked = std::make_shared<const predict::AskedTable>();
    const auto prediction = predict::predict(experiment, *info, *target);
    if (!prediction) {
        return prediction.error();
    }
    const auto library = ask::findCudnn();
    if (!library) {
        return base::Error{"HIGHWATER_CUDNN says that nobody is asked"};
    }
    ask::Request request;
    request.library = *library;
    request.key = predict::askedKey(*target->gpu, target->versions.cudnn);
    request.questions = ask::openQuestions(*prediction);
    return request;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string gpu = argc > 2 ? argv[2] : "rtx4090";
    const int repeats = argc > 3 ? std::max(1, std::atoi(argv[3])) : 5;
    const auto experiment = load(argc > 1 ? argv[1] : "");
    const auto request =
        experiment ? requestOf(*experiment, gpu) : base::Result<ask::Request>(experiment.error());
    if (!request) {
        std::cerr << request.error().message << '\n';
        return 2;
    }
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const auto answers = ask::ask(*request);
        if (!answers || !answers->open.empty()) {
            std::cerr << (answers ? answers->open : answers.error().message) << '\n';
            return 2;
        }
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    const double first = seconds.front();
    std::sort(seconds.begin(), seconds.end());
    std::printf("%zu questions for %s: median %.2f s   max %.2f s   first %.2f s   of %zu\n",
                request->questions.size(), gpu.c_str(), seconds[seconds.size() / 2], seconds.back(), first,
                seconds.size());
}
