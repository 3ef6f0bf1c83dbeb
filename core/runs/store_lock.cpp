#include "core/runs/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"

namespace highwater::runs {

namespace {

constexpr auto kLook = std::chrono::milliseconds(10);
constexpr int kLooks = 100;

std::filesystem::path lockFile(const std::filesystem::path& store) {
    return store / "lock";
}

base::Descriptor openLock(const std::filesystem::path& store) {
    auto file = base::openRegular(lockFile(store), O_RDWR | O_CREAT);
    return file ? std::move(*file) : base::Descriptor();
}

/// False if another process has the lock.
bool take(const base::Descriptor& file, int how) {
    int done = 0;
    do {
        done = file.get() < 0 ? 0 : ::flock(file.get(), how);
    } while (done != 0 && errno == EINTR);
    return done == 0 || errno != EWOULDBLOCK;
}

}  // namespace

StoreLock::StoreLock(const std::filesystem::path& store, const Waiting& waiting) : file_(openLock(store)) {
    for (int looks = 0; looks < kLooks; ++looks) {
        if (take(file_, LOCK_EX | LOCK_NB)) {
            return;
        }
        std::this_thread::sleep_for(kLook);
    }
    if (waiting) {
        waiting(base::oneLine(
            fmt::format("waiting for another program, which has locked {}", lockFile(store).string()), 1000));
    }
    take(file_, LOCK_EX);
    if (waiting) {
        waiting("");
    }
}

StoreLock::StoreLock(const std::filesystem::path& store, AtOnce) : file_(openLock(store)) {
    held_ = take(file_, LOCK_EX | LOCK_NB);
}

}  // namespace highwater::runs
