#pragma once

#include <QString>

#include "core/volume/volume.h"
#include "widgets/scan/patch_box.h"

/// Numbers on screen, the same in every locale: a decimal point, no grouping, a real minus sign.
namespace highwater::widgets {

/// As QString::number, but with a real minus sign.
QString plainNumber(double value, char format, int digits);
/// A whole number if the value is large enough to need no decimals.
QString windowNumber(double value);
/// "i 10–49 j 0–29 k 5–24 · 20.0 × 15.0 × 40.0 mm · 40 × 30 × 20": first and last voxel counted from 0, the
/// size in millimeters (if known), and the size in voxels.
QString boxText(const PatchBox& box, const volume::Header& header);

}  // namespace highwater::widgets
