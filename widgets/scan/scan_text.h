#pragma once

#include <QString>
#include <vector>

#include "core/volume/volume.h"
#include "widgets/scan/label_map.h"
#include "widgets/scan/patch_box.h"

/// Numbers as text, the same in every locale: a decimal point, no grouping, a true minus sign.
namespace highwater::widgets {

/// As QString::number, but with a true minus sign.
QString plainNumber(double value, char format, int digits);
/// Without decimals if the value is large enough not to need any.
QString windowNumber(double value);
/// "i 10–49 j 0–29 k 5–24 · 20.0 × 15.0 × 40.0 mm · 40 × 30 × 20": first and last voxel counted from 0, the
/// size in millimeters (if known), and the size in voxels.
QString boxText(const PatchBox& box, const volume::Header& header);

/// "(12.4, −31.8, 44.1) mm = 512 HU · Liver (1) · voxel 3, 5, 10": RAS+ millimeters, the real value of the
/// voxel and those of the other channels at that position, its label if it has one, and the voxel i, j, k
/// counted from 0. "HU" is added if the values look like CT. Numbers are written the same in every locale.
QString voxelText(const volume::Volume& volume, const Index3& voxel,
                  const std::vector<volume::Volume>& channels = {}, const LabelMap& labels = {});

}  // namespace highwater::widgets
