#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>

namespace highwater::desktop {

/// What the dialog "Your script" is to run.
struct ScriptFields {
    QString script, arguments, python, folder, gpu;
    int steps = 3;
    QString store;  ///< the folder of the runs
};

/// The folder that the script runs in: the one given, or by default the script's own.
QString scriptFolder(const ScriptFields& fields);
/// What is missing or wrong, as one line; empty if the script can be started.
QString whyNoScript(const ScriptFields& fields);
/// The arguments for highwater-cli; with `tries`, it also tries changes if the script does not fit.
QStringList scriptArguments(const ScriptFields& fields, bool tries = false);

/// A change to the script that was tried.
struct TriedRow {
    QStringList cells;  ///< name, memory on the device, whether it fits, added work, results
    QString tip;        ///< the modules that it names, or why it failed; may be empty
    QString file;       ///< the text that applies it; empty: none
    bool fits = false;
};

/// One line of what `highwater-cli script --events` prints.
struct ScriptLine {
    QString progress;  ///< "step 2 · 174 MiB now, 181 MiB at most"; empty if the line is not about progress
    QString warning;   ///< empty: none
    struct Result {
        QString headline;  ///< "Pretended peak 174 MiB, in backward of step 2"
        QStringList facts;
        QList<QStringList> modules, lines;  ///< name, bytes, blocks
        QString run;                        ///< its number in the store; empty if it is not recorded
        bool fits = true;
        bool failed = false;
    };
    std::optional<Result> result;   ///< set by the last line
    std::optional<TriedRow> tried;  ///< set by the line of a change that was tried
    QString tries;                  ///< "3 changes fit", set by the last line if changes were tried
};
ScriptLine readScriptLine(const QByteArray& line);

}  // namespace highwater::desktop
