#pragma once

#include <string>
#include <vector>

#include "widgets/timeline/trace_tables.h"

namespace highwater::widgets {

/// A box of the flame graph: everything, then the blocks and layers as their names nest ("enc2 · 1 conv" lies
/// in "enc2"), then the categories.
struct FlameBox {
    std::string name;  ///< its own part of the name: "1 conv"; "" at the root
    double value = 0;  ///< bytes x lifetime (byteTime) of it and of all within
    double begin = 0;  ///< where it lies in the root, 0..1; it is value / root's value wide
    int parent = -1;
    int depth = 0;      ///< 0: the root
    int layer = -1;     ///< that it stands for, or lies in; -1: none
    int category = -1;  ///< of a category's box; otherwise -1
};

/// Boxes without bytes are left out. A box lies after its parent; siblings keep the order of the layers.
std::vector<FlameBox> flameGraph(const TraceIndex& index, const StateRange& range);

}  // namespace highwater::widgets
