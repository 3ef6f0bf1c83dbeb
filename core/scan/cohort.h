#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/scan_client.h"
#include "core/volume/volume.h"

/// Cohorts: folders of cases. Finds which files make up a case, and reads their headers and statistics.
namespace highwater::scan {

/// A file or DICOM folder that is read as one channel; `series` as in ReadOptions.
struct CaseFile {
    std::string path;  ///< absolute
    std::string series;
    std::int64_t volume = 0;
    bool operator==(const CaseFile&) const = default;
};

struct Case {
    std::string name;                ///< "BRATS_001"
    std::vector<CaseFile> channels;  ///< in the order of the network's input
    std::string labels;              ///< absolute path of its label map; empty if there is none
    bool operator==(const Case&) const = default;
};

struct Cohort {
    std::vector<Case> cases;         ///< sorted by name, digits compared as numbers
    std::vector<std::string> notes;  ///< what was left out and why, one line each
};

/// Finds the cases of a folder by file names (and by the first bytes of files whose names do not show what
/// they are). Does not enter folders within a case's subfolders. Tries these layouts in this order:
/// 1. nnU-Net: imagesTr/NAME_0000.nii.gz (one file per channel) with labelsTr/NAME.nii.gz, or such files
///    directly in the folder; without channel numbers, one file per case (the Medical Segmentation
///    Decathlon); if dataset.json says "4D", the file's volumes are the channels that it names;
/// 2. one folder per case: its scan files are the channels, sorted by name; the one with "label", "mask" or a
///    word that ends with "seg" in its name is the label map; a folder of DICOM files is one channel, and so
///    is each such folder within the case's folder. A case whose channels have other names than in most cases
///    is left out;
/// 3. scan files directly in the folder: each is a case of one channel; NAME_seg / NAME_label / NAME_mask is
///    NAME's label map. Of layouts 2 and 3 the one with more cases.
/// Errors: the folder does not exist or contains no scan; there are several cases, but no two with the same
/// number of channels.
base::Result<Cohort> findCases(const std::filesystem::path& folder);

/// The facts read from one case.
struct CaseFacts {
    std::string name;
    std::vector<volume::Header> channels;  ///< with min, max and mean; empty after a problem
    std::string problem;                   ///< an error message, one line; empty if there is none
    std::vector<std::string> warnings;     ///< of all channels, without duplicates
};

struct SurveyOptions {
    bool values = true;  ///< read the voxels for min, max and mean; otherwise only the headers
    Limits limits;       ///< for each file
    std::function<void(std::size_t done, const CaseFacts& last)> progress;  ///< called on the calling thread
    const std::atomic<bool>* cancel = nullptr;
};

/// Reads each case, with one process per file. A case that cannot be read keeps its entry, with the reason.
/// It is a problem if a channel, or the label map (only its header is read), has another size than the first
/// channel. Error: "cancelled".
base::Result<std::vector<CaseFacts>> surveyCohort(const Cohort& cohort, const SurveyOptions& options = {});

}  // namespace highwater::scan
