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
    std::string continues;  ///< an earlier file: what it holds is not measured again; empty: none
    bool slim = false;      ///< leave layers and conditions out of each result
    bool list = false;
    bool join = false;  ///< only make the file from the journal that an interrupted kit left beside it
    // Working processes, which the kit starts itself:
    std::string part, words, journal;  // words: processWords()
    double until = 0;
};

/// Nothing: `exit` is the program's exit code (help, or a wrong command line, which was answered).
std::optional<Options> parseOptions(int argc, char** argv, int& exit);

}  // namespace highwater::kit
