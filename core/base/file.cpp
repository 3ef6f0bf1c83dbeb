#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/descriptor.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"

namespace highwater::base {

namespace {

Error fileError(const std::filesystem::path& path, std::string_view what) {
    return Error{oneLine(fmt::format("{}: {}", path.string(), what), 1000)};
}

}  // namespace

Result<Descriptor> openRegular(const std::filesystem::path& path, int flags, unsigned mode) {
    constexpr const char* kDirectory = "is a directory; a file is needed";
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    flags |= O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (writes ? O_NOFOLLOW : 0);
    Descriptor file(::open(path.c_str(), flags, mode));
    if (file.get() < 0) {
        const char* const why = errno == ENOENT            ? "no such file"
                                : errno == EISDIR          ? kDirectory
                                : errno == ENXIO           ? "is not a regular file"
                                : errno == ELOOP && writes ? "is a link; only a regular file is written to"
                                                           : std::strerror(errno);
        return fileError(path, why);
    }
    struct stat facts{};
    if (::fstat(file.get(), &facts) != 0) {
        return fileError(path, std::strerror(errno));
    }
    if (!S_ISREG(facts.st_mode)) {
        return fileError(path, S_ISDIR(facts.st_mode) ? kDirectory : "is not a regular file");
    }
    return file;
}

Result<std::string> readFile(const std::filesystem::path& path, Bytes most) {
    const auto opened = HIGHWATER_TRY(openRegular(path));
    const Descriptor& file = opened;
    struct stat facts{};
    if (::fstat(file.get(), &facts) != 0) {
        return fileError(path, std::strerror(errno));
    }
    if (facts.st_size > most) {
        const std::string what = whatFileIs(path);
        return fileError(path, fmt::format("has {}; at most {} is read here{}", formatBytes(facts.st_size),
                                           formatBytes(most), what.empty() ? "" : "; it " + what));
    }
    std::string text;
    char buffer[65536];
    for (;;) {
        const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fileError(path, std::strerror(errno));
        }
        if (n == 0) {
            return text;
        }
        text.append(buffer, static_cast<std::size_t>(n));
        if (static_cast<Bytes>(text.size()) > most) {
            return fileError(path, "grew while it was read");
        }
    }
}

bool writeAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view text) {
    std::string temporary = path.string() + ".XXXXXX";
    const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) {
        return fileError(path, fmt::format("cannot be written: {}", std::strerror(errno)));
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const bool written = ::fchmod(file.get(), 0666 & ~mask) == 0 && writeAll(file.get(), text) &&
                         ::fsync(file.get()) == 0 && ::rename(temporary.c_str(), path.c_str()) == 0;
    if (!written) {
        const int code = errno;
        ::unlink(temporary.c_str());
        return fileError(path, fmt::format("cannot be written: {}", std::strerror(code)));
    }
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.get() >= 0) {
        ::fsync(parent.get());  // not every file system can sync a folder; the rename itself has succeeded
    }
    return {};
}

Status writeInFolder(const std::filesystem::path& path, std::string_view text) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    return error ? fileError(path.parent_path(), error.message()) : writeFileAtomically(path, text);
}

}  // namespace highwater::base
