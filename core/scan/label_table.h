#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

/// Names and colors of labels, which formats of scans do not hold: they come from a file beside the label
/// map, or from one that the user names.
namespace highwater::scan {

struct LabelName {
    std::string name;                                       ///< one line, never empty
    std::optional<std::array<std::uint8_t, 3>> color = {};  ///< red, green, blue
    bool operator==(const LabelName&) const = default;
};
using LabelTable = std::map<std::int64_t, LabelName>;  ///< by the label's value

/// Reads the text of a label table. Known are
/// - ITK-SNAP's label descriptions: `1 255 0 0 1 1 1 "Liver"` in each line;
/// - FreeSurfer's lookup tables, and 3D Slicer's .ctbl: `1 Liver 221 130 101 0` in each line;
/// - nnU-Net's dataset.json, and the Medical Segmentation Decathlon's: `"labels"` gives a number for each
/// name,
///   or a name for each number. A region (a list of several labels) names none of them.
/// Lines that are empty or begin with # are skipped. Of several lines for one label the first counts. Errors
/// begin with `name`, and with the line where there is one.
base::Result<LabelTable> parseLabelTable(std::string_view text, std::string_view name);
/// Reads a file of at most 4 MiB.
base::Result<LabelTable> readLabelTable(const std::filesystem::path& path);

/// The table that belongs to a label map by its place: "seg.txt", "seg.label", "seg.ctbl" or "seg.lut" beside
/// "seg.nii.gz"; else dataset.json in its folder or the folder above. Empty if there is none.
std::filesystem::path labelTableBeside(const std::filesystem::path& labels);

}  // namespace highwater::scan
