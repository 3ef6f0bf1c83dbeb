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

/// Writes the stack to stderr, as addresses for addr2line, and lets the signal end the program as it would
/// have.
void tellWhere(int signal) {
    std::array<void*, 64> calls{};
    backtrace_symbols_fd(calls.data(), backtrace(calls.data(), static_cast<int>(calls.size())),
                         STDERR_FILENO);
    std::raise(signal);
}

/// A crash that comes once in many hours leaves its stack behind: nobody waits for it with a debugger.
void tellWhereItDies() {
    std::array<void*, 1> first{};
    backtrace(first.data(), 1);  // loads what it needs while memory is sound
    struct sigaction act{};
    act.sa_handler = tellWhere;
    act.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) {
        sigaction(signal, &act, nullptr);
    }
}

}  // namespace
#else
static void tellWhereItDies() {}  // a sanitizer writes the stack itself
#endif

/// glibc counts as allocated what each thread keeps for its next allocations, up to 0.2 MiB each. The soak
/// looks for what the program itself holds, so it starts itself again without these stores: only the
/// environment turns them off, and only at a program's start.
static void keepNothingByThread(char** argv) {
    constexpr const char* kName = "GLIBC_TUNABLES";
    constexpr const char* kNone = "glibc.malloc.tcache_count=0";
    const char* const set = std::getenv(kName);
    if (!set) {
        setenv(kName, kNone, 1);
        execv("/proc/self/exe", argv);
    } else if (std::strcmp(set, kNone) == 0) {
        unsetenv(kName);  // boundHeap() leaves the heap alone where it is set
    }
}

int main(int argc, char** argv) {
    keepNothingByThread(argv);
    tellWhereItDies();
    highwater::base::boundHeap();  // as the program does
    QSurfaceFormat format;         // what VTK needs where there is a display
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    QSurfaceFormat::setDefaultFormat(format);
    return highwater::testing::qtMain(argc, argv);
}
