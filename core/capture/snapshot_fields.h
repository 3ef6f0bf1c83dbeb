#pragma once

#include <string_view>

/// The fields that Highwater adds to PyTorch's own in a snapshot, so that it can be read back unchanged.
/// Other viewers ignore them.
namespace highwater::capture {

/// Key of the snapshot: a dictionary of `title`, `timed`, `layers` (names) and `steps` (pairs of the first
/// event's number and the step's index). If it is there, `time_us` counts from the trace's start (without
/// times it is the event's number), the frames are those below, and sizes without `reserved_size` are exact.
inline constexpr std::string_view kOwnKey = "highwater";
/// Key of an event or block: TraceBlock::reserved, if it differs from the size.
inline constexpr std::string_view kReservedKey = "reserved_size";

/// The `filename` of an event's frames, innermost first. The operator frame's `name` is the block's label.
/// The place frame's `name` is "forward · 5 conv", its `line` the layer's number from 1, or 0 for none.
inline constexpr std::string_view kOperatorFile = "operator", kPlaceFile = "layer",
                                  kCategoryFile = "category";
/// Separates phase and layer in a place's name.
inline constexpr std::string_view kPlaceSeparator = " · ";

}  // namespace highwater::capture
