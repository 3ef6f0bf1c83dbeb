#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/scan/process.h"

/// What the calls of core/scan have in common. Private to it.
namespace highwater::scan {

/// An error for a path or a series that cannot be handed to a process.
base::Status checkNames(const std::string& path, const ReadOptions& options);
/// `command` ("read", "list") on a file or folder, under the options' limits, without the path.
ProcessRequest makeRequest(const std::string& command, const std::string& path, const ReadOptions& options);
/// For an answer without what was asked for.
base::Error otherVersion(const std::string& name);
/// The last part of a path, for messages; "." for the current folder.
std::string shownName(const std::string& path);

/// What the reader may map: its libraries and buffers, the files mapped, and their inflated content mapped,
/// as much as their bytes can become (deflate: 1032 times), at most `machineMemory`. Under 4 GB for 1 MB. The
/// files: that at `path`, for a folder those in it; for a header whose voxels lie in files of their own
/// (.hdr and .img: of the same name; a small .nhdr, .mhd, .nrrd, .mha: which, only its text says) also those
/// beside it.
base::Bytes addressSpaceFor(const std::string& path, base::Bytes machineMemory);

}  // namespace highwater::scan
