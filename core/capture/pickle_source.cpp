#include "core/capture/pickle_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/text.h"
#include "core/capture/words.h"

namespace highwater::capture {

base::Result<PickleSource> PickleSource::open(const std::filesystem::path& file) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return fileError(file, errno == ENOENT ? "no such file" : std::strerror(errno));
    }
    PickleSource source(fd, 0);
    struct stat facts{};
    if (::fstat(fd, &facts) != 0) {
        return fileError(file, std::strerror(errno));
    }
    if (S_ISDIR(facts.st_mode)) {
        return fileError(file, "is a directory; a file is needed");
    }
    if (!S_ISREG(facts.st_mode)) {
        return fileError(file, "is not a regular file");
    }
    source.size_ = static_cast<std::uint64_t>(facts.st_size);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return source;
}

PickleSource::PickleSource(int fd, std::uint64_t size) : fd_(fd), size_(size), window_(kWindow + kPadding) {
    at = end = window_.data();
}

PickleSource::PickleSource(std::string_view bytes) : PickleSource(-1, bytes.size()) {
    memory_ = bytes;
}

PickleSource::PickleSource(PickleSource&& other) noexcept
    : at(other.at),
      end(other.end),
      fd_(std::exchange(other.fd_, -1)),
      memory_(other.memory_),
      size_(other.size_),
      read_(other.read_),
      window_(std::move(other.window_)) {}

PickleSource::~PickleSource() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

/// Returns the number of bytes read; 0 if none could be.
std::uint64_t PickleSource::readSome(std::uint8_t* to, std::uint64_t most) {
    if (fd_ < 0) {
        std::memcpy(to, memory_.data() + read_, most);
        return most;
    }
    for (;;) {
        const ssize_t n = ::read(fd_, to, most);
        if (n > 0) {
            return static_cast<std::uint64_t>(n);
        }
        if (n == 0 || errno != EINTR) {
            return 0;
        }
    }
}

void PickleSource::fill(std::size_t need) {
    const auto kept = static_cast<std::size_t>(end - at);
    if (kept >= need || ended()) {
        return;
    }
    std::memmove(window_.data(), at, kept);
    std::size_t held = kept;
    while (held < kWindow && !ended()) {
        const std::uint64_t n =
            readSome(window_.data() + held, std::min<std::uint64_t>(kWindow - held, size_ - read_));
        if (n == 0) {
            size_ = read_;  // the file shrank or the disk failed: it ends here
        }
        read_ += n;
        held += n;
    }
    at = window_.data();
    end = at + held;
    std::memset(window_.data() + held, 0, kPadding);
}

void PickleSource::skip(std::uint64_t count) {
    while (count > 0) {
        const auto here = std::min<std::uint64_t>(count, static_cast<std::uint64_t>(end - at));
        at += here;
        count -= here;
        if (count > 0 && ended()) {
            return;
        }
        fill(1);
    }
}

}  // namespace highwater::capture
