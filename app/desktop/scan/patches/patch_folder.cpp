#include "app/desktop/scan/patches/patch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

namespace highwater::desktop {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "highwater-patches-";
constexpr std::string_view kLock = "lock";

/// Locks a folder for the life of this process: the kernel releases the lock however the process ends.
int lockOf(const fs::path& folder) {
    const int fd = ::open((folder / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return fd;
    }
    if (fd >= 0) {
        ::close(fd);
    }
    return -1;
}

}  // namespace

void removeAbandonedPatches(const fs::path& parent) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
        struct stat facts{};
        const bool ours = entry.path().filename().string().starts_with(kPrefix) &&
                          ::lstat(entry.path().c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
                          facts.st_uid == ::geteuid();
        // Without a lock file, it is just being created, or belongs to another program.
        if (!ours || !fs::exists(entry.path() / kLock, ignored)) {
            continue;
        }
        if (const int lock = lockOf(entry.path()); lock >= 0) {
            fs::remove_all(entry.path(), ignored);
            ::close(lock);
        }
    }
}

PatchFolder::PatchFolder(fs::path parent) : parent_(std::move(parent)) {
    std::error_code none;
    if (parent_.empty()) {
        parent_ = fs::temp_directory_path(none);
    }
    removeAbandonedPatches(parent_);
}

PatchFolder::~PatchFolder() {
    std::error_code ignored;
    if (!own_.empty()) {
        fs::remove_all(own_, ignored);
    }
    if (lock_ >= 0) {
        ::close(lock_);
    }
}

base::Status PatchFolder::make() {
    std::string name = (parent_ / (std::string(kPrefix) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) {
        return base::Error{"no folder for patches can be made in " + parent_.string() + ": " +
                           std::strerror(errno)};
    }
    own_ = name;
    lock_ = lockOf(own_);
    return {};
}

base::Result<fs::path> PatchFolder::part() {
    if (own_.empty()) {
        HIGHWATER_TRY(make());
    }
    const fs::path folder = own_ / std::to_string(parts_++);
    std::error_code error;
    if (!fs::create_directory(folder, error)) {
        return base::Error{folder.string() + ": " + error.message()};
    }
    return folder;
}

void PatchFolder::clear() {
    std::error_code ignored;
    if (own_.empty()) {
        return;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(own_, ignored)) {
        if (entry.path().filename() != kLock) {
            fs::remove_all(entry.path(), ignored);
        }
    }
}

}  // namespace highwater::desktop
