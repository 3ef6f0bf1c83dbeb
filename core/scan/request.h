#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/process.h"

/// Shared by the calls of core/scan. Private to it.
namespace highwater::scan {

/// Error if a path or a series cannot be passed to a process.
base::Status checkNames(const std::string& path, const ReadOptions& options);
/// Makes a request for `command` ("read", "list") on a file or folder, with the limits of the options,
/// without the path.
ProcessRequest makeRequest(const std::string& command, const std::string& path, const ReadOptions& options);
/// The error for an answer that lacks the requested part.
base::Error otherVersion(const std::string& name);
/// Returns the last part of a path, for messages; "." for the current folder.
std::string shownName(const std::string& path);

/// Returns the reader's limit of address space in bytes: its libraries and buffers, the mapped files, and
/// their inflated content, which can be as large as deflate allows (1032 times the file), but at most
/// `machineMemory`. Under 4 GB for a file of 1 MB. The files are the one at `path`, or those in the folder.
/// If a header may have its voxels in other files, the files in its folder count too: for .hdr and .img those
/// of the same name; for a small .nhdr, .mhd, .nrrd or .mha all, since only its text names them.
base::Bytes addressSpaceFor(const std::string& path, base::Bytes machineMemory);

}  // namespace highwater::scan
