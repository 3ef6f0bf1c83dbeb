#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::scan::reader {

/// A mapped file or mapped memory; unmapped by the destructor.
class Mapping {
public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    std::span<std::byte> writable() { return {data_, size_}; }  ///< not for a mapping from openFile
    /// Releases the memory of [begin, end), which will not be read again soon.
    void release(base::Bytes begin, base::Bytes end) const;
    /// Releases the disk space of [begin, end) of a scratch file; does nothing if that is not possible.
    void forget(base::Bytes begin, base::Bytes end);

    /// Maps a scan read-only. Errors (missing, a folder, empty, no permission, a device) name the file.
    static base::Result<Mapping> openFile(const std::string& path);
    /// Maps an unlinked temporary file with all its space reserved, so that a full disk is an error here and
    /// not a signal later.
    static base::Result<Mapping> scratch(base::Bytes bytes);
    /// The same for the caller's file, which is resized to `bytes`.
    static base::Result<Mapping> output(int fd, base::Bytes bytes);
    /// Maps memory without a file, filled with zeros; only pages that are written to use memory.
    static base::Result<Mapping> memory(base::Bytes bytes);

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    int fd_ = -1;
};

/// Returns the last part of a path, for messages.
std::string fileName(const std::string& path);
/// The error with the file's name in front.
base::Error named(const std::string& path, const base::Error& error);

}  // namespace highwater::scan::reader
