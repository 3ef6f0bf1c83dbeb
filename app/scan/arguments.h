#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace highwater::scan {

/// The command line of highwater-scan: a command, options in pairs, "--", and one path.
struct Arguments {
    std::string command, path, series;
    std::int64_t outFd = -1, volume = 0, addressSpace = 0;
    std::uint64_t seed = 1;
};

/// Returns std::nullopt if the words are not such a line.
std::optional<Arguments> parseArguments(const std::vector<std::string>& words);

}  // namespace highwater::scan
