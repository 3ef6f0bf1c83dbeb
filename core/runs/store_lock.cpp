#include "core/runs/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace highwater::runs {

StoreLock::StoreLock(const std::filesystem::path& store)
    : fd_(::open((store / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    while (fd_ >= 0 && ::flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
}

StoreLock::~StoreLock() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

}  // namespace highwater::runs
