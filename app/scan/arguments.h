#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace highwater::scan {

/// The command line of highwater-scan: what to do, options in pairs, "--", and one path.
struct Arguments {
    std::string command, path, series;
    std::int64_t outFd = -1, volume = 0, addressSpace = 0;
    std::uint64_t seed = 1;
};

/// Nothing where it is not such a line.
std::optional<Arguments> parseArguments(const std::vector<std::string>& words);

}  // namespace highwater::scan
