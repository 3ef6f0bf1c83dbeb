#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/scan/scan_client.h"
#include "core/volume/volume.h"

/// A folder of cases: which files make one case, and what they are like.
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
    std::string labels;              ///< absolute path of its label map; empty where there is none
    bool operator==(const Case&) const = default;
};

struct Cohort {
    std::vector<Case> cases;         ///< by name, digits compared as numbers
    std::vector<std::string> notes;  ///< what was left out and why, one line each
};

/// Looks at names (and at the first bytes of files whose names say nothing), not into folders in the cases'.
/// Layouts, tried in this order:
/// 1. nnU-Net: imagesTr/NAME_0000.nii.gz (one file a channel) with labelsTr/NAME.nii.gz, or such files
///    directly in the folder; without channel numbers one file a case (the Medical Segmentation Decathlon),
///    its channels the volumes that dataset.json names where that says "4D";
/// 2. a folder a case: its scan files are the channels by name; the one with "label", "mask" or a word that
///    ends with "seg" in its name is the label map; a folder of DICOM files is one channel, and so is each
///    such folder within the case's. A case whose channels' names differ from most cases' is left out;
/// 3. scan files directly in the folder: each is a case of one channel; NAME_seg / NAME_label / NAME_mask is
///    NAME's label map. Of layouts 2 and 3 the one with more cases.
/// Errors: no such folder, no scan in it, several cases but no two with the same number of channels.
base::Result<Cohort> findCases(const std::filesystem::path& folder);

/// What was read of a case.
struct CaseFacts {
    std::string name;
    std::vector<volume::Header> channels;  ///< with min, max and mean; empty after a problem
    std::string problem;                   ///< one line; empty where all is well
    std::vector<std::string> warnings;     ///< of all channels, each once
};

struct SurveyOptions {
    bool values = true;  ///< read the voxels for min, max and mean; else headers alone
    Limits limits;       ///< of each file
    std::function<void(std::size_t done, const CaseFacts& last)> progress;  ///< on the calling thread
    const std::atomic<bool>* cancel = nullptr;
};

/// Reads each case, one process a file; a case that cannot be read keeps its row and says why. Channels, and
/// a label map (its header alone), of other sizes than the first channel's are a problem. Error: "cancelled".
base::Result<std::vector<CaseFacts>> surveyCohort(const Cohort& cohort, const SurveyOptions& options = {});

}  // namespace highwater::scan
