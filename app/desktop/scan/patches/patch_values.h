#pragma once

#include <QString>
#include <QStringList>
#include <QtGlobal>

/// The values shown in the patch bar.
namespace highwater::desktop {

enum class PatchMode { Scan, Patches, Coverage };

/// Work in progress, or why it failed.
struct WorkState {
    QString what;          ///< what is being done; empty if nothing is
    double fraction = -1;  ///< 0 to 1; negative if unknown
    QString trouble;       ///< why the work failed, one line
};

struct PatchesState {
    bool live = false;  ///< true: shows the latest patch of a run; false: patches of the current experiment
    bool canLive = false;  ///< a run is in progress, or has sent patches
    bool frozen = false;   ///< live only: the displayed patch is kept
    QString origin;        ///< a line that says where the patches come from
    int shown = 0;         ///< counted from 0
    int count = 0;         ///< number of patches; 0 if there are none
    bool mayAskMore = false;
    QStringList channels;  ///< names of the channels; with fewer than two there is no choice
    int channel = 0;
    bool hasTarget = false;
    bool targetOn = false;
    QString targetName;      ///< "Labels"
    bool placeable = false;  ///< the patch can be located in the displayed scan
    /// One line each: the augmentations applied to the patch, and where it lies in the scan.
    QString done, place;
    WorkState work;
};

struct CoverageState {
    int steps = 1000;  ///< steps of a run that are simulated; one of kCoverageSteps
    qint64 batch = 1;
    bool drawn = false;  ///< the map is shown
    double most = 0;     ///< number of samples at the most sampled voxel
    QString text;        ///< "mean 12.3 samples a voxel, 4.1 % never seen"
    WorkState work;
};

inline constexpr int kCoverageSteps[] = {100, 1000, 10000};

}  // namespace highwater::desktop
