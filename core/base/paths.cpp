#include "core/base/paths.h"

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

fs::path defaultStoreFolder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data == '/') {
        return fs::path(data) / "highwater";
    }
    const char* home = std::getenv("HOME");
    return fs::path(home && *home ? home : "/tmp") / ".local" / "share" / "highwater";
}

}  // namespace highwater::base
