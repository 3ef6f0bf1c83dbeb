#pragma once

#include "core/pretend/nccl_board.h"

namespace highwater::pretend {

// The result of a reduction of the ranks' messages of `count` elements, with zeros for those that are not
// known. Empty, so not known: all are unknown, or the type or the operation is not computed here (16 bits and
// less, scaled sums).
Message reduced(const std::vector<Message>& all, std::size_t count, int type, int op);

}  // namespace highwater::pretend
