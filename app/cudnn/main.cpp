#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

#include "core/base/json_reader.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "core/cudnn/run_answers.h"

namespace {

using namespace highwater;
using base::Json;

Json toJson(const cudnn::Plan& plan) {
    Json json = {{"engine", plan.engine}, {"workspace", plan.workspace}};
    if (plan.fallback) {
        json["fallback"] = true;
    }
    if (!plan.notes.empty()) {
        json["notes"] = Json::array();
        for (const auto note : plan.notes) {
            json["notes"].push_back(static_cast<int>(note));
        }
    }
    return json;
}

/// The plans for a question, given by its name (predict::questionName()).
base::Result<Json> answer(const cudnn::Asked& device, std::string_view question) {
    const auto asked = HIGHWATER_TRY(cudnn::parseQuestion(question));
    const auto plans = HIGHWATER_TRY(device.plansOf(asked.first, asked.second));
    Json list = Json::array();
    for (const cudnn::Plan& plan : plans) {
        list.push_back(toJson(plan));
    }
    return Json{{"plans", std::move(list)}};
}

void say(const Json& json) {
    std::cout << base::jsonText(json) << std::endl;  // flush every line: the caller waits for it
}

int complain(const base::Error& error) {
    std::cerr << "highwater-cudnn: " << base::oneLine(error.message, 1000) << '\n';
    return 2;
}

/// The first line of stdin is the device (predict::deviceForCudnn); every further line is a question,
/// answered with one line.
int serve(const cudnn::Library& library) {
    say({{"cudnn", predict::toText(library.version())}});
    std::string line;
    std::getline(std::cin, line);
    const auto device = cudnn::Asked::make(library, line);
    if (!device) {
        return complain(device.error());
    }
    while (std::getline(std::cin, line)) {
        auto plans = answer(*device, line);
        say(plans ? std::move(*plans) : Json{{"error", plans.error().message}});
    }
    return 0;
}

/// Every line of stdin is a question of a run on the pretended device (core/pretend/asker.h), answered with
/// one line.
int serveRun(cudnn::RunSetup setup) {
    cudnn::RunAnswers answers(std::move(setup));
    std::string line;
    while (std::getline(std::cin, line)) {
        const auto plans = answers.answer(line);
        if (const std::string remark = plans ? answers.takeRemark() : plans.error().message;
            !remark.empty()) {
            std::cout << "say " << base::oneLine(remark, 300) << '\n';
        }
        std::cout << (plans ? *plans : "error") << std::endl;
    }
    return 0;
}

/// Decodes the result of cudnnGetVersion(): 91900 is 9.19.0.
predict::CudnnVersion versionOf(int number) {
    return {number / 10000, number / 100 % 100, number % 100};
}

}  // namespace

int main(int argc, char** argv) {
    base::beginProgram();
    CLI::App app(
        "Asks cuDNN what it would do on a GPU that this machine does not have. Started by Highwater's other "
        "programs.");
    std::string folder;
    app.add_option("--cudnn", folder, "The folder of libcudnn.so.9 (default: where the loader finds it)");
    std::string gpu;
    int version = 0;
    int cuda = 0;
    auto* const run =
        app.add_option("--run", gpu, "Answer a run on the pretended device: the profile of its GPU");
    app.add_option("--version", version, "The cuDNN of that run, as cudnnGetVersion gives it")->needs(run);
    app.add_option("--cuda", cuda, "The major version of its CUDA")->needs(run);
    CLI11_PARSE(app, argc, argv);
    if (gpu.empty()) {  // The asker of a run may be a thread that ends early; then its questions end too.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    std::error_code ignored;
    const auto given = folder.empty() ? std::filesystem::path() : std::filesystem::absolute(folder, ignored);
    // An empty entry of $LD_LIBRARY_PATH means the current folder, also for libraries that cuDNN loads by
    // name.
    if (::chdir("/") != 0) {
        return complain({"the folder / cannot be entered"});
    }
    if (!gpu.empty()) {
        auto profile = predict::loadProfile(gpu);
        return profile ? serveRun({std::move(*profile), versionOf(version), cuda, given})
                       : complain(profile.error());
    }
    const auto library = cudnn::Library::load(given);
    return library ? serve(*library) : complain(library.error());
}
