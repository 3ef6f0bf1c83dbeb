#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/base/units.h"

namespace highwater::capture {

/// One way to read a recording where it allows several. Default: the reading that is tried first.
struct Reading {
    std::size_t first = 0;  ///< the event to begin with: those before it are the end of a request whose
                            ///< beginning was not recorded
    std::map<std::size_t, std::size_t> answers;      ///< to the player's questions, by number; else 0
    std::map<std::int64_t, base::Bytes> remainders;  ///< what rebuilt blocks are larger by, by address
};

}  // namespace highwater::capture
