#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/descriptor.h"
#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::base {

/// Opens a file from an untrusted source, and never waits: a directory, a FIFO, a socket or a device is
/// refused. `flags` are open(2)'s (0: for reading). A file that is opened for writing must not be a link, so
/// that nothing outside its folder is changed. The error, one line, names the file.
Result<Descriptor> openRegular(const std::filesystem::path& path, int flags = 0, unsigned mode = 0666);

/// Reads a whole file as bytes. Error if the file is missing, a directory, unreadable, or larger than `most`
/// bytes; the message names the file.
Result<std::string> readFile(const std::filesystem::path& path, Bytes most = 64 * kMiB);

/// Writes a temporary file in the target's folder, syncs it, then renames it over the target. A reader sees
/// the old text or the new text, never part of either.
Status writeFileAtomically(const std::filesystem::path& path, std::string_view text);
/// The same; makes the file's folder first.
Status writeInFolder(const std::filesystem::path& path, std::string_view text);

/// Writes all of it to an open file; false if that is not possible, with errno.
bool writeAll(int fd, std::string_view bytes);

}  // namespace highwater::base
