#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace highwater::desktop {

/// A folder of this process's own for one set of patches on their way to the screen. What a process that died
/// left in `parent` is removed when another makes its folder.
class PatchFolder {
public:
    /// `parent`: empty: the system's folder for temporary files.
    explicit PatchFolder(std::filesystem::path parent = {});
    ~PatchFolder();
    PatchFolder(const PatchFolder&) = delete;
    PatchFolder& operator=(const PatchFolder&) = delete;

    /// An empty folder in it, made anew each time; the error is one line.
    base::Result<std::filesystem::path> part();
    /// Removes all parts; volumes that are mapped from them stay readable.
    void clear();

private:
    base::Status make();
    std::filesystem::path parent_, own_;
    int lock_ = -1;
    int parts_ = 0;
};

/// Removes the folders of processes that are no more.
void removeAbandonedPatches(const std::filesystem::path& parent);

}  // namespace highwater::desktop
