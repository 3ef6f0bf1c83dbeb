#include "core/base/program_output.h"

#include <fmt/format.h>

#include <string_view>

namespace highwater::base {

Result<std::string> outputOf(Launch launch, std::size_t most, std::chrono::steady_clock::duration patience) {
    const std::string name = launch.program.string();
    auto pipe = HIGHWATER_TRY(openPipe());
    launch.output = pipe.write.get();
    auto program = Process::start(launch);
    pipe.write = Descriptor();
    if (!program) {
        return program.error();
    }
    std::string text;
    const auto code = HIGHWATER_TRY(program->follow(
        pipe.read.get(),
        [&](std::string_view more) -> Status {
            text += more;
            return text.size() <= most ? Status()
                                       : Error{fmt::format("{} writes more than {} bytes", name, most)};
        },
        [&](auto silence) -> Status {
            return silence < patience ? Status() : Error{name + " does not answer"};
        }));
    return code == 0 ? Result<std::string>(std::move(text))
                     : Error{fmt::format("{} ended with exit code {}", name, code)};
}

}  // namespace highwater::base
