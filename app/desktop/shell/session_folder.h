#pragma once

#include <filesystem>
#include <vector>

#include "core/base/descriptor.h"

namespace highwater::desktop {

/// The sessions in a folder: session.json, session-2.json, ..., one for each window. A window owns its
/// session through a lock on one byte of sessions.lock. The system releases the lock when the window's
/// process ends, also if it is killed; a file that nobody owns belongs to a window that is gone.
///
/// On a file system without locks, or in a folder that cannot be written, every session counts as free.
class SessionFolder {
public:
    /// Creates the folder if it is not there.
    explicit SessionFolder(std::filesystem::path folder);

    std::filesystem::path file(int number) const;
    /// The numbers of the sessions that are there, in ascending order.
    std::vector<int> numbers() const;
    /// Takes a session, which need not be there yet. False if another window owns it.
    bool own(int number);
    /// Whether the lock that own() asked for is really held.
    bool holds(int number) const { return held_ == number; }
    void release();
    bool ownedByAnother(int number) const;

private:
    bool openLock();
    std::filesystem::path folder_;
    base::Descriptor lock_;
    int held_ = 0;
};

}  // namespace highwater::desktop
