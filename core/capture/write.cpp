#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/capture/output.h"
#include "core/capture/words.h"

namespace highwater::capture {

namespace {

base::Error systemError(const std::filesystem::path& file) {
    return fileError(file, fmt::format("cannot be written: {}", std::strerror(errno)));
}

/// Creates an empty temporary file in the target's folder, with the permissions of a new file.
base::Result<std::string> makeTemporary(const std::filesystem::path& file) {
    std::string name = file.string() + ".XXXXXX";
    const int fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd < 0) {
        return systemError(file);
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd, 0666 & ~mask);
    ::close(fd);
    return name;
}

bool syncFile(const std::string& name) {
    const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool synced = ::fsync(fd) == 0;
    ::close(fd);
    return synced;
}

}  // namespace

base::Status write(const memory::Trace& trace, Format format, std::ostream& out, const Progress& progress) {
    HIGHWATER_TRY(memory::check(trace));
    switch (format) {
        case Format::Snapshot:
            return writeSnapshot(trace, out, progress);
        case Format::Chrome:
            return writeChrome(trace, out, progress);
        case Format::Csv:
            return writeCsv(trace, out, progress);
    }
    return base::Error{"no such format"};
}

base::Status write(const memory::Trace& trace, Format format, const std::filesystem::path& file,
                   const Progress& progress) {
    // A device or a pipe is written directly: renaming would replace it with a regular file.
    std::error_code ignored;
    const auto there = std::filesystem::status(file, ignored);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
        return fileError(file, "is not a regular file; a capture goes to one, or to a new one");
    }
    const auto temporary = HIGHWATER_TRY(makeTemporary(file));
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    base::Status written = write(trace, format, out, progress);
    out.close();
    if (written && !out) {  // writes the rest of its buffer
        written = systemError(file);
    } else if (written && (!syncFile(temporary) || ::rename(temporary.c_str(), file.c_str()) != 0)) {
        written = systemError(file);
    } else if (!written) {
        written = fileError(file, written.error().message);
    }
    if (!written) {
        ::unlink(temporary.c_str());
    }
    return written;
}

}  // namespace highwater::capture
