// Tests of the session with real processes: this program contains the tests and, with --window or --session
// FOLDER, is one of the windows that they start, control and kill.
#include <unistd.h>

#include <QApplication>
#include <QMessageBox>
#include <QSocketNotifier>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "app/desktop/scan/scan_opener.h"
#include "app/desktop/shell/ending.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/shell/options.h"
#include "core/base/paths.h"
#include "tests/app/desktop/session_windows/ordered_window.h"
#include "tests/widgets/qt_main.h"

namespace {

namespace base = highwater::base;
namespace desktop = highwater::desktop;
namespace stack = highwater::stack;

void answer(const std::string& line) {
    std::cout << line << std::endl;
}

/// A session as in the window, without the window. Answers each line from stdin.
int sessionProcess(const std::filesystem::path& folder) {
    highwater::test::OrderedWindow window(folder);
    window.session.flush();
    answer("ready");
    for (std::string line; std::getline(std::cin, line);) {
        if (line == "replace") {
            window.replace();
        } else if (line == "close") {
            (void)window.session.close();
        } else {
            window.edit(std::stoi(line));
        }
        window.session.flush();
        answer(line);
    }
    return 0;
}

void obey(desktop::MainWindow& window, const std::string& line) {
    if (line == "close") {
        window.close();
    } else if (line == "run") {
        answer(window.startRun().toStdString());
    } else if (line == "scan") {
        window.opener().open(QString::fromUtf8(base::kHeadPhantom.data(), base::kHeadPhantom.size()));
        answer(window.loading() ? "loading" : "loaded");
    } else if (line == "ask") {
        auto* const box = new QMessageBox(QMessageBox::Question, "A question", "?", QMessageBox::Ok, &window);
        box->open();
        answer("asked");
    } else if (line == "notice") {
        answer(window.notices().text().toStdString());
    } else if (line == "batch") {
        answer(std::to_string(window.document().experiment().step.batchSize));
    } else {
        const int batch = std::stoi(line);
        window.document().edit("batch", [batch](stack::Experiment& e) { e.step.batchSize = batch; });
        window.session().flush();
        answer(line);
    }
}

int windowProcess(int argc, char** argv) {
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    const auto options = desktop::parseOptions(QApplication::arguments().mid(1));  // from --window on
    if (!options) {
        std::cerr << options.error().message << '\n';
        return 2;
    }
    desktop::MainWindow window(*options);
    desktop::closeOnSignals(window);
    window.show();
    window.open(*options);
    window.session().flush();
    std::cin.tie(nullptr);
    QSocketNotifier lines(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&lines, &QSocketNotifier::activated, &window, [&] {
        if (std::string line; std::getline(std::cin, line)) {
            obey(window, line);
        } else {
            lines.setEnabled(false);
        }
    });
    answer("ready");
    return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "--session") {
        return sessionProcess(argv[2]);
    }
    return mode == "--window" ? windowProcess(argc, argv) : highwater::testing::qtMain(argc, argv);
}
