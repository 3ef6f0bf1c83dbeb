#pragma once

#include <string>
#include <vector>

#include "widgets/timeline/trace_tables.h"

namespace highwater::widgets {

/// A box of the flame graph. The root stands for everything; below it are the blocks and layers, nested like
/// their names ("enc2 · 1 conv" is inside "enc2"), and at the bottom the categories.
struct FlameBox {
    std::string name;  ///< its part of the name: "1 conv"; "" for the root
    double value = 0;  ///< bytes x lifetime (byteTime) of the box with everything inside
    /// Left edge as a fraction of the root's width, 0..1; the width is value / the root's value.
    double begin = 0;
    int parent = -1;
    int depth = 0;      ///< 0: the root
    int layer = -1;     ///< the layer that the box is, or is inside of; -1 if none
    int category = -1;  ///< the category, if the box stands for one; otherwise -1
};

/// The boxes of the flame graph. Boxes without bytes are left out. A box comes after its parent; siblings
/// keep the order of the layers.
std::vector<FlameBox> flameGraph(const TraceIndex& index, const StateRange& range);

}  // namespace highwater::widgets
