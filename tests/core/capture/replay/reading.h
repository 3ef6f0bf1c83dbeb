#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/base/units.h"

namespace highwater::capture {

/// One interpretation of a recording that allows several. The default is tried first.
struct Reading {
    std::size_t first = 0;  ///< the first event to replay: earlier ones are the end of a request whose
                            ///< beginning was not recorded
    std::map<std::size_t, std::size_t> answers;      ///< answers to the player's questions, by number; 0 if
                                                     ///< absent
    std::map<std::int64_t, base::Bytes> remainders;  ///< bytes by which rebuilt blocks exceed their rounded
                                                     ///< requests, by address
};

}  // namespace highwater::capture
