#include "core/base/paths.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>

namespace highwater::base {

namespace fs = std::filesystem;

fs::path programFolder() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

fs::path siblingProgram(std::string_view name) {
    const fs::path here = programFolder();
    std::error_code ignored;
    for (const fs::path& folder :
         {here, here.parent_path() / "libexec" / "highwater", here.parent_path() / "bin"}) {
        if (fs::is_regular_file(folder / name, ignored)) {
            return folder / name;
        }
    }
    return {};
}

fs::path resourcesFolder() {
    std::error_code ignored;
    if (const char* named = std::getenv("HIGHWATER_RESOURCES"); named && *named) {
        return named;
    }
    for (const char* up : {"..", "../.."}) {  // from bin/, or from libexec/highwater/
        fs::path installed = (programFolder() / up / "share" / "highwater").lexically_normal();
        if (fs::is_directory(installed / "presets", ignored)) {
            return installed;
        }
    }
    const fs::path source = HIGHWATER_SOURCE_RESOURCES;
    return fs::is_directory(source, ignored) ? source : fs::path();
}

Result<fs::path> resourcesIn(std::string_view folder) {
    const fs::path all = resourcesFolder();
    if (all.empty()) {
        return Error{
            "the resources folder is missing; install Highwater again or set HIGHWATER_RESOURCES to its "
            "resources folder"};
    }
    return all / folder;
}

namespace {

/// $HOME, otherwise the home folder in the system's user database. Never a folder that other users can write
/// to, such as /tmp: if unknown it is /, where no other user can plant files.
fs::path home() {
    if (const char* named = std::getenv("HOME"); named && *named == '/') {
        return named;
    }
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 16384> text;
    const int failed = ::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found);
    return failed == 0 && found && entry.pw_dir && *entry.pw_dir == '/' ? entry.pw_dir : "/";
}

/// Highwater's folder in the one that the variable names, otherwise in that folder of the user's home.
fs::path ownFolder(const char* variable, const char* inHome) {
    if (const char* named = std::getenv(variable); named && *named == '/') {
        return fs::path(named) / "highwater";
    }
    return home() / inHome / "highwater";
}

}  // namespace

fs::path defaultStoreFolder() {
    return ownFolder("XDG_DATA_HOME", ".local/share");
}

fs::path configFolder() {
    return ownFolder("XDG_CONFIG_HOME", ".config");
}

fs::path programOnPath(std::string_view name) {
    const char* path = std::getenv("PATH");
    std::string_view folders = path ? path : "/usr/bin:/bin";
    while (!folders.empty()) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
        fs::path program = fs::path(folder) / name;
        std::error_code ignored;
        if (program.is_absolute() && fs::is_regular_file(program, ignored) &&
            ::access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    return {};
}

}  // namespace highwater::base
