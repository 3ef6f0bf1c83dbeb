#pragma once

#include <QString>

#include "core/base/result.h"
#include "widgets/stack/layer_tree.h"

namespace highwater::widgets {

/// Layers as JSON text, the list of an experiment's `stack`: for the clipboard and for dragging.
QString layersToText(const Layers& layers);
/// Reads a list of layers, a single layer, or a whole experiment (its stack).
base::Result<Layers> layersFromText(const QString& text);

}  // namespace highwater::widgets
