#include "core/base/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>

namespace highwater::base {

void beginProgram() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0) {
            // open() returns the lowest free number, which is this stream's
            [[maybe_unused]] const int opened =
                ::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR);
        }
    }
    std::signal(SIGXFSZ, SIG_IGN);
}

void onStopSignals(void (*handler)(int)) {
    static std::array<std::byte, std::size_t{64} << 10> stack;  // AMX's registers take 11 KiB of a frame
    stack_t alternate{};
    alternate.ss_sp = stack.data();
    alternate.ss_size = stack.size();
    ::sigaltstack(&alternate, nullptr);
    struct sigaction action{};
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

void endProgram(int exit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    std::exit(exit);  // the sanitizer reports at the end
#else
    std::_Exit(exit);
#endif
}

}  // namespace highwater::base
