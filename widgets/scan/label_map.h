#pragma once

#include <QColor>
#include <QString>
#include <vector>

#include "core/volume/volume.h"
#include "widgets/scan/patch_box.h"

namespace highwater::widgets {

/// One label as the views and the list show it.
struct LabelStyle {
    std::int64_t value = 0;
    QString name;
    QColor color;
    std::int64_t voxels = 0;
    Index3 inside{};  ///< a voxel of the label map with this label
    bool shown = true;
    bool operator==(const LabelStyle&) const = default;
};

/// A label map over a scan. The volume lies in the same patient space and may have another grid.
struct LabelMap {
    volume::Volume volume;           ///< empty if there is none
    std::vector<LabelStyle> labels;  ///< in ascending order of their values, without the background 0
    QString source;   ///< where the map and the names come from: "seg.nii.gz, names of dataset.json"
    QString warning;  ///< anything unusual about it; empty if there is nothing

    bool empty() const { return volume.empty(); }
    /// nullptr for the background and for values that do not occur in the map.
    const LabelStyle* find(std::int64_t value) const;
    /// The label at a position in mm; nullptr outside the map and for background.
    const LabelStyle* at(const std::array<double, 3>& mm) const;
};

/// The color of a label that has none in a color table: always the same for the same value. The first twelve
/// are easy to tell apart and from gray, on the dark views and in the lists of both themes.
QColor labelColor(std::int64_t value);
/// "label 3", for a label without a name in a table.
QString labelName(std::int64_t value);

}  // namespace highwater::widgets
