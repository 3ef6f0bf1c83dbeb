#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <optional>

#include "core/base/result.h"

namespace highwater::desktop {

/// How the desktop was started (contract.md: `highwater [EXPERIMENT] [--scan PATH] ...`).
struct Options {
    QString experiment;                      ///< empty: the last session's, or the sample
    QString scan;                            ///< a file or a folder
    QString trace;                           ///< a memory snapshot's file, or a run's folder, id or number
    bool claims = false, factorial = false;  ///< open these windows
    QStringList choose;                      ///< there: ids of claims, or of levers
    int patch = 0;          ///< show this one of those that the network gets, from 1; 0: the scan
    bool coverage = false;  ///< show how often the sampler gets where
    bool views = false;     ///< the scan's views large, and pictured alone
    bool run = false;       ///< the experiment, or what was opened and chosen
    QString screenshot;     ///< a .png to write when everything asked for is done
    QString report;
    bool quit = false;
    std::filesystem::path store;
    QString theme;   ///< "", "light", "dark", "system"
    QSize size;      ///< the window's, invalid: as last time
    int steps = 0;   ///< 0: as last time
    QString stalls;  ///< a file for the window thread's stalls, as JSON
    QString help;    ///< set: print it and leave
    bool driven() const { return run || quit || !screenshot.isEmpty() || !report.isEmpty(); }
};

base::Result<Options> parseOptions(const QStringList& arguments);

}  // namespace highwater::desktop
