#include "core/script/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/base/paths.h"
#include "core/base/text.h"
#include "core/predict/tables/profile.h"
#include "core/script/ranks.h"

namespace highwater::script {

namespace fs = std::filesystem;

base::Result<fs::path> deviceFolder() {
    const fs::path library = base::siblingProgram("pretend/libhighwater_pretend.so");
    if (library.empty()) {
        return base::Error{
            fmt::format("the pretended device (pretend/libhighwater_pretend.so) is not beside "
                        "this program in {}; install it there",
                        base::programFolder().string())};
    }
    return library.parent_path();
}

base::Result<base::Launch> pretendingLaunch(const PretendedGpu& gpu, const fs::path& runFolder) {
    const auto profile = predict::loadProfile(gpu.gpu);
    if (!profile) {
        return profile.error();
    }
    const auto device = deviceFolder();
    if (!device) {
        return device.error();
    }
    const auto set = [](std::string_view name, std::string_view value) {
        return fmt::format("{}={}", name, value);
    };
    std::string preload = (*device / "libhighwater_pretend.so").string();
    if (const char* const others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
        preload += fmt::format(":{}", others);
    }
    const auto context = gpu.context.value_or(static_cast<base::Bytes>(profile->context.expected));
    base::Launch launch;
    launch.program = "/usr/bin/env";
    launch.arguments = {"-u", "CUDA_VISIBLE_DEVICES", set("LD_PRELOAD", preload),
                        set("HIGHWATER_PRETEND_GPU", gpu.gpu), set("HIGHWATER_PRETEND_ZEROS", "1"),
                        set("HIGHWATER_PRETEND_CONTEXT", std::to_string(context)),
                        set("HIGHWATER_PRETEND_OTHERS", std::to_string(gpu.others)),
                        set("HIGHWATER_PRETEND_REPORT", (runFolder / "device.json").string()),
                        set("HIGHWATER_SCRIPT_DEVICE", "pretended " + gpu.gpu),
                        // Where Triton looks for the driver that it links its launchers with.
                        set("TRITON_LIBCUDA_PATH", device->string())};
    if (!gpu.winner.empty()) {
        launch.arguments.push_back(set("HIGHWATER_PRETEND_BENCHMARK", gpu.winner));
    }
    if (gpu.memory) {
        launch.arguments.push_back(set("HIGHWATER_PRETEND_MEMORY", std::to_string(*gpu.memory)));
    }
    if (const fs::path asks = base::siblingProgram("highwater-cudnn"); !asks.empty()) {
        launch.arguments.push_back(set("HIGHWATER_PRETEND_ASK", asks.string()));
    }
    return launch;
}

base::Status checkVariable(std::string_view variable) {
    const std::string name(variable.substr(0, variable.find('=')));
    const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    if (name.size() == variable.size()) {
        return base::Error{fmt::format("\"{}\" sets no variable; write NAME=value", base::oneLine(name, 80))};
    }
    if (name.empty() || !std::ranges::all_of(name, isPart) ||
        std::isdigit(static_cast<unsigned char>(name[0]))) {
        return base::Error{
            fmt::format("\"{}\" is not the name of a variable; a name has letters, digits and _",
                        base::oneLine(name, 80))};
    }
    if (name == "LD_PRELOAD" || name == "CUDA_VISIBLE_DEVICES" || name == "TRITON_LIBCUDA_PATH" ||
        name.starts_with("HIGHWATER_")) {
        return base::Error{name + " is set by Highwater itself and cannot be given"};
    }
    return {};
}

base::Result<base::Launch> scriptLaunch(const wire::ScriptSource& source, const fs::path& runFolder,
                                        int output, int errors) {
    if (source.command.empty() || (source.command[0] == "-m" && source.command.size() < 2)) {
        return base::Error{"no script is given; write it, and its arguments, after the options"};
    }
    if (const auto checked = checkStartsNoRanks(source.command); !checked) {
        return checked.error();
    }
    auto launch = pretendingLaunch({source.gpu, source.context, source.others, source.winner, source.memory},
                                   runFolder);
    const auto device = deviceFolder();
    if (!launch) {
        return launch.error();
    }
    const bool module = source.command[0] == "-m";
    const auto python = findPython(source.python, module ? fs::path() : fs::path(source.command[0]));
    if (!python) {
        return python.error();
    }
    std::vector<std::string> command = source.command;
    if (!module) {
        const auto script = findScript(command[0], *python);
        if (!script) {
            return script.error();
        }
        command[0] = script->string();
    }
    for (const std::string& variable : source.variables) {
        if (const auto checked = checkVariable(variable); !checked) {
            return checked.error();
        }
        launch->arguments.push_back(variable);
    }
    if (source.timed) {
        launch->arguments.emplace_back("HIGHWATER_SCRIPT_TIME=1");
    }
    if (source.modules) {
        launch->arguments.push_back("HIGHWATER_SCRIPT_MODULES=1");
    }
    if (!source.changed.empty()) {
        launch->arguments.push_back("HIGHWATER_SCRIPT_CHANGED=1");
        command.erase(command.begin(), command.begin() + (module ? 2 : 1));
        command.insert(command.begin(), source.changed.string());
    }
    launch->arguments.insert(launch->arguments.end(),
                             {python->string(), (*device / "run_script.py").string(), runFolder.string(),
                              std::to_string(source.steps), std::to_string(output), std::to_string(errors)});
    launch->arguments.insert(launch->arguments.end(), command.begin(), command.end());
    launch->inherited = {output, errors};
    return launch;
}

}  // namespace highwater::script
