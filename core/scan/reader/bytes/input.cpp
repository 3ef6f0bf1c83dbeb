#include "core/scan/reader/bytes/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/text.h"
#include "core/volume/write_volume.h"

namespace highwater::scan::reader {

Mapping::Mapping(Mapping&& other) noexcept {
    *this = std::move(other);
}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(fd_, other.fd_);
    return *this;
}

Mapping::~Mapping() {
    if (data_) {
        munmap(data_, size_);
    }
    if (fd_ >= 0) {
        close(fd_);
    }
}

void Mapping::release(base::Bytes begin, base::Bytes end) const {
    const auto page = static_cast<base::Bytes>(sysconf(_SC_PAGESIZE));
    begin = (begin + page - 1) / page * page;
    end = end == static_cast<base::Bytes>(size_) ? end : end / page * page;
    if (begin < end) {
        madvise(data_ + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
    }
}

void Mapping::forget(base::Bytes begin, base::Bytes end) {
    static_cast<void>(fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, end - begin));
}

base::Result<Mapping> Mapping::openFile(const std::string& path) {
    Mapping out;
    out.fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (out.fd_ < 0) {
        const std::string why = errno == ENOENT   ? "there is no such file"
                                : errno == EACCES ? "you may not read it"
                                                  : std::strerror(errno);
        return base::Error{fmt::format("{}: {}", path, why)};
    }
    struct stat facts{};
    if (fstat(out.fd_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return base::Error{fmt::format("{}: is not a file", path)};
    }
    if (facts.st_size == 0) {
        return base::Error{fmt::format("{}: is empty", path)};
    }
    out.size_ = static_cast<std::size_t>(facts.st_size);
    void* data = mmap(nullptr, out.size_, PROT_READ, MAP_PRIVATE, out.fd_, 0);
    if (data == MAP_FAILED) {
        return base::Error{fmt::format("{}: cannot be mapped: {}", path, std::strerror(errno))};
    }
    out.data_ = static_cast<std::byte*>(data);
    return out;
}

base::Result<Mapping> Mapping::scratch(base::Bytes bytes) {
    const auto fd = HIGHWATER_TRY(volume::temporaryFile());
    auto out = output(fd, bytes);
    close(fd);
    return out;
}

base::Result<Mapping> Mapping::memory(base::Bytes bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    void* data =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
        return base::Error{
            fmt::format("{} are needed, more than the reader may take", base::formatBytes(bytes))};
    }
    madvise(data, size, MADV_HUGEPAGE);
    Mapping out;
    out.data_ = static_cast<std::byte*>(data);
    out.size_ = size;
    return out;
}

base::Result<Mapping> Mapping::output(int fd, base::Bytes bytes) {
    Mapping out;
    out.fd_ = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (out.fd_ < 0) {
        return base::Error{fmt::format("the temporary file cannot be used: {}", std::strerror(errno))};
    }
    if (const int failed = posix_fallocate(out.fd_, 0, bytes); failed != 0) {
        return base::Error{fmt::format("{} of temporary space are needed: {}", base::formatBytes(bytes),
                                       std::strerror(failed))};
    }
    void* data =
        mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, out.fd_, 0);
    if (data == MAP_FAILED) {
        return base::Error{
            fmt::format("{} are needed, more than the reader may take", base::formatBytes(bytes))};
    }
    out.data_ = static_cast<std::byte*>(data);
    out.size_ = static_cast<std::size_t>(bytes);
    return out;
}

std::string fileName(const std::string& path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

base::Error named(const std::string& path, const base::Error& error) {
    return {fmt::format("{}: {}", fileName(path), error.message)};
}

}  // namespace highwater::scan::reader
