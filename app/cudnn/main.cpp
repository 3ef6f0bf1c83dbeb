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
#include "core/cudnn/plans.h"

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

/// The plans for a question, predict::questionName().
base::Result<Json> answer(const cudnn::Asked& device, std::string_view question) {
    const std::size_t space = question.find(' ');
    const auto op = predict::parseConvKey(question.substr(0, space));
    if (!op) {
        return op.error();
    }
    const auto switches = predict::parseGpuSwitches(
        space == std::string_view::npos ? std::string_view() : question.substr(space + 1));
    if (!switches) {
        return base::Error{fmt::format("\"{}\" names no switches", base::oneLine(question, 200))};
    }
    for (const predict::ConvPart part : predict::kConvParts) {
        if (predict::hasPart(*op, part)) {
            const auto plans = device.plansOf({*op, *switches}, part);
            if (!plans) {
                return plans.error();
            }
            Json list = Json::array();
            for (const cudnn::Plan& plan : *plans) {
                list.push_back(toJson(plan));
            }
            return Json{{"plans", std::move(list)}};
        }
    }
    return base::Error{fmt::format("\"{}\" asks for no part of a convolution", base::oneLine(question, 200))};
}

void say(const Json& json) {
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace)
              << std::endl;  // a line at a time: whoever asked waits for it
}

int complain(const base::Error& error) {
    std::cerr << "highwater-cudnn: " << base::oneLine(error.message, 1000) << '\n';
    return 2;
}

/// The first line of stdin is the device (predict::deviceForCudnn); every other one is a question and gets
/// one line.
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

}  // namespace

int main(int argc, char** argv) {
    base::beginProgram();
    CLI::App app(
        "Asks cuDNN what it would do on a GPU that is not there. Started by Highwater's other programs.");
    std::string folder;
    app.add_option("--cudnn", folder, "The folder of libcudnn.so.9 (default: where the loader finds it)");
    CLI11_PARSE(app, argc, argv);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::error_code ignored;
    const auto given = folder.empty() ? std::filesystem::path() : std::filesystem::absolute(folder, ignored);
    // An empty entry of $LD_LIBRARY_PATH names the current folder, also to what cuDNN loads by name.
    if (::chdir("/") != 0) {
        return complain({"the folder / cannot be entered"});
    }
    const auto library = cudnn::Library::load(given);
    return library ? serve(*library) : complain(library.error());
}
