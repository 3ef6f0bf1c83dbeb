#include <execinfo.h>
#include <unistd.h>

#include <QSurfaceFormat>
#include <array>
#include <csignal>

#include "core/base/heap.h"
#include "tests/widgets/qt_main.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

/// Where it was, on stderr, as what addr2line reads; then the signal does what it does.
void tellWhere(int signal) {
    std::array<void*, 64> calls{};
    backtrace_symbols_fd(calls.data(), backtrace(calls.data(), static_cast<int>(calls.size())),
                         STDERR_FILENO);
    std::raise(signal);
}

/// What goes wrong once in many hours cannot be awaited with a debugger.
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
static void tellWhereItDies() {}  // they tell it better
#endif

int main(int argc, char** argv) {
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
