#include <execinfo.h>
#include <unistd.h>

#include <QSurfaceFormat>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "core/base/heap.h"
#include "tests/widgets/qt_main.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

/// Writes the stack to stderr, as addresses for addr2line, and lets the signal end the program as usual.
void tellWhere(int signal) {
    std::array<void*, 64> calls{};
    backtrace_symbols_fd(calls.data(), backtrace(calls.data(), static_cast<int>(calls.size())),
                         STDERR_FILENO);
    std::raise(signal);
}

/// Installs a handler so that a rare crash leaves its stack: nobody can wait for hours with a debugger.
void tellWhereItDies() {
    std::array<void*, 1> first{};
    backtrace(first.data(), 1);  // loads its library while memory is intact
    struct sigaction act{};
    act.sa_handler = tellWhere;
    act.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) {
        sigaction(signal, &act, nullptr);
    }
}

}  // namespace
#else
static void tellWhereItDies() {}  // a sanitizer prints the stack itself
#endif

/// glibc counts each thread's cache for future allocations as allocated, up to 0.2 MiB each. The soak test
/// measures what the program itself holds, so it restarts itself without these caches, which can only be
/// turned off through the environment at a program's start.
static void keepNothingByThread(char** argv) {
    constexpr const char* kName = "GLIBC_TUNABLES";
    constexpr const char* kNone = "glibc.malloc.tcache_count=0";
    const char* const set = std::getenv(kName);
    if (!set) {
        setenv(kName, kNone, 1);
        execv("/proc/self/exe", argv);
    } else if (std::strcmp(set, kNone) == 0) {
        unsetenv(kName);  // if it is set, boundHeap() does not change the heap
    }
}

int main(int argc, char** argv) {
    keepNothingByThread(argv);
    tellWhereItDies();
    highwater::base::boundHeap();  // as in the real program
    QSurfaceFormat format;         // required by VTK if there is a display
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    QSurfaceFormat::setDefaultFormat(format);
    return highwater::testing::qtMain(argc, argv);
}
