#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/desktop/shell/options.h"

namespace highwater::desktop {

class MainWindow;

/// Carries out the command line's requests to the window in sequence: load, run to the end, save the picture
/// and the report, quit. The exit codes are those of a run.
class Drive : public QObject {
    Q_OBJECT
public:
    Drive(MainWindow& window, Options options, QObject* parent = nullptr);

signals:
    void runStarted();

private:
    enum class Stage { Loading, Running, Settling, Reporting, Done };
    void step();
    QString start();
    void enter(Stage stage);
    void fail(const QString& line, int code);
    void savePicture();
    void finish();
    MainWindow& window_;
    Options options_;
    Stage stage_ = Stage::Loading;
    QTimer timer_;
    QElapsedTimer inStage_;
    int exitCode_ = 0;
};

}  // namespace highwater::desktop
