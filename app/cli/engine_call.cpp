#include "app/cli/engine_call.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <string_view>

#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/paths.h"
#include "core/base/process.h"

namespace highwater::cli {

EngineAnswer callEngine(const std::vector<std::string>& arguments) {
    base::Launch launch;
    launch.program = base::siblingProgram("highwater-engine");
    if (launch.program.empty()) {
        return {complain("highwater-engine is not installed: nothing can be measured", kEngineFailed), {}};
    }
    auto pipe = base::openPipe();
    if (!pipe) {
        return {complain(pipe.error().message, kEngineFailed), {}};
    }
    launch.arguments = arguments;
    launch.output = pipe->write.get();
    launch.errors = STDERR_FILENO;
    launch.endsWithStarter = true;
    auto process = base::Process::start(launch);
    if (!process) {
        return {complain(process.error().message, kEngineFailed), {}};
    }
    pipe->write = base::Descriptor();
    EngineAnswer answer{kEngineFailed, {}};
    const auto take = [&](std::string_view text) {
        answer.output += text;
        return base::Status();
    };
    const auto passOn = [&, told = 0](std::chrono::steady_clock::duration) mutable {
        if (interrupts() > told) {
            told = interrupts();
            told == 1 ? process->interrupt() : process->kill();
        }
        return base::Status();
    };
    const auto code = process->follow(pipe->read.get(), take, passOn);
    if (code && (*code <= 128 || *code == kInterrupted)) {
        answer.exitCode = *code;
    } else if (interrupts() > 1) {
        answer.exitCode = kInterrupted;
    } else if (code) {
        complain(fmt::format("the engine was ended by signal {}", *code - 128));
    }
    return answer;
}

}  // namespace highwater::cli
