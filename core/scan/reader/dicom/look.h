#pragma once

#include <string>
#include <vector>

#include "core/scan/reader/dicom/facts.h"
#include "core/scan/reader/progress.h"

/// Every file of a folder, or one file, looked at: headers alone.
namespace highwater::scan::reader::dicom {

struct Unread {
    std::string name, why;
    std::string seriesUid;  ///< empty where the file does not get that far
};

struct Looked {
    std::string folder;  ///< empty: `path` is a file
    std::string path;
    std::vector<FileFacts> files;  ///< by name
    std::vector<Unread> unread;
    std::vector<std::string> others;  ///< names of other files
    std::string pathOf(const FileFacts& file) const;
};

/// Files are told by their content, not their names; folders in it are not entered, links to files are
/// followed. A DICOMDIR and objects without pictures (reports, plans, ...) are among the others.
base::Result<Looked> lookAt(const std::string& path, const ProgressSink& progress);

}  // namespace highwater::scan::reader::dicom
