#pragma once

#include <filesystem>

namespace highwater::runs {

/// A lock so that only one process at a time creates, settles or removes runs of a store. Held while the
/// object exists; the system releases it when the process dies. Does nothing if the file system has no locks.
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
