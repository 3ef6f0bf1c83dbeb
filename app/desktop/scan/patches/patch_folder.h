#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace highwater::desktop {

/// A folder of this process for the files of one set of patches. When a folder is created, those left in
/// `parent` by processes that have died are removed.
class PatchFolder {
public:
    /// If `parent` is empty, the system's temporary folder is used.
    explicit PatchFolder(std::filesystem::path parent = {});
    ~PatchFolder();
    PatchFolder(const PatchFolder&) = delete;
    PatchFolder& operator=(const PatchFolder&) = delete;

    /// Creates a new empty subfolder at each call. An error is one line.
    base::Result<std::filesystem::path> part();
    /// Removes all subfolders. Volumes that are mapped from them stay readable.
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
