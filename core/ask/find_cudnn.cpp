#include "core/ask/find_cudnn.h"

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "core/base/paths.h"
#include "core/base/program_output.h"

namespace highwater::ask {

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kLongestPath = 4096;

/// Looks for the wheel in the interpreter's own folders. Nothing is imported from them, and -I keeps the
/// current folder and $PYTHONPATH out of sys.path. -I also omits the user's site-packages, where `pip install
/// --user` puts the wheel, so they are added here as Python itself would.
constexpr const char* kFind = R"(import os, site, sys
folders = [folder for folder in sys.path if "-packages" in folder]
if sys.prefix == sys.base_prefix:
    folders.insert(0, site.getusersitepackages())
for folder in folders:
    library = os.path.join(folder, "nvidia", "cudnn", "lib")
    if os.path.isabs(library) and os.path.isfile(os.path.join(library, "libcudnn.so.9")):
        print(library, end="")
        break)";

std::filesystem::path ofPython() {
    base::Launch launch;
    launch.program = base::programOnPath("python3");
    if (launch.program.empty()) {
        return {};
    }
    launch.arguments = {"-I", "-c", kFind};
    const auto said = base::outputOf(launch, kLongestPath, kPatience);
    std::error_code ignored;
    const std::filesystem::path folder = said ? *said : "";
    return folder.is_absolute() && std::filesystem::exists(folder / "libcudnn.so.9", ignored)
               ? folder
               : std::filesystem::path();
}

}  // namespace

std::optional<std::filesystem::path> findCudnn() {
    if (const char* const named = std::getenv("HIGHWATER_CUDNN"); named != nullptr && *named != '\0') {
        return std::string_view(named) == "off" ? std::nullopt : std::optional<std::filesystem::path>(named);
    }
    static const std::filesystem::path found = ofPython();
    return found;
}

}  // namespace highwater::ask
