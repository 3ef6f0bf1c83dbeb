#pragma once

#include <ftw.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace highwater::test {

/// A fresh folder that is removed with its contents by the destructor.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "highwater-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) {
            throw std::runtime_error("no temporary folder");
        }
        path_ = name;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        // LibTorch's wheels export their own std::filesystem::remove_all, which ends the process.
        const auto take = [](const char* path, const struct stat*, int, FTW*) { return std::remove(path); };
        nftw(path_.c_str(), take, 16, FTW_DEPTH | FTW_PHYS);
    }
    /// Writes a file into it; returns its path.
    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
        return (path_ / name).string();
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// The path of a folder that does not exist on any machine.
inline const std::string& nowhere() {
    static const TemporaryFolder folder;
    static const std::string path = (folder.path() / "nowhere").string();
    return path;
}

}  // namespace highwater::test
