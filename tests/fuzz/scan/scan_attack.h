#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/scan/seed_files.h"

/// Damaged scans, each opened as the desktop opens one.
namespace highwater::fuzz {

struct Damaged {
    SeedFile file;
    std::string how;             ///< "truncated", "packed data damaged", "coded data damaged", "damaged"
    bool mustBeRefused = false;  ///< bytes are missing, or a checksum is wrong
};

/// The same number gives the same damage.
Damaged damage(const SeedFile& seed, std::uint64_t number);

/// Opens a file. Returns why it could not be opened, or an empty string.
std::string openWhole(const SeedFile& seed);

struct Row {
    int refused = 0, accepted = 0;
};

struct Summary {
    std::map<std::string, Row> formats;  ///< by SeedFile::format
    int mustRefuse = 0, stopped = 0;     ///< of these, the reader process died, reported in one line
    double slowest = 0;                  ///< seconds
    std::int64_t mostMemory = 0;         ///< bytes, the largest resident set of any reader process
    std::vector<std::string> failures;   ///< violations; one line each
};

/// Opens `count` damaged files, with numbers from `first` on, in a separate folder. A file that stays unread
/// for 10 s, is accepted although it must be rejected, or gives a volume that cannot be shown is a failure.
Summary attack(const std::vector<SeedFile>& seeds, std::uint64_t first, int count);

}  // namespace highwater::fuzz
