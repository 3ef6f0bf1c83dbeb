#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace highwater::fuzz {

/// How a program ended.
struct BoundedEnd {
    int exit = -1, signal = 0;
    std::string out, err;
    std::int64_t peakBytes = 0;  ///< resident memory of it and of the child processes that it waited for
};

/// Runs a program of the build in a folder, with an address space of at most `addressSpace` bytes (unlimited
/// with a sanitizer, which needs terabytes). The folder is its home.
BoundedEnd runBounded(const std::string& program, const std::vector<std::string>& arguments,
                      const std::filesystem::path& folder, std::uint64_t addressSpace);

/// Whether memory can be limited: not with a sanitizer.
bool boundsMemory();

}  // namespace highwater::fuzz
