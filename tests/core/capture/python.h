#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace highwater::test {

inline bool hasPython() {
    return std::system("python3 -c 'import pickle, json' >/dev/null 2>&1") == 0;
}

/// The output of a script in this folder, both streams; `status` becomes its exit status.
inline std::string runPython(const std::string& script, const std::string& arguments, int& status) {
    const std::string command =
        "python3 '" HIGHWATER_SOURCE_DIR "/tests/core/capture/" + script + "' " + arguments + " 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    std::array<char, 4096> part{};
    while (pipe) {
        const std::size_t n = std::fread(part.data(), 1, part.size(), pipe);
        if (n == 0) {
            break;
        }
        text.append(part.data(), n);
    }
    status = pipe ? ::pclose(pipe) : -1;
    return text;
}

}  // namespace highwater::test
