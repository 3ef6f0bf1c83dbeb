#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/cohort.h"

/// The parts of findCases. They use names (and the first bytes of files whose names do not show what they
/// are).
namespace highwater::scan {

/// The entries of one folder, sorted by name, without hidden ones (".DS_Store", "._A.nii.gz").
struct Listing {
    std::filesystem::path folder;
    std::vector<std::string> scans;   ///< without an .img that has an .hdr
    std::vector<std::string> others;  ///< other files
    std::vector<std::string> folders;
};
/// Error if the folder cannot be read or holds more than 100,000 entries.
base::Result<Listing> listFolder(const std::filesystem::path& folder);
/// Whether the folder holds DICOM files: a file with such a name, or "DICM" in one of the first few without a
/// suffix.
bool holdsDicom(const Listing& listing);

/// Whether all of the folder's scans, if there are any, have names of label maps.
bool holdsOnlyLabels(const Listing& listing);

/// Whether a name belongs to a label map: it contains "label", "mask" or "segment", or one of its words ends
/// with "seg" ("NAME_seg", "aseg").
bool namesLabels(std::string_view stem);
/// Returns "NAME" for "NAME_seg", "NAME-label", "NAME.mask", "NAME_segmentation" and the like; std::nullopt
/// for other names.
std::optional<std::string> labeledName(std::string_view stem);

CaseFile caseFile(const std::filesystem::path& path, std::int64_t volume = 0);

using LabelMaps = std::map<std::string, std::string>;  ///< case name to absolute path
/// Returns the label maps of a folder that contains nothing else; for a flat folder, those that labeledName
/// recognizes.
LabelMaps labelMaps(const Listing& listing, bool flat);

/// Makes cases from one file per channel ("NAME_0000", nnU-Net's) or, if the names have no such numbers, from
/// one file per case with `volumes` channels (the Medical Segmentation Decathlon's). The files of `labels`
/// are not channels.
Cohort numberedCases(const Listing& images, const LabelMaps& labels, std::int64_t volumes = 1);
/// Whether the names end with channel numbers: half of the files belong to cases that have a channel 0000,
/// and no case has more than 16.
bool hasChannelNumbers(const Listing& images, const LabelMaps& labels);

/// Makes one case per folder.
Cohort folderCases(const Listing& parent);

}  // namespace highwater::scan
