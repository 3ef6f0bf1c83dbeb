#pragma once

#include <span>
#include <string>
#include <vector>

#include "widgets/timeline/trace_index.h"

/// Memory in use at a moment, grouped by the code that allocated it.
namespace highwater::widgets {

/// By the place (file and line), the function or the module of the frame that represents the stack best, or
/// by the whole stack.
enum class Grouping { Place, Function, Module, Stack };
inline constexpr int kGroupings = 4;

/// Blocks that were allocated at the same place.
struct HeldBytes {
    static constexpr std::int32_t kBefore = -2;
    std::int32_t stack = -1;  ///< index into the stacks; -1 if unknown
    /// Index into Trace::labels, for blocks without a stack; -1 if unknown; kBefore if the block is older
    /// than the recording.
    std::int32_t label = -1;
    base::Bytes bytes = 0;
    std::int64_t blocks = 0;
    bool operator==(const HeldBytes&) const = default;
};
/// The bytes alive at a state, by stack or label. Reads all blocks once.
std::vector<HeldBytes> heldAt(const TraceIndex& index, std::size_t state);

struct StackGroup {
    std::string name;  ///< for display: "models/unet.py:57 forward"; "unknown code"
    base::Bytes bytes = 0;
    std::int64_t blocks = 0;
    std::int32_t stack = -1;  ///< the stack that holds most of the bytes; -1 if unknown
    bool operator==(const StackGroup&) const = default;
};
/// The groups, in descending order of bytes. `stacks` may be null; `labels` are Trace::labels.
std::vector<StackGroup> groupsOf(const memory::CallStacks* stacks, std::span<const std::string> labels,
                                 std::span<const HeldBytes> held, Grouping grouping);

/// A group of two captures, matched by function and line, in files whose last two path components are equal.
struct GroupDifference {
    StackGroup here, other;  ///< at most one of them is empty
    const std::string& name() const { return here.blocks > 0 ? here.name : other.name; }
    base::Bytes difference() const { return here.bytes - other.bytes; }
};
/// The groups at a state of one trace, in descending order of bytes.
std::vector<GroupDifference> groupsAt(const TraceIndex& index, std::size_t state, Grouping grouping);
/// The groups of two traces, each at its own state, with the largest differences first.
std::vector<GroupDifference> compareGroups(const TraceIndex& index, std::size_t state,
                                           const TraceIndex& other, std::size_t otherState,
                                           Grouping grouping);

/// The last `names` components of a path, with slashes: "models/unet.py" of "C:\\net\\models\\unet.py".
std::string pathEnd(std::string_view file, int names);
/// The module of a file: "torch.nn.modules.conv" for a file of an installed package, otherwise the end of the
/// path.
std::string moduleOf(std::string_view file);
/// A frame for display: "models/unet.py:57 forward".
std::string frameText(const memory::StackFrame& frame);

}  // namespace highwater::widgets
