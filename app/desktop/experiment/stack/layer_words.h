#pragma once

#include <QString>

#include "app/desktop/experiment/stack/layer_tree.h"
#include "core/base/result.h"
#include "core/stack/experiment.h"

namespace highwater::desktop {

/// The main options of a layer in a few words, if they are not the defaults: "3³, stride 2", "in place, id
/// enc1", "with enc1", "enc2, checkpoint". `dims` is the number of spatial axes (for "3³"), 0 if unknown.
/// Unless checkpointing is `byBlock`, a block's mark reads "checkpoint off".
QString optionsInWords(const stack::Layer& layer, int dims, bool byBlock = true);

/// "1 layer", "12 layers"
QString layersText(std::int64_t count);

/// A group of layer types in the menu.
struct TypeGroup {
    QString title;  ///< "Convolution"
    std::vector<std::string_view> types;
};
/// All of stack::typeNames() except "block", in groups. A type that is in no group is listed under "Other".
std::vector<TypeGroup> typeGroups();

/// Layers as JSON text in the form of an experiment's `stack`, for the clipboard and for dragging.
QString layersToText(const Layers& layers);
/// Parses a list of layers, a single layer, or a whole experiment (its stack).
base::Result<Layers> layersFromText(const QString& text);

}  // namespace highwater::desktop
