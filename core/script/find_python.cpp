#include <unistd.h>

#include <cstdlib>

#include "core/base/paths.h"
#include "core/script/launch.h"

namespace highwater::script {
namespace {

namespace fs = std::filesystem;

bool isProgram(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

/// The interpreter of a virtual environment; empty if the folder is not one.
fs::path pythonOf(const fs::path& environment) {
    const fs::path python = environment / "bin" / "python";
    return !environment.empty() && isProgram(python) ? python : fs::path();
}

}  // namespace

base::Result<fs::path> findPython(const fs::path& given, const fs::path& script) {
    std::error_code ignored;
    if (!given.empty()) {
        if (fs::is_directory(given, ignored)) {
            const fs::path python = pythonOf(given);
            return python.empty()
                       ? base::Result<fs::path>(base::Error{
                             given.string() + " is not a virtual environment: it has no bin/python"})
                       : python;
        }
        const fs::path named = given.has_parent_path() ? given : base::programOnPath(given.string());
        return isProgram(named)
                   ? base::Result<fs::path>(fs::absolute(named, ignored))
                   : base::Error{
                         given.string() +
                         " is not a Python; give an interpreter or the folder of a virtual environment"};
    }
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        const char* const folder = std::getenv(variable);
        if (const fs::path python = folder != nullptr ? pythonOf(folder) : fs::path(); !python.empty()) {
            return python;
        }
    }
    for (const fs::path& folder : {script.parent_path(), fs::current_path(ignored)}) {
        for (const char* name : {".venv", "venv"}) {
            if (const fs::path python = pythonOf(folder / name); !python.empty()) {
                return fs::absolute(python, ignored);
            }
        }
    }
    if (const fs::path python = base::programOnPath("python3"); !python.empty()) {
        return python;
    }
    return base::Error{
        "no Python was found: activate the virtual environment that has PyTorch, or name it with --python"};
}

base::Result<fs::path> findScript(const std::string& given, const fs::path& python) {
    std::error_code ignored;
    if (fs::is_regular_file(given, ignored)) {
        return fs::path(given);
    }
    if (fs::is_directory(given, ignored)) {
        return base::Error{given + " is a folder; give the script's file"};
    }
    if (given.find('/') == std::string::npos) {
        if (const fs::path command = python.parent_path() / given; fs::is_regular_file(command, ignored)) {
            return command;
        }
    }
    if (given.starts_with('-')) {
        return base::Error{given + ": there is no such option; options of the script follow its name"};
    }
    return base::Error{given + ": there is no such script"};
}

}  // namespace highwater::script
