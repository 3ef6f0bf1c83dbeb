#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/desktop/full_disk/full_disk.h"
#include "tests/widgets/qt_main.h"

namespace fs = std::filesystem;

namespace {

/// Restarts the program with the library that makes writes fail. The library reads its settings from the
/// environment before main() runs.
int beginAnew(char** argv) {
    std::string folder = ::testing::TempDir() + "highwater-full-XXXXXX";  // mkdtemp fills in the end
    if (mkdtemp(folder.data()) == nullptr) {
        std::perror(folder.c_str());
        return 1;
    }
    const std::string disk = folder + "/disk", count = folder + "/count";
    fs::create_directories(disk);
    std::ofstream(count) << std::string(8192, '\0');
    setenv("LD_PRELOAD", FULL_DISK_LIBRARY, 1);
    setenv("HIGHWATER_FULL_DISK", disk.c_str(), 1);
    setenv("HIGHWATER_FULL_DISK_COUNT", count.c_str(), 1);
    setenv("HIGHWATER_FULL_DISK_AT", std::to_string(highwater::test::FullDisk::kAt).c_str(), 1);
    execv("/proc/self/exe", argv);
    std::perror("/proc/self/exe");
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (std::getenv("HIGHWATER_FULL_DISK") == nullptr) {
        return beginAnew(argv);
    }
    const fs::path folder = highwater::test::FullDisk::folder().parent_path();
    const int result = highwater::testing::qtMain(argc, argv);
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return result;
}
