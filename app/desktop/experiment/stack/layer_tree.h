#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/stack/experiment.h"

/// Functions that read and change a nested list of layers. A path is a list of indices: {3} is the fourth
/// layer, {3, 0} the first layer within it. Functions that change the list return the new paths of the
/// affected layers, so that a view can select them.
namespace highwater::desktop {

using Path = std::vector<int>;
using Paths = std::vector<Path>;
using Layers = std::vector<stack::Layer>;

/// Returns nullptr if there is no layer at the path.
const stack::Layer* layerAt(const Layers& layers, const Path& path);
stack::Layer* layerAt(Layers& layers, const Path& path);
/// Returns the list of layers in the block at `parent`; an empty path stands for the top level. Returns
/// nullptr if there is no block at the path.
Layers* listAt(Layers& layers, const Path& parent);
const Layers* listAt(const Layers& layers, const Path& parent);

/// The block at a layer, or nullptr if it is not a block.
inline stack::Block* blockOf(stack::Layer& layer) {
    return std::get_if<stack::Block>(&layer.op);
}
inline const stack::Block* blockOf(const stack::Layer& layer) {
    return std::get_if<stack::Block>(&layer.op);
}

/// Sorted, without duplicates, and without paths that are inside another one.
Paths outermost(Paths paths);
/// Returns copies of the layers, in order.
Layers copyOf(const Layers& layers, const Paths& paths);

Paths insertLayers(Layers& layers, const Path& parent, int row, Layers added);
void removeLayers(Layers& layers, const Paths& paths);
/// Moves the layers to before entry `row` of `parent`'s list (both as before the move). Returns std::nullopt
/// if `parent` is inside a layer being moved.
std::optional<Paths> moveLayers(Layers& layers, const Paths& paths, const Path& parent, int row);
/// Moves the layers up (-1) or down (+1) by one within their list, and out of the block at the list's end.
/// They move as one group. Returns std::nullopt if they are in different lists, or cannot move any further.
std::optional<Paths> shiftLayers(Layers& layers, const Paths& paths, int by);
/// Copies the layers. Each group of neighbors gets its copy right after it; the copies get new ids, and
/// their blocks new names.
Paths duplicateLayers(Layers& layers, const Paths& paths);
/// Moves the layers into a new block at the position of the first one. Returns std::nullopt if they are not
/// in one list.
std::optional<Path> groupLayers(Layers& layers, const Paths& paths, const std::string& name);
/// Replaces each block among the paths with its contents.
Paths ungroupLayers(Layers& layers, const Paths& paths);

/// All ids in use, in order of execution.
std::vector<std::string> layerIds(const Layers& layers);
/// Renames the ids in `added` that are taken ("enc1" to "enc1_2"), and updates the merges in `added` that
/// refer to them.
void makeIdsUnique(Layers& added, const std::vector<std::string>& taken);
/// Gives the outer blocks of `added` names that no block in `layers` has: "res1" becomes "res2", or the next
/// free number.
void makeBlockNamesUnique(Layers& added, const Layers& layers);
/// Returns the first of "block1", "block2", ... that is not the name of a block.
std::string freeBlockName(const Layers& layers);
/// The paths of all layers, a block before its contents: the numbering of stack::StackInfo.
Paths allPaths(const Layers& layers);
/// The layer's JSON Pointer in the experiment: "/stack/2/layers/0".
std::string pointerOf(const Path& path);

}  // namespace highwater::desktop
