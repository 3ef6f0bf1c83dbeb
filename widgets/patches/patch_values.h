#pragma once

#include <QString>
#include <QStringList>
#include <QtGlobal>

/// What the patch bar shows, as values.
namespace highwater::widgets {

enum class PatchMode { Scan, Patches, Coverage };

/// Work under way, or why nothing came of it.
struct WorkState {
    QString what;          ///< empty: none
    double fraction = -1;  ///< 0 to 1; negative: unknown
    QString trouble;       ///< one line
};

struct PatchesState {
    bool live = false;     ///< the newest of a run; else those of the experiment as edited
    bool canLive = false;  ///< a run is under way, or has sent some
    bool frozen = false;   ///< live: the one on show stays
    QString origin;        ///< which of the two one is looking at
    int shown = 0;         ///< counted from 0
    int count = 0;         ///< of those to step through; 0: none
    bool mayAskMore = false;
    QStringList channels;  ///< their names; one or none: no choice
    int channel = 0;
    bool hasTarget = false;
    bool targetOn = false;
    QString targetName;      ///< "Labels"
    bool placeable = false;  ///< it has a place in the scan on show
    QString done, place;     ///< one line each: what was done to it, where it lies
    WorkState work;
};

struct CoverageState {
    int steps = 1000;  ///< of a run; one of kCoverageSteps
    qint64 batch = 1;
    bool drawn = false;  ///< the map is on show
    double most = 0;     ///< samples that the hottest place stands for
    QString text;        ///< "mean 12.3 samples a voxel, 4.1 % never seen"
    WorkState work;
};

inline constexpr int kCoverageSteps[] = {100, 1000, 10000};

}  // namespace highwater::widgets
