#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/descriptor.h"

namespace highwater::runs {

/// Called by a waiting thread with the reason once it has waited for a second, and with an empty text when it
/// stops waiting.
using Waiting = std::function<void(const std::string& what)>;

/// A lock so that only one process at a time creates, settles or removes runs of a store. Held while the
/// object exists; the system releases it when the process dies. Does nothing if the file system has no locks,
/// or the lock's file is not a regular file.
class StoreLock {
public:
    explicit StoreLock(const std::filesystem::path& store, const Waiting& waiting = {});
    struct AtOnce {};
    /// Does not wait: held() is false if another process has the lock.
    StoreLock(const std::filesystem::path& store, AtOnce atOnce);
    bool held() const { return held_; }

private:
    base::Descriptor file_;
    bool held_ = true;
};

}  // namespace highwater::runs
