#pragma once

#include <optional>
#include <string>
#include <vector>

#include "widgets/timeline/trace_index.h"

/// What the tables beside the timeline show. Each costs a pass over the spans (some 10 ms a million): not on
/// the window's thread.
namespace highwater::widgets {

/// Blocks and sums within states [first, last], both included.
struct StateRange {
    std::size_t first = 0, last = 0;
    bool operator==(const StateRange&) const = default;
};
inline StateRange allStates(const TraceIndex& index) {
    return {0, index.states() - 1};
}

/// Bytes times lifetime: byte seconds, or byte events where the trace has no clock.
double byteTime(const TraceIndex& index, base::Bytes bytes, double length);

enum class LargestOrder { Bytes, Lifetime, ByteTime, Begin, Category, Layer, Label };
/// The first `most` blocks that live somewhere in the range, in that order (equal ones: by number).
std::vector<std::uint32_t> largestBlocks(const TraceIndex& index, const StateRange& range, LargestOrder order,
                                         bool descending, std::size_t most = 1000);

/// By layer: whether it is `layer` or lies within it ("enc2 · 1 conv" in "enc2"); all false for -1.
std::vector<bool> layersWithin(const memory::Trace& trace, int layer);

/// What a layer's allocations come to within a range.
struct LayerSum {
    base::Bytes atPeak = 0;     ///< alive at the range's highest state
    base::Bytes allocated = 0;  ///< of all that began in the range
    double byteTime = 0;        ///< within the range
    std::int64_t blocks = 0;    ///< that live somewhere in it
    bool operator==(const LayerSum&) const = default;
};
/// One for each of Trace::layers, and a last one for what belongs to no layer. The sums over all of them are
/// the range's.
std::vector<LayerSum> layerSums(const TraceIndex& index, const StateRange& range);

/// A layer of two traces, found by its name; "" is what belongs to none.
struct LayerDifference {
    std::string name;
    int layer = -1, otherLayer = -1;  ///< -1: the trace has none of that name
    LayerSum here, other;
};
/// First the layers of `index` in their order, then those that only `other` has, then "" for the rest.
std::vector<LayerDifference> compareLayers(const TraceIndex& index, const TraceIndex& other);

}  // namespace highwater::widgets
