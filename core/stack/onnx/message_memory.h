#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream.h>

#include "core/base/memory_budget.h"

/// Private to core/stack/onnx.
namespace highwater::stack::onnx {

/// Counts the memory that a message will take, before it is parsed: an empty node has two bytes in a file and
/// two hundred in memory. Stops if the budget is used up, or if the bytes are not such a message, at which
/// the parser stops too.
void countMessage(google::protobuf::io::ZeroCopyInputStream& stream, const google::protobuf::Descriptor& type,
                  base::MemoryBudget& budget);

}  // namespace highwater::stack::onnx
