#include "core/base/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace highwater::base {

Result<std::filesystem::path> makeTemporaryFolder(std::string_view prefix) {
    std::error_code ignored;
    std::string name =
        (std::filesystem::temp_directory_path(ignored) / fmt::format("{}XXXXXX", prefix)).string();
    if (::mkdtemp(name.data()) == nullptr) {
        return Error{fmt::format("{} cannot be created: {}", name, std::strerror(errno))};
    }
    return std::filesystem::path(name);
}

}  // namespace highwater::base
