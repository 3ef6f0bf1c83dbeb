#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/cohort.h"

/// The pieces of findCases, which look at names (and at the first bytes of files whose names say nothing).
namespace highwater::scan {

/// The entries of one folder by name; hidden ones (".DS_Store", "._A.nii.gz") are left out.
struct Listing {
    std::filesystem::path folder;
    std::vector<std::string> scans;   ///< an .img beside its .hdr is not listed
    std::vector<std::string> others;  ///< other files
    std::vector<std::string> folders;
};
/// An error where it cannot be looked into, or holds more than 100,000 entries.
base::Result<Listing> listFolder(const std::filesystem::path& folder);
/// Whether DICOM files lie in it: one with such a name, or "DICM" in one of the first few without a suffix.
bool holdsDicom(const Listing& listing);

/// "label", "mask", "segment" anywhere in a name, or a word of it that ends with "seg" ("NAME_seg", "aseg").
bool namesLabels(std::string_view stem);
/// "NAME" of "NAME_seg", "NAME-label", "NAME.mask", "NAME_segmentation" and the like; nothing for another.
std::optional<std::string> labelledName(std::string_view stem);

CaseFile caseFile(const std::filesystem::path& path, std::int64_t volume = 0);

using LabelMaps = std::map<std::string, std::string>;  ///< of a case's name: the absolute path
/// The label maps of a folder that holds nothing else; of a flat folder, those that labelledName knows.
LabelMaps labelMaps(const Listing& listing, bool flat);

/// One file a channel ("NAME_0000", nnU-Net's), or where the names have no such numbers, one a case with
/// `volumes` channels (the Medical Segmentation Decathlon's). Files of `labels` are no channels.
Cohort numberedCases(const Listing& images, const LabelMaps& labels, std::int64_t volumes = 1);
/// Whether names end with channel numbers: half of the files belong to names that have a channel 0000, and no
/// name has more than 16.
bool hasChannelNumbers(const Listing& images, const LabelMaps& labels);

/// A folder a case.
Cohort folderCases(const Listing& parent);

}  // namespace highwater::scan
