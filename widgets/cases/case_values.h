#pragma once

#include <QImage>
#include <QString>
#include <QStringList>
#include <array>
#include <limits>

/// What the tables of series and of cases show.
namespace highwater::widgets {

/// A volume that can be chosen: a DICOM series of a folder, or a file.
struct SeriesRow {
    QString id;                       ///< names it among the rows
    QString description;              ///< a series' own, or the file's name
    QString modality;                 ///< "CT", "MR", ...; empty where unknown
    qint64 number = 0;                ///< the series' number; 0: none
    std::array<qint64, 3> size{};     ///< voxels; all 0 while they are not known
    std::array<double, 3> spacing{};  ///< mm; 0 where unknown
    int volumes = 1;
    qint64 files = 1;
    QStringList warnings;
    QString problem;      ///< why it cannot be chosen; empty where it can
    QImage picture = {};  ///< the middle slice; null while there is none
    bool operator==(const SeriesRow&) const = default;
};

/// A case of a cohort.
struct CaseRow {
    QString name;
    bool read = false;  ///< false: nothing below is known yet
    std::array<qint64, 3> size{};
    std::array<double, 3> spacing{};                        ///< mm; 0 where unknown
    double low = std::numeric_limits<double>::quiet_NaN();  ///< of all channels; NaN: unknown
    double high = std::numeric_limits<double>::quiet_NaN();
    qint64 channels = 0;
    QString labels;  ///< its label map's name; empty where there is none
    QStringList warnings;
    QString problem;  ///< why it cannot be used; empty where it can
};

/// Patch and batch that were proposed for a cohort.
struct ProposalRow {
    QString patch;    ///< "96 × 160 × 160"
    QString batch;    ///< "2"
    QString peak;     ///< "9.31 GiB of 24.0 GiB"
    QString covered;  ///< "31 % of the median case"
    QStringList why;  ///< one sentence a decision
    bool operator==(const ProposalRow&) const = default;
};

}  // namespace highwater::widgets
