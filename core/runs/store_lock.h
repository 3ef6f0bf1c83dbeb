#pragma once

#include <filesystem>

namespace highwater::runs {

/// Only one process at a time creates, settles or removes runs of a store. Held while this lives; the system
/// lets go when a process dies. Where the file system knows no locks it does nothing.
class StoreLock {
public:
    explicit StoreLock(const std::filesystem::path& store);
    StoreLock(const StoreLock&) = delete;
    StoreLock& operator=(const StoreLock&) = delete;
    ~StoreLock();

private:
    int fd_ = -1;
};

}  // namespace highwater::runs
