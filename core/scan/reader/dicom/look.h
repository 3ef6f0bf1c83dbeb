#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/bytes/progress.h"
#include "core/scan/reader/dicom/facts.h"

/// Examines every file of a folder, or one file; reads headers only.
namespace highwater::scan::reader::dicom {

struct Unread {
    std::string name, why;
    std::string seriesUid;  ///< empty if it could not be read
};

struct Looked {
    std::string folder;  ///< empty: `path` is a file
    std::string path;
    std::vector<FileFacts> files;  ///< by name
    std::vector<Unread> unread;
    std::vector<std::string> others;  ///< names of other files
    std::string pathOf(const FileFacts& file) const;
};

/// Recognizes files by their content, not their names. Does not enter subfolders; follows links to files. A
/// DICOMDIR and objects without pictures (reports, plans, ...) are among the others.
base::Result<Looked> lookAt(const std::string& path, const ProgressSink& progress);

}  // namespace highwater::scan::reader::dicom
