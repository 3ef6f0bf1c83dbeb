#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QIcon>
#include <QLocale>
#include <QSurfaceFormat>
#include <QTranslator>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/desktop/shell/drive.h"
#include "app/desktop/shell/ending.h"
#include "app/desktop/shell/main_window.h"
#include "app/desktop/shell/options.h"
#include "app/desktop/shell/session.h"
#include "app/desktop/shell/stall_meter.h"
#include "core/base/heap.h"
#include "core/base/paths.h"
#include "core/base/program.h"
#include "core/base/text.h"
#include "widgets/jobs/waiting.h"

namespace {

using namespace highwater;

/// Qt prints this line if a session has no runtime folder (under Xvfb, over ssh), and creates one itself.
/// stderr is reserved for our own one-line errors.
void leaveOutNoise(QtMsgType, const QMessageLogContext&, const QString& message) {
    if (!message.startsWith("QStandardPaths: XDG_RUNTIME_DIR not set")) {
        std::fprintf(stderr, "highwater: %s\n", base::oneLine(message.toStdString(), 5000).c_str());
    }
}

/// Fonts shipped with a package (packaging/archive), for machines that do not have them.
void addFonts() {
    const auto folder = base::resourcesIn("fonts");
    if (!folder || QFontDatabase::families().contains("Inter")) {
        return;
    }
    const QDir fonts(QString::fromStdString(folder->string()));
    for (const QString& file : fonts.entryList({"*.otf"}, QDir::Files)) {
        QFontDatabase::addApplicationFont(fonts.filePath(file));
    }
}

/// Waits until the session's folder responds: the window reads and writes its session while it opens, and
/// could not be painted while that blocks. Returns false if the user does not want to wait.
bool sessionAnswers(const desktop::Options& options) {
    desktop::MainWindow::applyTheme(options);
    return widgets::waitForFolder(
        QString::fromStdString(options.store.string()),
        [folder = desktop::MainWindow::sessionFolder(options)] { desktop::Session::probe(folder); });
}

int run(QApplication& app, const desktop::Options& options) {
    std::unique_ptr<desktop::StallMeter> stalls;
    desktop::MainWindow window(options);
    if (!options.stalls.isEmpty()) {
        stalls = std::make_unique<desktop::StallMeter>();
    }
    if (!options.driven()) {
        desktop::closeOnSignals(window);
    }
    std::unique_ptr<desktop::Drive> drive;
    QObject::connect(&window, &desktop::MainWindow::painted, &window, [&] {
        if (stalls) {
            stalls->painted();
        }
        window.open(options);
        if (!options.driven()) {
            return;
        }
        drive = std::make_unique<desktop::Drive>(window, options);
        if (stalls) {
            QObject::connect(drive.get(), &desktop::Drive::runStarted, stalls.get(),
                             &desktop::StallMeter::reset);
        }
    });
    window.show();
    const int code = app.exec();
    if (stalls) {
        QFile file(options.stalls);
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(stalls->report())) < 0) {
            std::fprintf(stderr, "highwater: %s: cannot be written\n", qPrintable(options.stalls));
        }
    }
    if (window.store().heldUp()) {
        std::fflush(nullptr);
        std::_Exit(code);  // the session is stored, and pending work need not finish first
    }
    return code;
}

/// The window's texts in the system's language, if packaging/update-translations has made that file.
void loadTranslation(QApplication& app) {
    auto* translator = new QTranslator(&app);
    const std::filesystem::path folder = base::resourcesFolder() / "translations";
    if (translator->load(QLocale::system(), "highwater", "_", QString::fromStdString(folder.string()))) {
        QApplication::installTranslator(translator);
    }
}

}  // namespace

int main(int argc, char** argv) {
    base::beginProgram();
    base::boundHeap();
    QSurfaceFormat format;  // what VTK needs; must be set before the application is made
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    format.setSwapInterval(0);
    QSurfaceFormat::setDefaultFormat(format);

    QStringList arguments;
    for (int i = 0; i < argc; ++i) {
        arguments << QString::fromLocal8Bit(argv[i]);
    }
    const auto options = desktop::parseOptions(arguments);
    if (!options) {
        std::fprintf(stderr, "highwater: %s\n", base::oneLine(options.error().message, 5000).c_str());
        return 2;
    }
    if (!options->help.isEmpty()) {
        std::fputs(qPrintable(options->help), stdout);
        return 0;
    }

    qInstallMessageHandler(leaveOutNoise);
    QApplication app(argc, argv);
    std::setlocale(LC_NUMERIC, "C");  // a comma locale would corrupt numbers that are read and written
    QLocale::setDefault(QLocale::c());
    QApplication::setApplicationName("highwater");
    QApplication::setOrganizationName("highwater");
    QApplication::setApplicationVersion(HIGHWATER_VERSION);
    QApplication::setApplicationDisplayName("Highwater");
    QApplication::setDesktopFileName("io.github.highwater.Highwater");
    addFonts();
    loadTranslation(app);
    if (!options->driven() && !sessionAnswers(*options)) {
        std::_Exit(0);  // nothing was opened, and pending work need not finish first
    }
    return run(app, *options);
}
