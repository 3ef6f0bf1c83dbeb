#pragma once

#include <optional>
#include <string>

#include "tests/gpu/kit/session.h"

namespace highwater::kit {

struct Options {
    std::string out = "gpu-reference.json";
    std::string device = "cuda";
    double minutes = 5;  ///< for everything
    bool quick = false;
    std::string only;
    std::string continues;  ///< an earlier file, whose contents are not measured again; empty: none
    bool slim = false;      ///< omit layers and conditions from each result
    bool list = false;
    bool join = false;  ///< only write the file from the journal left by an interrupted kit
    // Worker processes, which the kit starts itself:
    std::string part, words, journal;  // words: processWords()
    double until = 0;
};

/// std::nullopt: exit with `exit` (help, or a wrong command line, which was reported).
std::optional<Options> parseOptions(int argc, char** argv, int& exit);

}  // namespace highwater::kit
