#pragma once

#include <string_view>

/// What a snapshot of Highwater holds beside PyTorch's own fields, so that it can be read back as it was.
/// Other viewers pass over it.
namespace highwater::capture {

/// Of the snapshot: a dictionary of `title`, `timed`, `layers` (names) and `steps` (pairs of the first
/// event's number and the step's index). Where it is there, `time_us` counts from the trace's start (without
/// a clock: it is the event's number), the frames are those below, and sizes without `reserved_size` are
/// exact.
inline constexpr std::string_view kOwnKey = "highwater";
/// Of an event or block: TraceBlock::reserved where it is not the size.
inline constexpr std::string_view kReservedKey = "reserved_size";

/// The frames of an event, innermost first, by their `filename`. The operator's `name` is the block's label.
/// A place's `name` is "forward · 5 conv", its `line` the layer's number from 1, or 0.
inline constexpr std::string_view kOperatorFile = "operator", kPlaceFile = "layer",
                                  kCategoryFile = "category";
/// Between the phase and the layer in a place's name.
inline constexpr std::string_view kPlaceSeparator = " · ";

}  // namespace highwater::capture
