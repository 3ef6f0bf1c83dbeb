#include "app/desktop/shell/ending.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <QWidget>

namespace highwater::desktop {

namespace {

int ends[2] = {-1, -1};

/// All that a signal handler may do; the window is notified by its event loop.
void tell(int) {
    const char byte = 1;
    [[maybe_unused]] const auto written = write(ends[1], &byte, 1);
}

}  // namespace

void closeOnSignals(QWidget& window) {
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return;
    }
    auto* told = new QSocketNotifier(ends[0], QSocketNotifier::Read, &window);
    QObject::connect(told, &QSocketNotifier::activated, &window, [&window, told] {
        told->setEnabled(false);
        window.setProperty(kUnasked, true);
        window.close();
        QCoreApplication::quit();  // a dialog may be open
    });
    struct sigaction action = {};
    action.sa_handler = tell;
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace highwater::desktop
