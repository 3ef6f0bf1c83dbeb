#include <fmt/format.h>

#include "core/stack/pytorch/archive.h"

/// Replaces archive.cpp if libzip is not available.
namespace highwater::stack::pytorch {

base::Result<ProgramFiles> programOfBytes(std::string_view, std::string_view name) {
    return base::Error{fmt::format(
        "{}: this highwater-cli reads no archives; take that of Highwater itself, or the Python package",
        name)};
}

base::Result<ProgramFiles> programOfFile(const std::filesystem::path& path) {
    return programOfBytes({}, path.string());
}

}  // namespace highwater::stack::pytorch
