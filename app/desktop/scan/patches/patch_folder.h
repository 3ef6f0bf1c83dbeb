#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace highwater::desktop {

/// A folder of this process for the files of one set of patches. Folders in `parent` that were left by
/// processes which have died are removed when another process makes its folder.
class PatchFolder {
public:
    /// If `parent` is empty, the system's folder for temporary files is used.
    explicit PatchFolder(std::filesystem::path parent = {});
    ~PatchFolder();
    PatchFolder(const PatchFolder&) = delete;
    PatchFolder& operator=(const PatchFolder&) = delete;

    /// Makes a new empty folder in it each time. An error is one line.
    base::Result<std::filesystem::path> part();
    /// Removes all parts. Volumes that are mapped from them stay readable.
    void clear();

private:
    base::Status make();
    std::filesystem::path parent_, own_;
    int lock_ = -1;
    int parts_ = 0;
};

/// Removes the folders of processes that no longer exist.
void removeAbandonedPatches(const std::filesystem::path& parent);

}  // namespace highwater::desktop
