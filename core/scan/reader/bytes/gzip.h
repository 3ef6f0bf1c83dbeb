#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

/// gzip (RFC 1952) and zlib (RFC 1950) with libdeflate, which checks every member's checksum and length.
/// Errors do not name the file.
namespace highwater::scan::reader {

bool looksLikeGzip(std::span<const std::byte> bytes);

/// Returns the maximum size to which `compressed` bytes of gzip can inflate: deflate stays under 1032:1 (RFC
/// 1951, 258 bytes in 2 bits).
base::Bytes mostInflated(base::Bytes compressed);

/// Returns the first `wanted` (at most 4096) inflated bytes, fewer if there are no more. They are not
/// verified, because the CRC comes at the end. Takes 128 KiB of memory, regardless of the data.
base::Result<std::vector<std::byte>> gzipBeginning(std::span<const std::byte> compressed, std::size_t wanted);

struct Inflated {
    base::Bytes bytes = 0;  ///< written
    int members = 0;
    base::Bytes trailing = 0;  ///< bytes after the last member that are not gzip and not all zeros
    bool full = false;         ///< the content does not fit into `out`
};
/// Inflates all members, one after another, into `out`.
base::Result<Inflated> inflateGzip(std::span<const std::byte> compressed, std::span<std::byte> out);

/// Inflates one zlib stream into `out`.
base::Result<Inflated> inflateZlib(std::span<const std::byte> compressed, std::span<std::byte> out);

/// Compresses `bytes` as one gzip member; level 1 to 12.
base::Result<std::vector<std::byte>> deflateGzip(std::span<const std::byte> bytes, int level);

}  // namespace highwater::scan::reader
