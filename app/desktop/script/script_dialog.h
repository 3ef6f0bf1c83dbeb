#pragma once

#include <QDialog>
#include <QElapsedTimer>
#include <QProcess>
#include <QTimer>
#include <filesystem>

#include "app/desktop/script/script_values.h"

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSplitter;
class QTableWidget;
class QTabWidget;

namespace highwater::desktop {

class ScriptForm;
class ScriptPlot;
class ScriptTries;

/// The dialog "Your script": runs a training script on a pretended GPU with highwater-cli, shows its memory
/// and its output while it runs, and where its memory goes at the end. The run is recorded in the store.
class ScriptDialog : public QDialog {
    Q_OBJECT
public:
    /// `store` is the folder of the runs. `program`: highwater-cli; empty: the one beside this program.
    /// (Tests use other programs.)
    ScriptDialog(const std::filesystem::path& store, std::filesystem::path program,
                 QWidget* parent = nullptr);
    ~ScriptDialog() override;

    bool running() const { return process_.state() != QProcess::NotRunning; }
    void start() { start(false); }
    /// Runs the script as it is, and with changes if it does not fit.
    void startTries() { start(true); }
    /// The first call asks the script to stop, the second one kills it.
    void stop();

signals:
    /// Emitted when a script has ended and its run, if it was recorded, is in the store.
    void ended();
    void timelineWanted(const QString& run);

private:
    void start(bool tries);
    void makeResult();
    QWidget* makeFoot();
    void readEvents();
    void readOutput();
    void take(const ScriptLine& line);
    void showResult(const ScriptLine::Result& result);
    void showRanks(const QList<QStringList>& rows);
    void finish(int exitCode, QProcess::ExitStatus status);
    void clearResult();
    void showState();
    void showElapsed();
    void say(const QString& headline, const QString& facts = {});

    std::filesystem::path program_;
    QProcess process_;
    QByteArray line_;  ///< the start of a line that is not complete yet
    QString lastError_;
    bool stopping_ = false, concluded_ = false;
    QString run_;
    QElapsedTimer since_;  ///< the script was started
    QTimer second_;
    ScriptForm* form_ = nullptr;
    QLabel *headline_ = nullptr, *facts_ = nullptr, *state_ = nullptr, *elapsed_ = nullptr;
    ScriptPlot* plot_ = nullptr;
    QSplitter* parts_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    QScrollArea* summary_ = nullptr;
    QTableWidget *modules_ = nullptr, *lines_ = nullptr, *ranks_ = nullptr;
    QPlainTextEdit* output_ = nullptr;
    QProgressBar* progress_ = nullptr;
    ScriptTries* tries_ = nullptr;
    QPushButton *start_ = nullptr, *timeline_ = nullptr, *help_ = nullptr;
};

}  // namespace highwater::desktop
