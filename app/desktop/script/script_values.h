#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <optional>

#include "core/wire/events.h"

namespace highwater::desktop {

/// What the dialog "Your script" is to run.
struct ScriptFields {
    QString script, arguments, python, folder, gpu;
    QString variables;  ///< of the environment, each NAME=value
    int steps = 3;
    QString store;       ///< the folder of the runs
    int ranks = 1;       ///< processes, each on a GPU of its own
    bool timed = false;  ///< also estimate the time of a step; for one rank
    bool all = false;    ///< try all changes, torch.compile included, even if the script fits
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
    QString progress;  ///< "Step 2, backward · 174 MiB now, 181 MiB at most"; empty if not about progress
    QString warning;   ///< empty: none
    /// What the run's plot shows, of a single process or of rank 0.
    std::optional<wire::Event> event;
    struct Result {
        QString headline;  ///< "Fits. Pretended peak 174 MiB, in backward of step 2"
        QStringList facts;
        QList<QStringList> modules, lines;  ///< name, bytes, blocks
        QList<QStringList> ranks;           ///< a table with its heads; empty for one process
        QString run;                        ///< its number in the store; empty if it is not recorded
        bool failed = false;                ///< the script, not for lack of memory
    };
    std::optional<Result> result;   ///< set by the last line
    std::optional<TriedRow> tried;  ///< set by the line of a change that was tried
    QString tries;                  ///< "3 changes fit", set by the last line if changes were tried
};
ScriptLine readScriptLine(const QByteArray& line);

}  // namespace highwater::desktop
