#pragma once

#include <gtest/gtest.h>

#include <QByteArray>
#include <QString>
#include <QtGlobal>
#include <atomic>
#include <iostream>

#include "tests/widgets/thread_order.h"
#include "widgets/theme/theme.h"

/// A test program for widgets: put HIGHWATER_QT_MAIN() in one of its files. It makes a QApplication on the
/// offscreen platform (unless QT_QPA_PLATFORM says otherwise) in the dark theme, and turns every Qt warning
/// into a failure of the test that caused it.
namespace highwater::testing {

/// Warnings about something missing on this machine rather than about the program.
inline bool isHarmless(const QString& message) {
    return message.startsWith("This plugin does not support propagateSizeHints") ||
           message.startsWith("QStandardPaths: ") || message.contains("XDG_RUNTIME_DIR") ||
           message.startsWith("This plugin does not support raise()") ||
           message.startsWith("This plugin does not support grabbing the keyboard");
}

inline void failOnWarning(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtDebugMsg || type == QtInfoMsg || isHarmless(message)) {
        std::clog << message.toStdString() << '\n';
        return;
    }
    ADD_FAILURE() << "Qt warned: " << message.toStdString();
    if (type == QtFatalMsg) {
        std::abort();
    }
}

inline int qtMain(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    ::testing::InitGoogleTest(&argc, argv);
    if (::testing::GTEST_FLAG(list_tests)) {
        return RUN_ALL_TESTS();
    }
    QtApplication app(argc, argv);
    setlocale(LC_NUMERIC, "C");
    widgets::applyTheme(app, widgets::ThemeMode::Dark);
    qInstallMessageHandler(failOnWarning);
    const int result = RUN_ALL_TESTS();
    qInstallMessageHandler(nullptr);
    return result;
}

}  // namespace highwater::testing

#define HIGHWATER_QT_MAIN()                            \
    int main(int argc, char** argv) {                  \
        return highwater::testing::qtMain(argc, argv); \
    }
