#pragma once

#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace highwater::e2e {

/// A separate small file system mounted at a folder, for the lifetime of this object.
class SmallDisk {
public:
    SmallDisk(const std::filesystem::path& folder, const char* size) : folder_(folder) {
        std::filesystem::create_directories(folder);
        if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, size) != 0) {
            problem_ = std::string("no small file system can be mounted here: ") + std::strerror(errno);
        }
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk() {
        if (problem_.empty()) {
            ::umount2(folder_.c_str(), MNT_DETACH);
        }
    }
    const std::string& problem() const { return problem_; }  ///< empty: it is mounted
    void fill() const {
        std::ofstream file(folder_ / "filling", std::ios::binary | std::ios::app);
        const std::string page(4096, 0);
        while (file.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
        }
    }
    void clear() const { std::filesystem::remove(folder_ / "filling"); }

private:
    std::filesystem::path folder_;
    std::string problem_;
};

}  // namespace highwater::e2e
