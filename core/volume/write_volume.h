#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/volume/volume.h"

/// Writing the handover file that mapVolume reads.
namespace highwater::volume {

/// Where the voxels will begin: a multiple of 4096 that leaves room for the header to grow by 8 KiB
/// (statistics and warnings are only known after the voxels were written).
base::Bytes voxelStart(const Header& header);

/// Writes magic and header so that voxels begin at `start` (from voxelStart of the same or an earlier state
/// of the header). Write it last: a file without it is refused.
base::Status writeVolumeHeader(int fd, const Header& header, base::Bytes start);

/// Writes all of `bytes` at `offset`; a full disk is an error.
base::Status writeAt(int fd, std::span<const std::byte> bytes, base::Bytes offset);

/// A whole volume into an empty file.
base::Status writeVolume(int fd, const Volume& volume);
/// The same into a named file, made beside it and renamed over it.
base::Status writeVolumeFile(const std::filesystem::path& path, const Volume& volume);

/// Whether temporary files of so many bytes have room; where that cannot be known, they have. `room` is what
/// is free; nothing: what the file system says. Error: "`what` about 3.1 GiB in /tmp, which has ...", where
/// `what` says whose they are and how many: "the cohort's volumes take".
base::Status checkTemporaryRoom(std::string_view what, base::Bytes needed,
                                std::optional<base::Bytes> room = {});

/// An empty, unlinked file of our own in $TMPDIR (else /tmp), close-on-exec. The caller closes it.
base::Result<int> temporaryFile();

}  // namespace highwater::volume
