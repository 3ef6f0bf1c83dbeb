#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <filesystem>

#include "core/base/result.h"

namespace highwater::desktop {

/// The options with which the desktop was started: `highwater [EXPERIMENT] [--scan PATH] ...`.
struct Options {
    QString experiment;                      ///< empty: that of the last session, or the sample
    QString scan;                            ///< a file or a folder
    QString labels;                          ///< a label map to show over the scan
    QString trace;                           ///< a memory snapshot's file, or a run's folder, id or number
    bool claims = false, factorial = false;  ///< open the windows "Claims" or "Factorial"
    QString sweep;                           ///< a sweep or the result of one to show
    int at = 0;    ///< take the picture when this percentage of the runs is done, and stop; 0: at the end
    QString plan;  ///< show plans that fit this device: "cpu", a profile's id
    QStringList choose;  ///< ids of claims, or of levers, to select in them; the view of a sweep
    /// Show the network's input patch with this number, counted from 1; 0 shows the scan.
    int patch = 0;
    bool coverage = false;  ///< show the coverage map of the sampler
    bool views = false;     ///< enlarge the scan's views; the picture shows them alone
    bool run = false;       ///< run the experiment, or the selected claims or levers
    QString screenshot;     ///< a .png file to write when everything requested is done
    QString report;
    bool quit = false;
    std::filesystem::path store;
    QString theme;   ///< "", "light", "dark", "system"
    QSize size;      ///< size of the window; invalid: as last time
    int steps = 0;   ///< measured steps; 0: as last time
    QString stalls;  ///< a JSON file to write with the stalls of the window's thread
    QString help;    ///< a text to print before quitting; empty if there is none
    bool driven() const { return run || quit || !screenshot.isEmpty() || !report.isEmpty(); }
};

base::Result<Options> parseOptions(const QStringList& arguments);

}  // namespace highwater::desktop
