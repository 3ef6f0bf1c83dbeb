#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"

namespace highwater::scan::reader {

/// A file or memory mapped, unmapped at the end.
class Mapping {
public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    std::span<std::byte> writable() { return {data_, size_}; }  ///< not of a scan
    /// Gives the memory of [begin, end), which will not be read again soon, back to the machine.
    void release(base::Bytes begin, base::Bytes end) const;
    /// Gives the disk space of [begin, end) of a scratch file back; harmless where that is not possible.
    void forget(base::Bytes begin, base::Bytes end);

    /// A scan, read-only. Errors (missing, a folder, empty, no permission, a device) name the file.
    static base::Result<Mapping> openFile(const std::string& path);
    /// An unlinked temporary file with all its space reserved, so that a full disk is an error here and not a
    /// signal later.
    static base::Result<Mapping> scratch(base::Bytes bytes);
    /// The same of a file of the caller's, made `bytes` long.
    static base::Result<Mapping> output(int fd, base::Bytes bytes);
    /// Memory without a file behind it, all zeros; costs what is written to.
    static base::Result<Mapping> memory(base::Bytes bytes);

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    int fd_ = -1;
};

/// The last part of a path, for messages.
std::string fileName(const std::string& path);
/// The error with the file's name in front.
base::Error named(const std::string& path, const base::Error& error);

}  // namespace highwater::scan::reader
