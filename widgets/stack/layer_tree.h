#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/stack/experiment.h"

/// Changes to a nested list of layers, as plain functions over values. A path is a list of indices: {3} the
/// fourth layer, {3, 0} the first within it. Functions that change return the paths of the layers concerned
/// afterwards, so that a view can select them.
namespace highwater::widgets {

using Path = std::vector<int>;
using Paths = std::vector<Path>;
using Layers = std::vector<stack::Layer>;

/// Nothing where the path leads nowhere.
const stack::Layer* layerAt(const Layers& layers, const Path& path);
stack::Layer* layerAt(Layers& layers, const Path& path);
/// The list a path's layer lies in; `parent` empty: the top level. Nothing where it is not a block.
Layers* listAt(Layers& layers, const Path& parent);
const Layers* listAt(const Layers& layers, const Path& parent);

/// The block that a layer is, or null.
inline stack::Block* blockOf(stack::Layer& layer) {
    return std::get_if<stack::Block>(&layer.op);
}
inline const stack::Block* blockOf(const stack::Layer& layer) {
    return std::get_if<stack::Block>(&layer.op);
}

/// Sorted, without doubles, and without paths that lie within another of them.
Paths outermost(Paths paths);
/// Copies, in order.
Layers copyOf(const Layers& layers, const Paths& paths);

Paths insertLayers(Layers& layers, const Path& parent, int row, Layers added);
void removeLayers(Layers& layers, const Paths& paths);
/// Moves to before entry `row` of `parent`'s list (both as they are before the move). Nothing where `parent`
/// lies within what is moved.
std::optional<Paths> moveLayers(Layers& layers, const Paths& paths, const Path& parent, int row);
/// Up (-1) or down (+1) by one within the list; at its end, out of the block. Moves as one group; nothing
/// where the paths lie in different lists or there is no further to go.
std::optional<Paths> shiftLayers(Layers& layers, const Paths& paths, int by);
/// Each group of neighbours gets its copy right after it; ids are renamed.
Paths duplicateLayers(Layers& layers, const Paths& paths);
/// Puts the layers, which must lie in one list, into a new block where the first was. Nothing otherwise.
std::optional<Path> groupLayers(Layers& layers, const Paths& paths, const std::string& name);
/// Replaces each block among the paths by what it contains.
Paths ungroupLayers(Layers& layers, const Paths& paths);

/// All ids in use, in order of execution.
std::vector<std::string> layerIds(const Layers& layers);
/// Renames ids of `added` that are taken ("enc1" to "enc1_2"), and the merges among `added` that mean them.
void makeIdsUnique(Layers& added, const std::vector<std::string>& taken);
/// "block1", "block2", ...: the first that no block has.
std::string freeBlockName(const Layers& layers);
/// All layers with their paths, a block before what it contains: the numbering of stack::StackInfo.
Paths allPaths(const Layers& layers);

}  // namespace highwater::widgets
