#pragma once

#include <filesystem>
#include <vector>

#include "core/base/descriptor.h"

namespace highwater::desktop {

/// The sessions in a folder: session.json, session-2.json, ..., one for each window. A window owns its
/// session through a lock on one byte of sessions.lock. The operating system releases the lock when the
/// window's process ends, even if it is killed; a file without an owner belongs to a window that is gone.
///
/// On a file system without locks, or in a read-only folder, every session counts as free.
class SessionFolder {
public:
    /// Creates the folder if it does not exist.
    explicit SessionFolder(std::filesystem::path folder);

    std::filesystem::path file(int number) const;
    /// The numbers of the existing sessions, ascending.
    std::vector<int> numbers() const;
    /// Takes ownership of a session, which need not exist yet. Returns false if another window owns it. Waits
    /// for up to a second if the last owner is dead: a process that it was starting may still hold its lock.
    bool own(int number);
    /// Whether the lock requested by own() is really held.
    bool holds(int number) const { return held_ == number; }
    void release();
    bool ownedByAnother(int number) const;

private:
    bool openLock();
    /// Whether the process that took the session last is gone, as far as this machine knows.
    bool hasDeadOwner(int number) const;
    std::filesystem::path folder_;
    base::Descriptor lock_;
    int held_ = 0;
};

}  // namespace highwater::desktop
