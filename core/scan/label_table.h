#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

/// Names and colors of labels, which scan formats do not contain: they come from a file next to the label
/// map, or from one that the user names.
namespace highwater::scan {

struct LabelName {
    std::string name;                                       ///< one line, never empty
    std::optional<std::array<std::uint8_t, 3>> color = {};  ///< red, green, blue
    bool operator==(const LabelName&) const = default;
};
using LabelTable = std::map<std::int64_t, LabelName>;  ///< by the label's value

/// Parses the text of a label table. Supported formats:
/// - ITK-SNAP's label descriptions: `1 255 0 0 1 1 1 "Liver"` in each line;
/// - FreeSurfer's lookup tables, and 3D Slicer's .ctbl: `1 Liver 221 130 101 0` in each line;
/// - nnU-Net's and the Medical Segmentation Decathlon's dataset.json: `"labels"` gives a number for each
///   name, or a name for each number. A region (a list of several labels) is ignored.
/// Lines that are empty or begin with # are skipped. Of several lines for one label the first counts. Errors
/// begin with `name`, followed by the line if there is one.
base::Result<LabelTable> parseLabelTable(std::string_view text, std::string_view name);
/// Reads a file of at most 4 MiB.
base::Result<LabelTable> readLabelTable(const std::filesystem::path& path);

/// The table that belongs to a label map according to its location: "seg.txt", "seg.label", "seg.ctbl" or
/// "seg.lut" next to "seg.nii.gz"; otherwise dataset.json in its folder or the parent folder. Empty if there
/// is none.
std::filesystem::path labelTableBeside(const std::filesystem::path& labels);

}  // namespace highwater::scan
