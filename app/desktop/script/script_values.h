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
/// The arguments for highwater-cli.
QStringList scriptArguments(const ScriptFields& fields);

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
    std::optional<Result> result;  ///< set by the last line
};
ScriptLine readScriptLine(const QByteArray& line);

}  // namespace highwater::desktop
