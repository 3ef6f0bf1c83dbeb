#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/volume/volume.h"

/// Writes the handover file that mapVolume reads.
namespace highwater::volume {

/// Returns the offset at which the voxels begin: a multiple of 4096 that leaves room for the header to grow
/// by `room` bytes (statistics and warnings are only known after the voxels were written).
base::Bytes voxelStart(const Header& header, base::Bytes room = 8 * base::kKiB);

/// Writes magic and header so that voxels begin at `start` (from voxelStart of the same or an earlier state
/// of the header). Write it last: without it, the file is invalid.
base::Status writeVolumeHeader(int fd, const Header& header, base::Bytes start);

/// Writes all of `bytes` at `offset`. Error if the disk is full.
base::Status writeAt(int fd, std::span<const std::byte> bytes, base::Bytes offset);

/// Writes a whole volume into an empty file.
base::Status writeVolume(int fd, const Volume& volume);
/// The same into a named file: writes a temporary file in its folder, then renames it.
base::Status writeVolumeFile(const std::filesystem::path& path, const Volume& volume);

/// Checks that there is room for temporary files of `needed` bytes. Succeeds if the free space is unknown.
/// `room` is the free space; std::nullopt: as the file system reports it. Error: "`what` about 3.1 GiB in
/// /tmp, which has ...", where `what` is the subject and verb: "the cohort's volumes take".
base::Status checkTemporaryRoom(std::string_view what, base::Bytes needed,
                                std::optional<base::Bytes> room = {});

/// Creates an empty, unlinked, close-on-exec file in $TMPDIR (otherwise /tmp). The caller closes it.
base::Result<int> temporaryFile();

}  // namespace highwater::volume
