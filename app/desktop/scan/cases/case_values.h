#pragma once

#include <QImage>
#include <QString>
#include <QStringList>
#include <array>
#include <limits>

/// The values shown in the tables of series and of cases.
namespace highwater::desktop {

/// A volume to choose: a DICOM series of a folder, or a file.
struct SeriesRow {
    QString id;                       ///< identifies the row
    QString description;              ///< the series' description, or the file's name
    QString modality;                 ///< "CT", "MR", ...; empty if unknown
    qint64 number = 0;                ///< the series' number; 0 if it has none
    std::array<qint64, 3> size{};     ///< voxels; all 0 while unknown
    std::array<double, 3> spacing{};  ///< mm; 0 where unknown
    int volumes = 1;
    qint64 files = 1;
    QStringList warnings;
    QString problem;      ///< why it cannot be chosen; empty if it can
    QImage picture = {};  ///< the middle slice; null until it has been read
    bool operator==(const SeriesRow&) const = default;
};

/// A case of a cohort.
struct CaseRow {
    QString name;
    bool read = false;  ///< false: the fields below are not known yet
    std::array<qint64, 3> size{};
    std::array<double, 3> spacing{};                        ///< mm; 0 where unknown
    double low = std::numeric_limits<double>::quiet_NaN();  ///< lowest value of all channels; NaN if unknown
    double high = std::numeric_limits<double>::quiet_NaN();
    qint64 channels = 0;
    QString labels;  ///< name of its label map; empty if it has none
    QStringList warnings;
    QString problem;  ///< why it cannot be used; empty if it can
};

/// The patch size and batch size proposed for a cohort.
struct ProposalRow {
    QString patch;    ///< "96 × 160 × 160"
    QString batch;    ///< "2"
    QString peak;     ///< "9.31 GiB of 24.0 GiB"
    QString covered;  ///< "31 % of the resampled median case"
    QStringList why;  ///< the reasons, one sentence for each decision
    bool operator==(const ProposalRow&) const = default;
};

}  // namespace highwater::desktop
