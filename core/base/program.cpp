#include "core/base/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
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

void endProgram(int exit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    std::exit(exit);  // the sanitizer reports at the end
#else
    std::_Exit(exit);
#endif
}

}  // namespace highwater::base
