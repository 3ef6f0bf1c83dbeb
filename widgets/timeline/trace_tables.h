#pragma once

#include <string>
#include <vector>

#include "widgets/timeline/trace_index.h"

/// The contents of the tables below the timeline. Each function reads all spans once (some 10 ms for a
/// million), so it must not be called on the window's thread.
namespace highwater::widgets {

/// A range of states [first, last], inclusive.
struct StateRange {
    std::size_t first = 0, last = 0;
    bool operator==(const StateRange&) const = default;
};
inline StateRange allStates(const TraceIndex& index) {
    return {0, index.states() - 1};
}

/// Bytes times lifetime: byte seconds, or byte events if the trace has no times.
double byteTime(const TraceIndex& index, base::Bytes bytes, double length);

enum class LargestOrder { Bytes, Lifetime, ByteTime, Begin, Category, Layer, Label };
/// The first `most` blocks in that order that live at some time in the range (ties by number).
std::vector<std::uint32_t> largestBlocks(const TraceIndex& index, const StateRange& range, LargestOrder order,
                                         bool descending, std::size_t most = 1000);

/// One entry per layer: true if it is `layer` or inside it ("enc2 · 1 conv" in "enc2"). All false for -1.
std::vector<bool> layersWithin(const memory::Trace& trace, int layer);

/// The sums of a layer's allocations within a range.
struct LayerSum {
    base::Bytes atPeak = 0;     ///< bytes alive at the range's highest state
    base::Bytes allocated = 0;  ///< bytes of all blocks that begin in the range
    double byteTime = 0;        ///< within the range
    std::int64_t blocks = 0;    ///< number of blocks that live at some time in the range
    bool operator==(const LayerSum&) const = default;
};
/// One entry for each of Trace::layers, and a last one for blocks without a layer. The entries add up to the
/// sums of the range.
std::vector<LayerSum> layerSums(const TraceIndex& index, const StateRange& range);

/// A layer of two traces, matched by name. "" stands for blocks without a layer.
struct LayerDifference {
    std::string name;
    int layer = -1, otherLayer = -1;  ///< -1: the trace has no layer of that name
    LayerSum here, other;
};
/// First the layers of `index` in their order, then those that only `other` has, then "" for the rest.
std::vector<LayerDifference> compareLayers(const TraceIndex& index, const TraceIndex& other);

}  // namespace highwater::widgets
